"""A question with buttons and room for own words, an edit that uses the answer, and a proposal."""

from bot.rehearsal.script import Demonstration, Ending, Script, Turn, ask, bash, publish, replace, view

CHOICES = ("Harbor Fog", "Pier Latte")
MENU = "shop/menu.md"
ANCHOR = "- Iced tea, 3.90\n"
LONGEST_NAME = 60


def perform() -> Script:
    """The whole demonstration."""
    (menu,) = yield Turn((view(MENU),), "First the menu as it is.")
    if menu.failed:
        return Ending(f"I could not read `{MENU}`: {menu.first_line}", "failure")
    (answer,) = yield Turn((ask("What is the new drink called? It goes under Cold, at 4.90.", CHOICES),))
    if answer.failed:
        return Ending(f"No name, so the menu stays as it is: {answer.first_line}")
    name = " ".join(answer.choice(CHOICES).split())[:LONGEST_NAME].strip(" -*#`|<>[]")
    line = f"- {name}, 4.90\n"
    edit, _ = yield Turn(
        (replace(MENU, ANCHOR, ANCHOR + line), bash(f"grep -n -A 4 '## Cold' {MENU}")), "Now the new line, under Cold."
    )
    if edit.failed:
        return Ending(f"The edit failed and nothing was published: {edit.first_line}", "failure")
    (published,) = yield Turn((publish("shop", f"Put {name} on the menu."),), "Now the proposal.")
    if published.failed:
        return Ending(f"{name} is on my copy of the menu, but was not published.\n\n> {published.first_line}")
    return Ending(f"{name} is on the menu at 4.90, last under Cold.")


DRINK = Demonstration(
    key="drink",
    title="Put a new drink on the menu",
    pattern=r"new drink|on the menu",
    perform=perform,
    tools=frozenset({"str_replace_editor", "ask_human", "bash", "publish"}),
)

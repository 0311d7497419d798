"""App Home and the answer to `/handrail status` as blocks. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from bot import texts, texts_budget, texts_surface
from bot.home.overview import SHOWN, Overview, Task
from bot.home.usage import Usage
from bot.listeners.values import ButtonValue
from bot.render import approval, escape
from bot.render.blocks import actions, button, context, section
from bot.render.limits import CONFIRM_TEXT, MODAL_BLOCKS, Block, clipped
from runtime.session.ids import SessionKey
from runtime.session.state import RunState

TITLE = 300
QUESTION = 1_500
NOTE = 1
"""Blocks left free for what was just done, which stands above everything."""


def heading(words: str) -> Block:
    """A header block."""
    return {"type": "header", "text": {"type": "plain_text", "text": words, "emoji": False}}


def link_to(key: SessionKey) -> str:
    """An address that opens the thread in the reader's own Slack."""
    stamp = key.thread_ts.replace(".", "")
    return f"https://slack.com/archives/{key.channel}/p{stamp}?thread_ts={key.thread_ts}&cid={key.channel}"


def open_button(key: SessionKey) -> Block:
    """Leads to the thread."""
    return {**button(texts_surface.OPEN_THREAD, "home_open", "open"), "url": link_to(key)}


def place(key: SessionKey) -> str:
    """Where a thread is."""
    return "Direct message" if key.channel.startswith("D") else f"<#{key.channel}>"


def waiting(task: Task) -> Iterator[Block]:
    """A run that waits for the reader: what it asks, whole or with a way to the whole, and the buttons."""
    key, where = task.key, f"{place(task.key)} · {escape.within(task.title or '-', TITLE)}"
    if task.approval is not None:
        requested = task.approval.requested
        value = ButtonValue(session=key, about=requested.approval_id).pack()
        card = approval.render(key, task.run, task.approval)
        yield context(where)
        yield from (block for block in card.blocks if block["type"] != "actions")
        deciding = (
            button(texts.APPROVE, "home_approve", value, "primary"),
            button(texts.DENY, "home_deny", value, "danger"),
        )
        # What is not seen whole is not decided here.
        is_whole = approval.fits(requested)
        shown = deciding if is_whole else ()
        if not is_whole:
            yield context(texts_surface.DECIDED_THERE)
        yield actions(f"home-{requested.approval_id}-{key.thread_ts}", *shown, open_button(key))
    elif task.question is not None:
        asked = texts.worded(task.question.asked)
        value = ButtonValue(session=key, about=asked.question_id).pack()
        yield section(f"{where}\n{escape.within(asked.question, QUESTION)}")
        yield actions(
            f"home-{asked.question_id}-{key.thread_ts}",
            button(texts_surface.ANSWER, "home_answer", value, "primary"),
            open_button(key),
        )
    else:
        yield section(f"{where}\n{limit_words(task.run)}")
        yield actions(f"home-limit-{key.channel}-{key.thread_ts}", open_button(key))


def limit_words(run: RunState) -> str:
    """What a run that waits at a limit says on its card."""
    reached = run.limits_reached[run.open_limit].reached
    return texts_budget.limit_card(reached, "", f"<@{run.requester}>").strip()


def running(task: Task) -> Iterator[Block]:
    """A run of the reader."""
    title = escape.within(task.title or "-", TITLE)
    stands = texts_surface.waits(task.run) or texts.plan_status(task.run)
    yield section(f"{place(task.key)} · {title}\n{stands} · {texts.footer(task.run)}")
    value = ButtonValue(session=task.key, about=task.run.run_id).pack()
    block_id = f"home-run-{task.key.channel}-{task.key.thread_ts}"
    yield actions(block_id, button(texts.STOP, "home_stop", value, "danger"), open_button(task.key))


def listing(name: str, tasks: Sequence[Task], nothing: str, most: int, *, is_waiting: bool) -> Iterator[Block]:
    """A heading with its runs, at most so many of them."""
    yield heading(name)
    if not tasks:
        yield context(nothing)
    for number, task in enumerate(tasks[:most]):
        if number:
            yield {"type": "divider"}
        yield from waiting(task) if is_waiting else running(task)
    if len(tasks) > most:
        yield context(f"and {len(tasks) - most} more")


def usage_lines(usage: Usage) -> Block:
    """Today's use."""
    person, workspace = usage.person, usage.workspace
    lines = (
        texts_surface.used("You", person.tokens, person.micros, usage.person_limit),
        texts_surface.used("Workspace", workspace.tokens, workspace.micros, usage.workspace_limit),
    )
    return section("\n".join(lines))


def delete_button(team: str, user: str) -> Block:
    """Deletes the reader's data, after a question."""
    words = {"title": texts_surface.DELETE_TITLE, "confirm": texts_surface.DELETE_YES, "deny": texts_surface.DELETE_NO}
    confirm: Block = {name: {"type": "plain_text", "text": text} for name, text in words.items()}
    confirm["text"] = {"type": "plain_text", "text": clipped(texts_surface.DELETE_WHAT, CONFIRM_TEXT)}
    return {**button(texts_surface.DELETE, "home_forget", f"{team}:{user}", "danger"), "confirm": confirm}


def status(overview: Overview, room: int) -> tuple[Block, ...]:
    """What runs and what waits, in so many blocks; where that is too few for all, fewer runs are shown and counted."""
    return next(filter(lambda blocks: len(blocks) <= room, listings(overview)), ())


def listings(overview: Overview) -> Iterator[tuple[Block, ...]]:
    """Both headings with their runs, ever fewer of them."""
    for most in range(SHOWN, -1, -1):
        waits = listing(
            texts_surface.HOME_WAITING, overview.waiting, texts_surface.NOTHING_WAITS, most, is_waiting=True
        )
        runs = listing(texts_surface.HOME_RUNNING, overview.mine, texts_surface.NOTHING_RUNS, most, is_waiting=False)
        yield (*waits, *runs)


def to_read(blocks: Sequence[Block]) -> Iterator[Block]:
    """The same without what decides: of each row of buttons what only opens something."""
    for block in blocks:
        if block["type"] != "actions":
            yield block
        elif links := [element for element in block["elements"] if "url" in element]:
            yield {**block, "elements": links}


def home(
    overview: Overview, usage: Usage, facts: Mapping[str, str], team: str, user: str, planned: Sequence[Block] = ()
) -> Block:
    """The Home tab, with room for a note above it; `planned` are the blocks of the schedules."""
    tail: tuple[Block, ...] = (
        *planned,
        heading(texts_surface.HOME_USAGE),
        usage_lines(usage),
        heading(texts_surface.HOME_SETTINGS),
        section(texts_surface.settings_lines(facts)),
        heading(texts_surface.HOME_DATA),
        section(texts_surface.HOME_DATA_WHAT),
        actions(
            "home-data",
            delete_button(team, user),
            button(texts_surface.DELETE_THREAD, "home_forget_thread", "choose"),
            button(texts_surface.REFRESH, "home_refresh", "refresh"),
        ),
    )
    blocks = (*status(overview, MODAL_BLOCKS - NOTE - len(tail)), *tail)
    return {"type": "home", "blocks": list(blocks)}

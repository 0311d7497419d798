"""A run always ends and says so: limits, failures of the model, answers of any length and kind."""

from tests.scenarios.conftest import StageMaker
from tests.support.model import call, calls, fail, raw, say
from tests.support.stage import BOT, DATA

PLAN = call("planning", command="create", title="Work", steps=["Look", "Change"])
TICK = call("planning", command="mark", step_index=0, step_status="completed")
HARMFUL = "Hi <!channel> and @here, see [your bank](http://evil.example) \u202e<@U0BEN>."


async def test_a_step_limit_ends_with_what_is_done_and_what_is_not(on_stage: StageMaker) -> None:
    """The run says which limit, and the plan shows how far it came."""
    async with on_stage(calls(PLAN), calls(TICK), settings="[budget.run]\nsteps = 2") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} work")
        await stage.ana.click(await stage.button(sent, "End here"), "End here")
        answer = await stage.answer(sent)
        assert "limit of 2 steps" in answer.words
        assert "Done: Look. Not done: Change." in answer.words


async def test_a_run_that_gets_nowhere_asks_and_then_ends_with_a_report(on_stage: StageMaker) -> None:
    """The person reads what was tried and what came of it, in the question and in the last word."""
    again = calls(call("bash", command="cat orders.csv"))
    looked = calls(call("bash", command="echo 42 rows in March"), text="I count the rows.")
    async with on_stage(calls(PLAN), calls(TICK), looked, *[again] * 12) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} work")
        card = await stage.button(sent, "Go on")
        assert "I am not getting further with this: 3 times in a row: bash" in card.words
        await stage.ana.click(card, "Go on")
        answer = await stage.answer(sent)
        assert "because I was not getting further: 3 times in a row: bash" in answer.words
        assert "What came back: 42 rows in March." in answer.words
        assert "Done: Look. Not done: Change." in answer.words


async def test_a_model_that_refuses_the_key_is_said_in_plain_words(on_stage: StageMaker) -> None:
    """With the setting to look at, and no traceback; the thread goes on afterwards."""
    async with on_stage(fail(401), say("Here again.")) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        answer = await stage.answer(sent)
        assert "OPENAI_API_KEY" in answer.words
        assert "Traceback" not in answer.words
        await stage.ana.send(DATA, "go on", sent.ts)
        await stage.slack.wait_message(DATA, sent.ts, lambda m: "Here again." in m.words, "the next answer")


async def test_a_web_page_instead_of_a_model_is_said_in_plain_words(on_stage: StageMaker) -> None:
    """The operator learns which setting to look at."""
    async with on_stage(raw("<html>Sign in</html>"), settings="[model]\ntries = 1") as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        answer = await stage.answer(sent)
        assert "OPENAI_BASE_URL" in answer.words
        assert "<html>" not in answer.words


async def test_an_answer_of_sixty_thousand_characters_arrives_whole(on_stage: StageMaker) -> None:
    """In several messages, in order, the footer on the last."""
    text = "\n\n".join(f"Paragraph {number} with some words in it, & more." for number in range(1350))
    assert len(text) > 60_000
    async with on_stage(say(text)) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} tell me everything")
        await stage.answer(sent)
        blocks = [block for m in await stage.thread(sent) for block in m.blocks]
        assert "".join(str(block["text"]) for block in blocks if block["type"] == "markdown") == text


async def test_a_longer_answer_comes_as_a_file_with_its_beginning_in_the_thread(on_stage: StageMaker) -> None:
    """Nothing is cut off."""
    text = "\n\n".join(f"Paragraph {number} with some words in it." for number in range(4000))
    async with on_stage(say(text)) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} tell me everything")
        answer = await stage.answer(sent)
        assert answer.words.startswith("Paragraph 0 ")
        with_file = await stage.slack.wait_message(DATA, sent.ts, lambda m: bool(m.files), "the file")
        assert (await stage.ana.download(with_file.files[0])).decode() == text


async def test_what_the_model_and_tools_say_is_harmless(on_stage: StageMaker) -> None:
    """In the answer, in a step's reply, in a question and on its buttons alike."""
    script = (
        calls(call("python_execute", code=f"print({HARMFUL!r})"), text=HARMFUL),
        calls(call("ask_human", question=HARMFUL, choices=[HARMFUL[:100], "no"])),
        say(HARMFUL),
    )
    async with on_stage(*script) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} hello")
        await stage.ana.click(await stage.button(sent, "no"), "no")
        await stage.answer(sent)
        for item in await stage.slack.calls("chat.postMessage") + await stage.slack.calls("chat.update"):
            sent_text = str(item["args"])
            for harm in ("<!channel>", "@here", "\u202e", "\\u202e", "<@U0BEN>"):
                assert harm not in sent_text
            in_markdown = [block["text"] for block in item["args"]["blocks"] if block["type"] == "markdown"]
            assert "](http" not in str(in_markdown)
            assert item["ok"], item
        pinged = [item for item in await stage.slack.calls() if "U0BEN" in str(item["args"].get("user", ""))]
        assert not pinged


async def test_the_whole_output_of_a_step_is_a_click_away(on_stage: StageMaker) -> None:
    """In a modal while it fits, else as a file."""
    script = (
        calls(call("bash", command="seq 1 300")),
        calls(*(call("bash", command=f"seq {n}000 {n + 5}000") for n in range(1, 10))),
        say("Counted."),
    )
    async with on_stage(*script) as stage:
        sent = await stage.ana.send(DATA, f"{BOT} count")
        await stage.answer(sent)
        short, long = [message for message in await stage.thread(sent) if message.has_button("Show output")]
        await stage.ana.click(short, "Show output")
        view = await stage.ana.wait_view("the output")
        assert "\n299\n300\n" in view.words
        await stage.ana.click(long, "Show output")
        with_file = await stage.slack.wait_message(DATA, sent.ts, lambda m: bool(m.files), "the file")
        content = (await stage.ana.download(with_file.files[0])).decode()
        assert "\n1000\n1001\n" in content
        assert "\n13999\n14000" in content

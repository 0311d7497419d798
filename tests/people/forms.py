"""Every form that people in the loop see, as values: for pictures, and for Slack's own judgement of them."""

from collections.abc import Mapping

from bot import texts, texts_people
from bot.listeners.modals import answer_modal, deny_modal, notice_modal, reading_modal
from bot.listeners.people_modals import edit_modal, fields_modal, file_modal, which_modal
from bot.listeners.values import ButtonValue
from bot.render import approval
from bot.render.limits import Block
from runtime.session.cards import parts
from tests.people.cards import BASE, COMMAND, DIFF, FIELDS, HIDDEN, KEY, LONG, SEVERAL, waiting

VALUE = ButtonValue(session=KEY, about="a1")
UNSEEN = BASE.model_copy(update={"arguments": '{"command":"ls \\u202egpj\\u200b","timeout":5}'})
MAIL = BASE.model_copy(
    update={
        "tool": "mcp_mail_send",
        "arguments": '{"to":["ana@example.com","ben@example.com"],"subject":"Orders","draft":false,"body":"Hello",'
        '"cc":null}',
    }
)
SCRIPT = BASE.model_copy(update={"arguments": '{"command":"' + "echo one more line of it\\n" * 200 + '"}'})
OUTPUT = f'bash {{"command":"{COMMAND[:20]}"}}\n\nUPDATE 312\n\n———\n\nbash {{"command":"wc -l"}}\n\n' + "\n".join(
    f"row {number:03d}  2026-11-30  store=berlin  amount={number * 3.7:.2f}" for number in range(60)
)
UNSEEN_FORM = edit_modal(VALUE, parts(UNSEEN)[0])
"""Its fields hold the exact characters, so Slack's rules for what is shown are not for it."""
FORMS: Mapping[str, Block] = {
    "edit": edit_modal(VALUE, parts(BASE.model_copy(update={"arguments": '{"command":"ls","timeout":5}'}))[0]),
    "edit, several kinds": edit_modal(VALUE, parts(MAIL)[0]),
    "edit, long": edit_modal(VALUE, parts(SCRIPT)[0]),
    "edit, which call": which_modal(VALUE, SEVERAL, lambda call: call.call_id == "r1.1.1"),
    "deny": deny_modal(VALUE),
    "other answer": answer_modal(VALUE, "Which import do you mean, the *nightly* one or the hourly one?"),
    "fields": fields_modal(VALUE, waiting(question="Which order is it?", fields=FIELDS).asked),
    "file": file_modal(VALUE, "Can you send me the log of the last night?"),
    "whole call": reading_modal(texts.CALL_TITLE, approval.whole(BASE.model_copy(update={"body": LONG}))),
    "whole call, several": reading_modal(texts.CALL_TITLE, approval.whole(SEVERAL)),
    "whole call, diff": reading_modal(texts.CALL_TITLE, approval.whole(DIFF)),
    "whole call, hidden characters": reading_modal(texts.CALL_TITLE, approval.whole(HIDDEN)),
    "output": reading_modal(texts.OUTPUT_TITLE, OUTPUT),
    "output, none": reading_modal(texts.OUTPUT_TITLE, ""),
    "not shown": notice_modal(texts_people.NOT_SHOWN_IN_FORM),
    "changed meanwhile": notice_modal(texts_people.CARD_CHANGED),
}

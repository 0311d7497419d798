"""Blocks for the page's tests: one of each kind the page knows, shaped as Slack takes them."""

from typing import Any

Block = dict[str, Any]


def plain(text: str) -> Block:
    """A plain text object."""
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> Block:
    """A mrkdwn text object."""
    return {"type": "mrkdwn", "text": text}


def section(text: str, **more: Any) -> Block:
    """A section with mrkdwn text."""
    return {"type": "section", "text": mrkdwn(text), **more}


def button(text: str, action_id: str, **more: Any) -> Block:
    """A button."""
    return {"type": "button", "action_id": action_id, "text": plain(text), **more}


def option(text: str, value: str, **more: Any) -> Block:
    """An option of a select, radio group or overflow."""
    return {"text": plain(text), "value": value, **more}


def rich(text: str) -> Block:
    """A rich text of one plain run."""
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}],
    }


def task(number: int, title: str, status: str, details: str = "") -> Block:
    """One task of a plan."""
    more = {"details": rich(details)} if details else {}
    return {"type": "task_card", "task_id": f"t{number}", "title": title, "status": status, **more}


PLAN = [
    section("On it: 4 steps, starting with the import log. I'll ask before changing anything outside my workspace."),
    {
        "type": "plan",
        "title": "Find out why the nightly import dropped rows",
        "tasks": [
            task(1, "Read the import log", "complete", "logs/nightly.log, 1,204 lines"),
            task(2, "Compare the date formats in orders.csv", "in_progress", "312 of 9,880 rows use DD.MM.YYYY"),
            task(3, "Fix the parser and run the tests", "pending"),
            task(4, "Propose the change", "error"),
        ],
    },
]
DIFF = """```
--- a/etl/parse.py
+++ b/etl/parse.py
@@ -12,3 +12,8 @@
-    return datetime.strptime(text, "%Y-%m-%d").date()
+    for form in ("%Y-%m-%d", "%d.%m.%Y"):
+        try:
+            return datetime.strptime(text, form).date()
+        except ValueError:
+            continue
+    raise ValueError(f"unknown date: {text!r}")
```"""
APPROVAL = [
    section("<@U0BEN>, this wants to change *2 files* in `etl/` (+9 −3). Tests pass on my copy."),
    section(DIFF),
    {"type": "context", "elements": [mrkdwn("publish · `etl/parse.py`, `etl/tests/test_parse.py`")]},
    {
        "type": "actions",
        "elements": [
            button("Approve", "approval_yes", style="primary", value="1"),
            button(
                "Deny",
                "approval_no",
                style="danger",
                value="1",
                confirm={
                    "title": plain("Deny this change?"),
                    "text": mrkdwn("The agent goes on *without* it."),
                    "confirm": plain("Deny"),
                    "deny": plain("Keep"),
                },
            ),
            {"type": "overflow", "action_id": "more", "options": [option("Show full diff", "full")]},
        ],
    },
]
OUTPUT = [
    section("Step 2: `python` ran 3.1 s, exit 0"),
    section(
        "```\n"
        + "\n".join(f"row {i:03d}  2026-11-{i % 28 + 1:02d}  store=berlin  amount={i * 3.7:.2f}" for i in range(40))
        + "\n```"
    ),
]
ANSWER = [
    {
        "type": "markdown",
        "text": (
            "## What I found\n\nThe nightly import meets **two date formats**; rows with `DD.MM.YYYY` were dropped.\n\n"
            "| Store | Rows | Dropped |\n|:--|--:|--:|\n| Berlin | 4,120 | 301 |\n| Hamburg | 3,300 | 11 |\n\n"
            "1. Read the log\n2. Compared the formats\n   - in *two* places\n\n- [x] tests pass\n- [ ] published\n\n"
            "```python\nfor form in FORMATS:\n    print(form)\n```\n\n> Nothing is lost for good. <@U0ANA> :tada:\n"
        ),
    },
    {"type": "context", "elements": [mrkdwn("Fixed; 8 of 8 tests pass. · 1m 42s · $0.08")]},
]
KIT = [
    {"type": "header", "text": plain("Settings :coffee:")},
    section(
        "Pick a model for this channel.",
        accessory={
            "type": "static_select",
            "action_id": "model",
            "placeholder": plain("Choose"),
            "options": [option("Small", "s"), option("Large", "l")],
        },
    ),
    {"type": "section", "fields": [mrkdwn("*Steps*\n4 of 20"), mrkdwn("*Cost*\n$0.08")]},
    {"type": "divider"},
    {
        "type": "actions",
        "elements": [
            {"type": "checkboxes", "action_id": "days", "options": [option("Mon", "m"), option("Tue", "t")]},
            {"type": "radio_buttons", "action_id": "when", "options": [option("Now", "n"), option("Later", "l")]},
            {"type": "users_select", "action_id": "who", "placeholder": plain("Someone")},
            {"type": "datepicker", "action_id": "from", "initial_date": "2026-11-30"},
        ],
    },
    {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "text", "text": "Asked "}, {"type": "user", "user_id": "U0BEN"}],
            },
            {"type": "rich_text_list", "style": "bullet", "elements": [rich("one")["elements"][0]]},
            {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "pip install handrail"}]},
        ],
    },
    {
        "type": "table",
        "column_settings": [{"is_wrapped": True}, {"align": "right"}],
        "rows": [
            [{"type": "raw_text", "text": "Day"}, {"type": "raw_text", "text": "Orders"}],
            [{"type": "raw_text", "text": "Mon"}, {"type": "raw_text", "text": "1,204"}],
        ],
    },
]

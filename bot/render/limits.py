"""Slack's limits, all of them, and the numbers of our own that keep a distance to them.

Source: Slack's block kit and method reference; where a limit was only measured by others, ours is well below it.
"""

from typing import Any

Block = dict[str, Any]

TEXT_FALLBACK = 3_500
"""`text` beside blocks; chat.update refuses more than 4,000."""
SECTION_TEXT = 3_000
BUTTON_TEXT = 75
BUTTON_VALUE = 2_000
ACTIONS_ELEMENTS = 25
CONTEXT_ELEMENTS = 10
OPTION_TEXT = 75
OPTION_VALUE = 150
SELECT_OPTIONS = 100
MESSAGE_BLOCKS = 50
MODAL_BLOCKS = 100
VIEW_TITLE = 24
PRIVATE_METADATA = 3_000
HEADER_TEXT = 150
CONFIRM_TEXT = 300
PLAN_TASKS = 50
PLAN_TITLE = 150
TASK_TITLE = 256
SESSION_TITLE = 200
CHUNK_FIELD = 256
"""Characters of each text of a stream's task."""
INPUT_MAX_LENGTH = 3_000
MARKDOWN_PAYLOAD = 12_000
MARKDOWN_PART = 9_000
"""Characters of JSON per answer message: `msg_blocks_too_long` was measured at about 13,000."""
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_TEXT = 8_000
"""Characters of a table's cells; Slack takes 10,000."""
ANSWER_PARTS = 10
"""More parts than this go into a file, with the beginning in the thread."""
CODE_ON_CARD = 2_400
"""Characters, and half as many bytes again in other scripts, of a call on the card; all of it is a click away."""
LINES_ON_CARD = 40
"""Lines of a call that stands on the card whole: about two screens of a phone."""
LINES_AT_FIRST = 12
"""Lines of a longer one."""
MESSAGE_JSON = 11_000
"""Bytes of block JSON that a message of ours stays below."""
MODAL_JSON = 200_000
"""Bytes of JSON that a modal of ours stays below; Slack refuses 250,000."""
EYES = "eyes"


def clipped(text: str, limit: int) -> str:
    """The text within a limit; what was cut is shown by an ellipsis. Only for titles and labels, never for answers."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"

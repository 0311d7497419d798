"""Every number that Slack sets for apps, in one place.

Sources: Slack's documentation as collected for this project; values marked "measured" are reported by users of the
real service and not documented.
"""

from typing import Final

# Messages
MESSAGE_BLOCKS: Final = 50
MESSAGE_TEXT: Final = 40_000
UPDATE_TEXT: Final = 4_000
MARKDOWN_TEXT: Final = 12_000
MESSAGE_BLOCK_BYTES: Final = 13_000
"""Measured: 5.7 kB of block JSON pass, 13.2 kB are refused with `msg_blocks_too_long`."""
FILES_PER_MESSAGE: Final = 10

# Views
VIEW_BLOCKS: Final = 100
VIEW_TITLE: Final = 24
VIEW_METADATA: Final = 3_000
VIEW_BYTES: Final = 250_000
VIEW_STACK: Final = 3
TRIGGER_SECONDS: Final = 3.0
RESPONSE_URL_USES: Final = 5
RESPONSE_URL_SECONDS: Final = 30 * 60.0

# Identifiers
IDENTIFIER: Final = 255

# Blocks
SECTION_TEXT: Final = 3_000
SECTION_FIELDS: Final = 10
SECTION_FIELD: Final = 2_000
ACTIONS_ELEMENTS: Final = 25
CONTEXT_ELEMENTS: Final = 10
CONTEXT_ACTIONS_ELEMENTS: Final = 5
HEADER_TEXT: Final = 150
IMAGE_URL: Final = 3_000
ALT_TEXT: Final = 2_000
IMAGE_TITLE: Final = 2_000
INPUT_LABEL: Final = 2_000
INPUT_HINT: Final = 2_000
TABLE_ROWS: Final = 100
TABLE_COLUMNS: Final = 20
TABLE_CHARACTERS: Final = 10_000
PLAN_TASKS: Final = 50
PLAN_TITLE: Final = 256
TASK_TITLE: Final = 256
CARD_TITLE: Final = 150
CARD_BODY: Final = 200
CARD_BUTTONS: Final = 3
CAROUSEL_CARDS: Final = 10
CONTAINER_CHILDREN: Final = 10
ALERT_TEXT: Final = 200

# Elements
BUTTON_TEXT: Final = 75
BUTTON_VALUE: Final = 2_000
BUTTON_URL: Final = 3_000
ACCESSIBILITY_LABEL: Final = 75
AGENT_PROMPT: Final = 4_000
OPTION_TEXT: Final = 75
OPTION_VALUE: Final = 150
SELECT_OPTIONS: Final = 100
OVERFLOW_OPTIONS: Final = 5
CHOICE_OPTIONS: Final = 10
PLACEHOLDER: Final = 150
INPUT_MAX_LENGTH: Final = 3_000
CONFIRM_TITLE: Final = 100
CONFIRM_TEXT: Final = 300
CONFIRM_BUTTON: Final = 30

# Streams and agent sessions
CHUNK_FIELD: Final = 256
STREAM_SECONDS: Final = 306.0
"""Measured: a stream is sealed about 306 s after it was started; appending does not extend it."""
SESSION_TITLE: Final = 200
PROCESSING_SECONDS: Final = 3_600.0
STATUS_SECONDS: Final = 120.0
LOADING_MESSAGES: Final = 10
SUGGESTED_PROMPTS: Final = 4

# Delivery
SOCKETS: Final = 10
EVENT_RETRIES: Final = 3
ACK_SECONDS: Final = 3.0
REDELIVERY_SECONDS: Final = 10.0

# Rate tiers, calls per minute
TIER_CALLS: Final = {1: 1, 2: 20, 3: 50, 4: 100}
POST_PER_SECOND: Final = 1.0
POST_BURST: Final = 4

# Pages
DEFAULT_PAGE: Final = 100
LARGEST_PAGE: Final = 999

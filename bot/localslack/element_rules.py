"""Block Kit's rules for interactive elements and composition objects."""

from typing import Final

from bot.localslack import limits
from bot.localslack.schema import (
    Check,
    any_text,
    anything,
    array,
    both,
    flag,
    number,
    one_of,
    plain_text,
    problem,
    shape,
    string,
    tagged,
)
from bot.localslack.values import as_object

IDENTIFIER: Final = string(limits.IDENTIFIER)
CONFIRM: Final = shape(
    {"title": plain_text(limits.CONFIRM_TITLE), "text": any_text(limits.CONFIRM_TEXT)},
    {
        "confirm": plain_text(limits.CONFIRM_BUTTON),
        "deny": plain_text(limits.CONFIRM_BUTTON),
        "style": one_of("primary", "danger"),
    },
)
URL: Final = string(limits.BUTTON_URL, pattern=r"^[a-z][a-z0-9+.-]*:")


def option(text: Check) -> Check:
    """An option object with the given kind of text."""
    extra = {"description": any_text(limits.OPTION_TEXT), "url": URL}
    return shape({"text": text, "value": string(limits.OPTION_VALUE)}, extra)


SELECT_OPTION: Final = option(plain_text(limits.OPTION_TEXT))
CHOICE_OPTION: Final = option(any_text(limits.OPTION_TEXT))
OPTIONS: Final = array(SELECT_OPTION, limits.SELECT_OPTIONS)
GROUPS: Final = array(
    shape({"label": plain_text(limits.OPTION_TEXT), "options": OPTIONS}),
    limits.SELECT_OPTIONS,
)
COMMON: Final = {"action_id": IDENTIFIER, "focus_on_load": flag, "confirm": CONFIRM}
WITH_PLACEHOLDER: Final = {**COMMON, "placeholder": plain_text(limits.PLACEHOLDER)}
MULTIPLE: Final = {"max_selected_items": number(1, limits.SELECT_OPTIONS)}
DISPATCH: Final = shape({}, {"trigger_actions_on": array(one_of("on_enter_pressed", "on_character_entered"), 2)})


def needs_options(value: object, pointer: str) -> list[str]:
    """A static select has `options` or `option_groups`, not both and not neither."""
    given = as_object(value)
    if ("options" in given) == ("option_groups" in given):
        return problem(pointer, "must define either `options` or `option_groups`, and not both")
    return []


def static_select(initial: str, check: Check, extra: dict[str, Check]) -> Check:
    """A select or multi-select whose options are listed."""
    rules = {**WITH_PLACEHOLDER, **extra, "options": OPTIONS, "option_groups": GROUPS, initial: check}
    return both(shape({}, rules), needs_options)


def listed_select(initial: str, check: Check, extra: dict[str, Check]) -> Check:
    """A select whose options Slack supplies (people, channels) or the app on demand."""
    more: dict[str, Check] = {
        initial: check,
        "filter": anything,
        "default_to_current_conversation": flag,
        "response_url_enabled": flag,
        "min_query_length": number(0, 1000),
    }
    return shape({}, {**WITH_PLACEHOLDER, **extra, **more})


def text_input(extra: dict[str, Check]) -> Check:
    """A field people type into."""
    more: dict[str, Check] = {
        "initial_value": string(limits.INPUT_MAX_LENGTH, least=0),
        "min_length": number(0, limits.INPUT_MAX_LENGTH),
        "max_length": number(1, limits.INPUT_MAX_LENGTH),
        "dispatch_action_config": DISPATCH,
    }
    return shape({}, {**WITH_PLACEHOLDER, **more, **extra})


def choices(initial: str, check: Check) -> Check:
    """Radio buttons or check boxes."""
    listed = array(CHOICE_OPTION, limits.CHOICE_OPTIONS)
    return shape({"options": listed}, {**COMMON, initial: check})


FEEDBACK_BUTTON: Final = shape(
    {"text": plain_text(limits.BUTTON_TEXT), "value": string(limits.BUTTON_VALUE)},
    {"accessibility_label": string(limits.ACCESSIBILITY_LABEL)},
)
BUTTON: Final = shape(
    {"text": plain_text(limits.BUTTON_TEXT)},
    {
        **COMMON,
        "url": URL,
        "value": string(limits.BUTTON_VALUE),
        "style": one_of("primary", "danger"),
        "accessibility_label": string(limits.ACCESSIBILITY_LABEL),
        "agent_prompt": string(limits.AGENT_PROMPT),
        "visible_to_user_ids": array(IDENTIFIER, 100),
    },
)
ICON_BUTTON: Final = shape(
    {"icon": one_of("trash"), "text": plain_text(limits.BUTTON_TEXT)},
    {
        **COMMON,
        "value": string(limits.BUTTON_VALUE),
        "accessibility_label": string(limits.ACCESSIBILITY_LABEL),
        "visible_to_user_ids": array(IDENTIFIER, 100),
    },
)
IMAGE: Final = shape(
    {"alt_text": string(limits.ALT_TEXT)}, {"image_url": string(limits.IMAGE_URL), "slack_file": anything}
)
DATE: Final = string(10, pattern=r"^\d{4}-\d{2}-\d{2}$")
MANY: Final = array(IDENTIFIER, limits.SELECT_OPTIONS)
MANY_OPTIONS: Final = array(CHOICE_OPTION, limits.SELECT_OPTIONS)

SELECTS: Final[dict[str, Check]] = {
    "static_select": static_select("initial_option", SELECT_OPTION, {}),
    "multi_static_select": static_select("initial_options", MANY_OPTIONS, MULTIPLE),
    "users_select": listed_select("initial_user", IDENTIFIER, {}),
    "multi_users_select": listed_select("initial_users", MANY, MULTIPLE),
    "conversations_select": listed_select("initial_conversation", IDENTIFIER, {}),
    "multi_conversations_select": listed_select("initial_conversations", MANY, MULTIPLE),
    "channels_select": listed_select("initial_channel", IDENTIFIER, {}),
    "multi_channels_select": listed_select("initial_channels", MANY, MULTIPLE),
    "external_select": listed_select("initial_option", SELECT_OPTION, {}),
    "multi_external_select": listed_select("initial_options", MANY_OPTIONS, MULTIPLE),
    "datepicker": shape({}, {**WITH_PLACEHOLDER, "initial_date": DATE}),
    "timepicker": shape({}, {**WITH_PLACEHOLDER, "initial_time": string(5), "timezone": string(64)}),
    "datetimepicker": shape({}, {**COMMON, "initial_date_time": number(0, 9_999_999_999)}),
    "radio_buttons": choices("initial_option", CHOICE_OPTION),
    "checkboxes": choices("initial_options", MANY_OPTIONS),
}
INPUTS: Final[dict[str, Check]] = {
    **SELECTS,
    "plain_text_input": text_input({"multiline": flag}),
    "email_text_input": text_input({}),
    "url_text_input": text_input({}),
    "number_input": text_input({"is_decimal_allowed": flag, "min_value": string(20), "max_value": string(20)}),
    "rich_text_input": shape({}, {**WITH_PLACEHOLDER, "initial_value": anything, "dispatch_action_config": DISPATCH}),
    "file_input": shape({}, {**COMMON, "filetypes": array(string(20), 100), "max_files": number(1, 10)}),
}
ACTIONS: Final[dict[str, Check]] = {
    **SELECTS,
    "button": BUTTON,
    "workflow_button": shape({"text": plain_text(limits.BUTTON_TEXT), "workflow": anything}, COMMON),
    "overflow": shape({"options": array(SELECT_OPTION, limits.OVERFLOW_OPTIONS)}, COMMON),
    "rich_text_input": INPUTS["rich_text_input"],
}
ACTION: Final = tagged(ACTIONS, "element type")
INPUT: Final = tagged(INPUTS, "element type")
ACCESSORY: Final = tagged({**ACTIONS, "image": IMAGE}, "element type")
CONTEXT: Final = tagged(
    {
        "image": IMAGE,
        "plain_text": shape({"text": string(limits.SECTION_FIELD)}, {"emoji": flag}),
        "mrkdwn": shape({"text": string(limits.SECTION_FIELD)}, {"verbatim": flag}),
    },
    "element type",
)
CONTEXT_ACTION: Final = tagged(
    {
        "feedback_buttons": shape({"positive_button": FEEDBACK_BUTTON, "negative_button": FEEDBACK_BUTTON}, COMMON),
        "icon_button": ICON_BUTTON,
    },
    "element type",
)
URL_SOURCE: Final = tagged({"url": shape({"url": string(limits.BUTTON_URL), "text": string(limits.TASK_TITLE)})})

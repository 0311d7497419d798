"""What every section of `handrail.toml` is made of: its base, its kinds of values, and the error for a mistake."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from runtime.durations import read_duration

APPROVER = re.compile(r"requester|[UW][A-Z0-9]{2,}|@[\w.-]+")
MICROS_PER_USD = 1_000_000
MOUNT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")


class SettingsError(Exception):
    """Settings or environment cannot be used. The operator reacts; each problem is a sentence that says how."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_approver(text: str) -> str:
    """Who may decide, in one of its three spellings.

    Raises:
        ValueError: it is none of them.
    """
    if not APPROVER.fullmatch(text):
        raise ValueError('must be "requester", a user id such as "U0123ABCD" or a user group such as "@oncall"')
    return text


def read_mount_name(text: str) -> str:
    """A name that can stand in a path.

    Raises:
        ValueError: it cannot.
    """
    if not MOUNT_NAME.fullmatch(text):
        raise ValueError("must be 1 to 63 letters, digits, dashes or underscores")
    return text


def micros_of(usd: Decimal) -> int:
    """Whole micro-dollars."""
    return int(usd * MICROS_PER_USD)


Duration = Annotated[timedelta, BeforeValidator(read_duration)]
Count = Annotated[int, Field(ge=1)]
Usd = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Approver = Annotated[str, AfterValidator(read_approver)]


class Section(BaseModel):
    """Base of all sections: what is not known is refused, and nothing is converted silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

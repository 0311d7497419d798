"""The hostile inputs, numbered, and where each is tested: `folder::test` below `tests/`."""

from collections.abc import Mapping

from tests.security.requirement import Requirement
from tests.security.requirements_people import PEOPLE
from tests.security.requirements_slack import SLACK
from tests.security.requirements_tools import TOOLS

REQUIREMENTS: Mapping[int, Requirement] = {**SLACK, **PEOPLE, **TOOLS}

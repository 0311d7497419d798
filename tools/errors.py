"""What a tool may raise, by who must react.

    ToolInputError      the model: the arguments cannot work, correct them and call again
      PathRefused       the path leaves the workspace or is nothing a tool may touch
      UnknownTool       there is no tool of that name
    ToolRefused         the model: this cannot be done here, and trying again will not help

Anything else a tool raises is a defect, which the runtime reports to the operator.
"""


class ToolInputError(Exception):
    """The arguments cannot work; the text goes to the model, which may correct them."""


class PathRefused(ToolInputError):
    """The path leaves the workspace, does not exist, or is not a file a tool may touch."""


class UnknownTool(ToolInputError):
    """There is no tool of this name; the text lists the near ones."""


class ToolRefused(Exception):
    """The tool will not do this here (no sandbox, outside the workspace, changed meanwhile); the model reads why."""

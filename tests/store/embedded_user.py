"""A process that uses the embedded server of a folder: says what it got as JSON, and leaves when its input ends."""

import json
import sys
from pathlib import Path

from runtime.store.embedded import start_embedded
from runtime.store.errors import EmbeddedUnavailable


def main(folder: str) -> None:
    """Start or adopt, report, wait, leave."""
    try:
        server = start_embedded(Path(folder))
    except EmbeddedUnavailable as error:
        sys.stdout.write(json.dumps({"error": str(error)}) + "\n")
        return
    sys.stdout.write(json.dumps({"url": server.url, "adopted": server.adopted}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.close()


if __name__ == "__main__":
    main(sys.argv[1])

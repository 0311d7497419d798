"""Keys that are derived from the app's client secret: whatever is kept of a login is encrypted with one."""

import base64
import hashlib
from functools import cache


@cache
def sealing_key(client_secret: str, purpose: str) -> bytes:
    """A key for Fernet, another one for each purpose. It takes a moment, so that nobody tries many secrets."""
    derived = hashlib.scrypt(client_secret.encode(), salt=f"handrail {purpose}".encode(), n=2**14, r=8, p=1, dklen=32)
    return base64.urlsafe_b64encode(derived)

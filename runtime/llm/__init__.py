"""The model: translation, accounting, retries and prices."""

"""The sandbox: every back-end present must pass the same checks."""

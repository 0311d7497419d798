"""The audit log: what is recorded, and that nobody changes it unseen."""

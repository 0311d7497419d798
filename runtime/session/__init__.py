"""The journal of a thread, its fold, its inbox, and what runs it."""

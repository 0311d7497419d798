"""Tests of what the model is shown of a long conversation."""

"""Forty-four hostile inputs, each with the test that shows what the host does about it."""

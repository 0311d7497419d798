"""Tests of the Slack side."""

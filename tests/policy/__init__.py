"""Tests of rules, digests and approvers."""

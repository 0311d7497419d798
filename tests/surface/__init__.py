"""Slack as people and operators meet it: ways in, status, streams, pacing, transports, and what users reported."""

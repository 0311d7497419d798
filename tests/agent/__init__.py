"""Tests of the agent loop over a scripted model and a real store."""

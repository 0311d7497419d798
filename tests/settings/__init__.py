"""Tests of the settings file and of the environment."""

"""Tests of the scripted models."""

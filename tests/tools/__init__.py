"""Tests of the tools, each against real files and a real sandbox."""

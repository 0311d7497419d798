"""Doubles that stand outside the process under test."""

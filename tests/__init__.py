"""The suite: real servers over real sockets; see tests/conftest.py for the rules that every test obeys."""

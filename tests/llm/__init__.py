"""Tests of the model adapter over real sockets."""

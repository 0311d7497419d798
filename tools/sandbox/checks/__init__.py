"""The checks that every back-end must pass, by what they are about."""

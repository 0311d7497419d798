"""The web as tools may see it: public addresses only, bounded, as text."""

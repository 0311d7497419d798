"""Tests of the repository itself: its manifest, image, documents and the rules of the suite."""

"""Tests of flows: plans whose steps are proved before they count."""

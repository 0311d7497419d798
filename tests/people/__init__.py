"""People in the loop: approvals, questions, steering and stop, with two and three people, through the wire."""

"""Sentences of the ways into Handrail: status, /handrail, App Home, shortcuts, reactions, HTTP pages."""

STATUS_WORKING = "is working…"

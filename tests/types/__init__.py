"""What goes over the wire, checked by TypeScript against Slack's own packages."""

"""The commands as an operator types them: each a process of its own."""

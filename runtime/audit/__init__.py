"""The audit log: who asked for what, who decided, what was refused; one hash chain per workspace."""

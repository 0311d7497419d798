"""Several workspaces: installation by OAuth, tokens encrypted in Redis, one Slack side per workspace."""

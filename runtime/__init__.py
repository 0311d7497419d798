"""The agent's life: sessions, engine, agents, models, policy, budget. Knows nothing of Slack."""

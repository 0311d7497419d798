"""Tools of MCP servers: the official SDK below, the same contract as every other tool above."""

"""What an agent can do: the contract of a tool, the tools, and what contains them."""

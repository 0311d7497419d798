"""MCP clients against real servers, and against odd ones that run as processes of their own."""

"""A look-alike of Slack on localhost: Web API, Socket Mode, files, streams and a browser page.

It speaks only Slack's wire and imports nothing else of the project, so the bot cannot tell it from the real
service except by the address. Start it with `python -m bot.localslack`.
"""

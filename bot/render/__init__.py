"""Values to Block Kit, pure: all limits in one module, all sentences in `bot.texts`."""

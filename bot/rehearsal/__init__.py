"""A scripted model: a separate process that speaks OpenAI's wire and drives real tools by fixed scripts."""

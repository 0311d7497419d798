"""The tools that come with Handrail, one file each."""

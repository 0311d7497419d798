"""The demo: a sample world and the processes that let a newcomer live through the whole journey."""

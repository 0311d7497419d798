"""Set-up and checks of the repository itself: standard library only, since they run before anything is installed."""

"""The scripts, one file each."""

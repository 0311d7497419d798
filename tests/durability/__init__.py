"""What must survive: crashes at every point, pauses, an unwell Redis, upgrades. Real processes, real servers."""

"""Which step mends which finding, and the walk that takes them one by one."""

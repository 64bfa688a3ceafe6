"""Several CUDAs on one machine: which are there and who uses them, what is wrong with one, cuDNN into one."""

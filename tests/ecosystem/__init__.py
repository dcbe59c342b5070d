"""Programs that use libraries written for PyTorch, run on tensorsh and compared with what PyTorch printed (`make ecosystem`)."""

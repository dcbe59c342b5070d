"""Benchmarks: ``python -m benchmarks`` prints tensorsh beside PyTorch, HIPS autograd, MyGrad and numpy."""

"""The parts of ``torch.utils.benchmark``, by the names of their modules."""

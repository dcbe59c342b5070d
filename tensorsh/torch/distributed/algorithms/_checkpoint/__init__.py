"""``torch.distributed.algorithms._checkpoint``: modules that keep less of what they compute."""

__all__: list[str] = []

"""One library in one process: reads a case as a line of JSON, answers with the seconds one statement took."""

from __future__ import annotations

import json
import sys
import time
import traceback


def namespace(engine: str, threads: int) -> dict:
    if engine == "torch":
        import torch

        torch.set_num_threads(threads)
        return {"torch": torch}
    if engine == "tensorsh":
        from tensorsh import torch

        torch.set_num_threads(threads)
        return {"torch": torch}
    import numpy

    return {"np": numpy}


def timed(function, seconds: float) -> float:
    """The seconds of one call: the best of a few batches that together take about `seconds`."""
    start = time.perf_counter()
    function()
    once = time.perf_counter() - start
    number = max(1, min(10_000, int(seconds / 5 / max(once, 1e-7))))
    best = once if number == 1 else float("inf")
    for _ in range(1 if once > seconds else 5):
        start = time.perf_counter()
        for _ in range(number):
            function()
        best = min(best, (time.perf_counter() - start) / number)
    return best


def main() -> None:
    engine, threads = sys.argv[1], int(sys.argv[2])
    common = namespace(engine, threads)
    prepared: dict[str, object] = {}
    for line in sys.stdin:
        order = json.loads(line)
        try:
            key = order["setup"] + "\0" + order["statement"]
            if key not in prepared:
                prepared.clear()
                names = dict(common)
                exec(order["setup"], names)
                exec(f"def statement():\n    {order['statement']}", names)
                prepared[key] = names["statement"]
            answer = {"seconds": timed(prepared[key], order["budget"])}
        except Exception:
            answer = {"error": traceback.format_exc(limit=1).strip().splitlines()[-1]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

"""One library in one process: reads a case as a line of JSON, answers with the seconds one statement took."""

from __future__ import annotations

import json
import sys
import time
import traceback
from importlib import import_module
from importlib.util import find_spec


def namespace(engine: str, threads: int, device: str) -> dict:
    if engine in ("torch", "tensorsh"):
        if engine == "torch":
            import torch
        else:
            if find_spec("tensorsh.sandbox"):  # absent in 0.1, which a gate may compare with
                from tensorsh.sandbox import process

                process.owned = True  # measured as the command line computes: freed memory is kept
            from tensorsh import torch
        torch.set_num_threads(threads)
        torch.set_default_device(device)
        return {"torch": torch, "finished": torch.cuda.synchronize if device != "cpu" else lambda: None}
    import numpy

    names = {"np": numpy, "finished": lambda: None}
    if engine in ("numexpr", "numba"):
        names[engine] = import_module(engine)
    return names


def timed(function, seconds: float, finished, clock) -> float:
    """The seconds of one call: the best of a few batches that together take about `seconds`.

    `finished` waits for a device that still works on what it was given.
    """
    function()  # a device compiles what it has not met
    finished()
    once = float("inf")
    for _ in range(2):
        start = clock()
        function()
        finished()
        once = clock() - start
        if once > 20 * seconds:
            return once
    number = max(1, min(10_000, int(seconds / 5 / max(once, 1e-7))))
    best = once if number == 1 else float("inf")
    for _ in range(1 if once > seconds else 5):
        start = clock()
        for _ in range(number):
            function()
        finished()
        best = min(best, (clock() - start) / number)
    return best


def main() -> None:
    engine, threads, device = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    common = namespace(engine, threads, device)
    # One thread on a processor: what it spent, so that a busy machine, which makes it wait, does not count.
    clock = time.process_time if threads == 1 and device == "cpu" else time.perf_counter
    ready: tuple[str, dict] = ("", common)
    prepared: dict[tuple, object] = {}
    for line in sys.stdin:
        order = json.loads(line)
        try:
            key = order["setup"], order["more"], order["statement"]
            if key not in prepared:
                prepared.clear()
                if ready[0] != order["setup"]:
                    ready = ("", common)
                    names = dict(common)
                    exec(order["setup"], names)
                    ready = (order["setup"], names)
                names = dict(ready[1])
                exec(order["more"] + f"\ndef statement():\n    {order['statement']}", names)
                prepared[key] = names["statement"]
            answer = {"seconds": timed(prepared[key], order["budget"], common["finished"], clock)}
        except Exception:
            answer = {"error": traceback.format_exc(limit=1).strip().splitlines()[-1]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

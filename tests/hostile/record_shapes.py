"""Ask PyTorch what it makes of the programs in shapes.txt and overlaps.txt, with a Python that has it: ``python tests/hostile/record_shapes.py PYTHON``."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(python: str, table: Path) -> None:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line[:3] != "=> "]
    asked = [line for line in lines if line and line[0] != "#" and line[:3] != "!> "]
    done = subprocess.run(
        [python, str(HERE / "shapes.py"), "pytorch"], input=json.dumps(asked), capture_output=True, text=True
    )
    answers = {asked[n]: rest[0] for n, *rest in map(json.loads, done.stdout.splitlines()) if rest}
    if missing := [program for program in asked if program not in answers]:
        sys.exit(f"PyTorch ends at: {missing[0]}")
    recorded = []
    for line in lines:
        recorded.append(line)
        if line in answers:
            recorded.append("=> " + answers[line])
    table.write_text("\n".join(recorded) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in ("shapes.txt", "overlaps.txt"):
        main(sys.argv[1], HERE / name)

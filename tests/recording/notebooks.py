"""What ipykernel shows of the notebooks in tests/notebook/real, with PyTorch: their outputs are written anew in their files.

Needs ipykernel, nbformat and nbclient beside PyTorch.
"""

from __future__ import annotations

from pathlib import Path

REAL = Path(__file__).parents[1] / "notebook" / "real"


def record() -> None:
    import nbformat
    from nbclient import NotebookClient

    for path in sorted(REAL.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
            for output in cell.get("outputs", ()):
                if "data" in output:  # text alone: nothing of PyTorch's has other forms
                    output["data"] = {"text/plain": output["data"]["text/plain"]}
                if output["output_type"] == "error":
                    output["traceback"] = []
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
        nbformat.write(notebook, path)
        print(f"{path.name}: {len(notebook.cells)} cells")

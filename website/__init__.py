"""The documentation site: what is made by the build, beside the pages of `docs/`.

`make docs` runs mkdocs, which calls `website/hooks.py`. The pages of operators, the chapters of the course, the pictures of
graphs and the page of changes are made there, from the records, the scripts and the changelog; nothing of it is kept.
"""

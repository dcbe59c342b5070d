"""How the processes of one program, its ranks, are started and find each other. Knows no tensor and nothing of the language."""

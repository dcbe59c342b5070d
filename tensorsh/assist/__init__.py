"""What a user interface asks of a session: completions of a word, facts about a name. Nothing here draws."""

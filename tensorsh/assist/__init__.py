"""Answers for user interfaces and editors: completions of a word, facts about a name, stubs. Nothing here draws."""

"""Tools of many tests: recorded tables, outcomes of programs, programs beside their tests."""

"""Parts of the command line: its arguments, and the cache of its own bytecode."""

"""The command line: words become calls, and what was found becomes an exit code."""

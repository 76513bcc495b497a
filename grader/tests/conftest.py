"""The tests' helpers lie beside this file, where pytest finds them; each tier has fixtures of its own."""

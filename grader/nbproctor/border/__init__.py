"""What both sides of the sandbox's wall know: the wall, the wire that crosses it, and processes with limits.

sandbox, bounded: the walls. messages, frames, wire, protocol: what crosses them, and what it means there.
"""

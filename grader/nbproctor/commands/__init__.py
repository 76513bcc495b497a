"""The commands of the command line, one file each; `terminal` holds what they share."""

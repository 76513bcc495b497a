# @title Where you stand: run this cell to see how many checks pass, and which are open
check.stand("EXERCISES")

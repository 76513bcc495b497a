"""From files to submissions: whose is each file, and which unit is it?

collect: `collect()` sorts a download into a classroom. find: `find()` lists what lies there. roster: who is who.
systems: a module for each learning system, which reads its downloads and writes scores for it. folders: the general
rule, where no system's names are found. scores: what files of scores have in common.
"""

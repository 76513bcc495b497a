"""From files to submissions: whose is each file, and which unit is it?

collect: `collect()` sorts a download into a classroom. find: `find()` lists what lies there. roster: who is who.
systems: a module for each learning system whose names say more than the one general rule, which is `systems.folders`.
"""

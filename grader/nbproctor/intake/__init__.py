"""From files to submissions: whose is each file, and which unit is it?

collect: `collect()` sorts a download into a classroom. find: `find()` lists what lies there. roster: who is who.
"""

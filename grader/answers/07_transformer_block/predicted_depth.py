# %% right: dict with keywords
predicted_depth = dict(post="stalls", pre="learns")

# %% right: word by word
predicted_depth = {}
predicted_depth["pre"] = "learns"
predicted_depth["post"] = "stalls"

# %% wrong: the other way round -> hidden: "you said 'stalls'"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre": "stalls", "post": "learns"}

# %% wrong: both learn -> hidden: "post-norm: the loss ends at 2.31"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre": "learns", "post": "learns"}

# %% wrong: neither learns -> hidden: "pre-norm: the loss ends at below 0.02"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre": "stalls", "post": "stalls"}

# %% wrong: other keys -> "Expected the keys"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre-norm": "learns", "post-norm": "stalls"}

# %% wrong: another word -> "Is it spelled so"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre": "learns", "post": "fails"}

# %% wrong: truth values -> "Is it spelled so"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = {"pre": True, "post": False}

# %% wrong: one word -> "Expected a dictionary"
- predicted_depth = {"pre": "learns", "post": "stalls"}
+ predicted_depth = "pre"

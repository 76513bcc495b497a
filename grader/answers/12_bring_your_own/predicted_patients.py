# %% right: from two lists
names = ["Ada", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana"]
said = ["divided by √d_model", "softmax over the queries", "heads joined by reshape", "mask after the softmax"]
said += ["sound", "heads averaged", "sees the next word", "divided by √d_model"]
predicted_patients = dict(zip(names, said))

# %% right: one after the other
predicted_patients = dict.fromkeys(("Ada", "Hana"), "divided by √d_model")
predicted_patients["Ben"] = "softmax over the queries"
predicted_patients["Cleo"] = "heads joined by reshape"
predicted_patients |= {"Dov": "mask after the softmax", "Eva": "sound", "Finn": "heads averaged"}
predicted_patients["Gus"] = "sees the next word"

# %% wrong: a list -> "Expected a dict"
predicted_patients = ["sound"] * 8
# %% wrong: one is missing -> "Without a diagnosis: Hana"
- "Hana": "divided by √d_model",
# %% wrong: words of one's own -> "is not on the list"
- "Dov": "mask after the softmax",
+ "Dov": "masked too late",
# %% wrong: a ninth patient -> "There is no patient Ida"
- "Hana": "divided by √d_model",
+ "Hana": "divided by √d_model",
+ "Ida": "sound",
# %% wrong: everybody is sound -> hidden: "another diagnosis is right for Ada, Ben"
predicted_patients = dict.fromkeys(("Ada", "Ben", "Cleo", "Dov", "Eva", "Finn", "Gus", "Hana"), "sound")
# %% wrong: Cleo and Finn are swapped -> hidden: "Cleo, Finn"
- "Cleo": "heads joined by reshape",
+ "Cleo": "heads averaged",

- "Finn": "heads averaged",
+ "Finn": "heads joined by reshape",

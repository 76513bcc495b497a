# %% right: as whole numbers
predicted_bytes = {"llama_2_7b": 4294967296, "llama_3_8b": 1073741824, "scores": 4294967296}
# %% right: by a function
def cache(layers, heads, width, tokens=8192, size=2):
    return 2 * layers * heads * width * tokens * size


predicted_bytes = dict(llama_2_7b=cache(32, 32, 128), llama_3_8b=cache(32, 8, 128))
predicted_bytes["scores"] = 32 * 8192**2 * 2
# %% right: powers of 2
predicted_bytes = {"llama_2_7b": 2**32, "llama_3_8b": 1 << 30, "scores": 4 * 1024**3}
# %% wrong: a bare tuple -> "in braces"
predicted_bytes = (2**32, 2**30, 2**32)
# %% wrong: a key forgotten -> "missing: ['scores']"
predicted_bytes = {"llama_2_7b": 2**32, "llama_3_8b": 2**30}
# %% wrong: a key spelled otherwise -> "not asked for: ['llama_2']"
predicted_bytes = {"llama_2": 2**32, "llama_3_8b": 2**30, "scores": 2**32}
# %% wrong: GiB -> "Are they bytes, not MiB or GiB?"
predicted_bytes = {"llama_2_7b": 4, "llama_3_8b": 1, "scores": 4}
# %% wrong: MiB -> "Are they bytes, not MiB or GiB?"
predicted_bytes = {"llama_2_7b": 4096, "llama_3_8b": 1024, "scores": 4096}
# %% wrong: a fraction -> "Is it a product of whole numbers, without a `/`?"
predicted_bytes = {"llama_2_7b": 2**33 / 2, "llama_3_8b": 2**30, "scores": 2**32}
# %% wrong: words -> "expected a whole number of bytes, an int, got str"
predicted_bytes = {"llama_2_7b": "4 GiB", "llama_3_8b": "1 GiB", "scores": "4 GiB"}
# %% wrong: the keys alone -> hidden: "are keys and values counted, both"
predicted_bytes = {"llama_2_7b": 2**31, "llama_3_8b": 2**29, "scores": 2**32}
# %% wrong: one layer alone -> hidden: "are all layers counted"
predicted_bytes = {"llama_2_7b": 2**27, "llama_3_8b": 2**25, "scores": 2**32}
# %% wrong: float32 -> hidden: "is float16 2 bytes?"
predicted_bytes = {"llama_2_7b": 2**33, "llama_3_8b": 2**31, "scores": 2**33}
# %% wrong: a key-value head for each query head -> hidden: "are 8 key-value heads kept"
predicted_bytes = {"llama_2_7b": 2**32, "llama_3_8b": 2**32, "scores": 2**32}
# %% wrong: the scores of all layers -> hidden: "is one layer counted"
predicted_bytes = {"llama_2_7b": 2**32, "llama_3_8b": 2**30, "scores": 2**37}
# %% wrong: the scores of one head -> hidden: "are all 32 heads counted?"
predicted_bytes = {"llama_2_7b": 2**32, "llama_3_8b": 2**30, "scores": 2**27}
# %% wrong: queries cached, too -> hidden: "times the right number"
predicted_bytes = {"llama_2_7b": 3 * 2**31, "llama_3_8b": 2**30, "scores": 2**32}

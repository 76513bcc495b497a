# %% right: dict with keywords, pairs as products
predicted_families = dict(
    encoder_pairs=7 * 7, decoder_pairs=5 * 6 // 2, cross_pairs=5 * 7,
    spam="encoder-only", story="decoder-only", translation="encoder-decoder",
)  # fmt: skip

# %% right: counted, and written entry by entry
predicted_families = {"translation": "encoder-decoder", "story": "decoder-only"}
predicted_families["spam"] = "encoder-only"
predicted_families["cross_pairs"] = sum(1 for q in range(5) for k in range(7))
predicted_families["decoder_pairs"] = sum(1 for q in range(5) for k in range(5) if k <= q)
predicted_families["encoder_pairs"] = torch.ones(7, 7).sum().int().item()

# %% wrong: the encoder is causal, too -> hidden: "encoder_pairs: you said 28, it is 49"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": 28, "decoder_pairs": 15, "cross_pairs": 35,

# %% wrong: the decoder sees everything -> hidden: "decoder_pairs: you said 25, it is 15"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": 49, "decoder_pairs": 25, "cross_pairs": 35,

# %% wrong: the causal table without its diagonal -> hidden: "decoder_pairs: you said 10, it is 15"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": 49, "decoder_pairs": 10, "cross_pairs": 35,

# %% wrong: the cross-attention is causal -> hidden: "cross_pairs: you said 15, it is 35"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 15,

# %% wrong: a mail is judged by a model that writes -> hidden: "spam: you said decoder-only"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "decoder-only", "story": "decoder-only", "translation": "encoder-decoder",

# %% wrong: a story from encoder and decoder -> hidden: "story: you said encoder-decoder"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "encoder-only", "story": "encoder-decoder", "translation": "encoder-decoder",

# %% wrong: translation by an encoder -> hidden: "translation: you said encoder-only"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-only",

# %% wrong: short names -> "expected one of"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "encoder", "story": "decoder", "translation": "both",

# %% wrong: blanks for hyphens -> "expected one of"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "encoder only", "story": "decoder only", "translation": "encoder decoder",

# %% wrong: shapes instead of numbers -> "expected a whole number of pairs"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": (7, 7), "decoder_pairs": (5, 5), "cross_pairs": (5, 7),

# %% wrong: the masks instead of their counts -> "expected a whole number of pairs"
- "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
+ "encoder_pairs": "all", "decoder_pairs": "half", "cross_pairs": "all",

# %% wrong: an entry is missing -> "Expected the keys"
- "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
+ "spam": "encoder-only", "story": "decoder-only",

# %% wrong: a list -> "Expected a dict"
- predicted_families = {
-     "encoder_pairs": 49, "decoder_pairs": 15, "cross_pairs": 35,
-     "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
- }  # fmt: skip
+ predicted_families = [49, 15, 35, "encoder-only", "decoder-only", "encoder-decoder"]
# %% right: counted by numpy, by torch and with a division
import numpy as np

predicted_families = {
    "encoder_pairs": np.ones((7, 7), dtype=int).sum(), "decoder_pairs": 5 * 6 / 2,
    "cross_pairs": torch.ones(5, 7, dtype=torch.bool).sum(),
    "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
}
# %% wrong: a number as a word -> "expected a whole number of pairs, got '49'"
predicted_families = {
    "encoder_pairs": "49", "decoder_pairs": 15, "cross_pairs": 35,
    "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
}
# %% wrong: half a pair -> "expected a whole number of pairs, got 12.5"
predicted_families = {
    "encoder_pairs": 49, "decoder_pairs": 25 / 2, "cross_pairs": 35,
    "spam": "encoder-only", "story": "decoder-only", "translation": "encoder-decoder",
}

# %% right: worked out
import math

predicted_training = {
    "loss": math.log(64),
    "bits": math.log2(64),
    "perplexity": math.exp(math.log(64)),
    "unmasked_loss": "smaller",
    "unmasked_text": "worse",
}
# %% right: to two digits, whole numbers
predicted_training = dict(
    unmasked_text="worse", unmasked_loss="smaller", perplexity=64, bits=6, loss=4.16
)
# %% right: a decimal, a fraction and a whole number
from decimal import Decimal
from fractions import Fraction

predicted_training = {
    "loss": Decimal("4.159"),
    "bits": Fraction(12, 2),
    "perplexity": 64,
    "unmasked_loss": "smaller",
    "unmasked_text": "worse",
}
# %% wrong: the loss in bits -> hidden: "loss: expected 4.1589"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": 6.0, "bits": 6.0, "perplexity": 64.0,
# %% wrong: the loss of a vocabulary of 32 -> hidden: "loss: expected 4.1589"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": 3.466, "bits": 5.0, "perplexity": 32.0,
# %% wrong: bits turned the wrong way -> hidden: "bits: expected 6.0"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": 4.159, "bits": 2.883, "perplexity": 64.0,
# %% wrong: bits to the power of two -> hidden: "perplexity: expected 64.0"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": 4.159, "bits": 6.0, "perplexity": 403.43,
# %% wrong: the loss negative -> "is the minus lost?"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": -4.159, "bits": 6.0, "perplexity": 64.0,
# %% wrong: rounded too far -> hidden: "loss: expected 4.1589"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": 4.2, "bits": 6.0, "perplexity": 64.0,
# %% wrong: the mask does not matter -> hidden: "unmasked_loss: expected smaller"
- "unmasked_loss": "smaller", "unmasked_text": "worse",
+ "unmasked_loss": "same", "unmasked_text": "same",
# %% wrong: more to see, better text -> hidden: "unmasked_text: expected worse"
- "unmasked_loss": "smaller", "unmasked_text": "worse",
+ "unmasked_loss": "smaller", "unmasked_text": "better",
# %% wrong: the leak does harm to both -> hidden: "unmasked_loss: expected smaller"
- "unmasked_loss": "smaller", "unmasked_text": "worse",
+ "unmasked_loss": "larger", "unmasked_text": "worse",
# %% wrong: another word -> "expected one of smaller, same, larger"
- "unmasked_loss": "smaller", "unmasked_text": "worse",
+ "unmasked_loss": "lower", "unmasked_text": "worse",
# %% wrong: a key is missing -> "Expected the keys"
- "unmasked_loss": "smaller", "unmasked_text": "worse",
+ "unmasked_loss": "smaller",
# %% wrong: numbers in quotes -> "expected a number"
- "loss": 4.159, "bits": 6.0, "perplexity": 64.0,
+ "loss": "4.159", "bits": "6.0", "perplexity": "64.0",
# %% wrong: a list -> "Expected a dict"
predicted_training = [4.159, 6.0, 64.0, "smaller", "worse"]
# %% right: numbers of numpy's
import numpy as np

predicted_training = {
    "loss": np.log(np.float32(64)), "bits": np.int64(6), "perplexity": np.float32(64.0),
    "unmasked_loss": "smaller", "unmasked_text": "worse",
}
# %% wrong: a number as a word -> "expected a number, got '6'"
predicted_training = {
    "loss": 4.159, "bits": "6", "perplexity": 64.0,
    "unmasked_loss": "smaller", "unmasked_text": "worse",
}
# %% wrong: a number in quotes -> "got '4.159'. Leave the quotes out."
predicted_training = {
    "loss": "4.159", "bits": 6.0, "perplexity": 64.0,
    "unmasked_loss": "smaller", "unmasked_text": "worse",
}
# %% wrong: not a number -> "got nan. Is it a float?"
predicted_training = {
    "loss": float("nan"), "bits": 6.0, "perplexity": 64.0,
    "unmasked_loss": "smaller", "unmasked_text": "worse",
}

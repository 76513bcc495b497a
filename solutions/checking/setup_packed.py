# @title Setup: run this cell first
# The long line holds this notebook's checks and pictures, packed. To read one, run in a cell below
# check.FIRST??
# or see solutions/UNIT/checks.py
# in WHERE
packed = "PACKED"
import base64
import hashlib
import math
import zlib

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

plt.rcParams.update({"figure.dpi": 110, "figure.facecolor": "white", "font.size": 9})
torch.manual_seed(0)
is_whole = hashlib.sha256(packed.encode()).hexdigest()[:16] == "HASH"
assert is_whole, "The long line was changed: copy this cell anew."
exec(zlib.decompress(base64.b85decode(packed)), {})
from checking import NAMES

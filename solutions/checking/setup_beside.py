# @title Setup: run this cell first
# This unit's checks are in checks.py beside this notebook, what all units share in ../checking.
import math
import sys

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

plt.rcParams.update({"figure.dpi": 110, "figure.facecolor": "white", "font.size": 9})
torch.manual_seed(0)
sys.path[:0] = [".."]
from checking import beside

beside.load("UNIT")
from checking import NAMES

# @title Setup: run this cell first
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
plt.rcParams.update({"figure.dpi": 110, "figure.facecolor": "white", "font.size": 9})


def heatmap(ax, matrix, title="", rows=(), columns=(), **style):
    """Draw a matrix (rows, columns) on ax, with the words on its axes."""
    ax.set(title=title, xticks=range(len(columns)), xticklabels=columns)
    ax.set(yticks=range(len(rows)), yticklabels=rows)
    return ax.imshow(matrix.detach().numpy(), **style)

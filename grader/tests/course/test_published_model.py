"""The Llama of unit 11 is that of `transformers`: stored numbers, reference, and a published model's logits."""

import os
import subprocess
import sys
from pathlib import Path

import kernels
import pytest


@pytest.mark.weekly
def test_the_numbers_of_unit_11_are_those_of_transformers(tmp_path: Path) -> None:
    program = Path(__file__).parents[1] / "llama_oracle.py"
    environment = {**os.environ, "PYTHONPATH": str(kernels.MODELS), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(  # noqa: S603 our own
        [sys.executable, program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]

"""Examine healthy layers: PyTorch's, those of `transformers`, the course's own. Every finding is a false alarm.

    .venv/bin/python grader/bench/healthy_layers.py [--seeds 20] [WORD…]

WORD: only the layers in whose name one of these stands. Sizes, options and weights are drawn anew with each seed. The
classes of `transformers` (in `.models`, which `make test` fills) are found by name and made from a small configuration;
a class that cannot be made or called so is listed, and does not count. fsmt is left out: its attention takes (seq,
batch, d), and the doctor says so. By hand: all of it takes an hour on one core.
"""

import argparse
import ast
import importlib
import inspect
import itertools
import json
import random
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "solutions"), str(ROOT / "grader" / "tests"), str(ROOT / ".models")]
examine = importlib.import_module("checking.examine").examine

Make = Callable[[random.Random], Any]
PARTS = re.compile(r"(Attention|Layer|Block)$")
NO_LAYERS = re.compile(r"Norm|Embedding|FlashAttention|Cache|Patch|Position|SamePad|TDNN|Adapter|Conv|Grouped|Pooling")
FAMILIES: dict[str, dict[str, Any]] = {  # folder of transformers/models -> what its configuration needs as well
    **{name: {} for name in (
        "bert", "roberta", "electra", "albert", "ernie", "camembert", "megatron_bert", "roc_bert", "rembert", "esm",
        "splinter", "layoutlm", "visual_bert", "ibert", "roformer", "convbert", "mpnet",
        "deberta", "deberta_v2", "lxmert", "vit", "deit", "beit", "yolos", "vivit", "videomae", "dinov2", "clip",
        "siglip", "audio_spectrogram_transformer", "vilt", "wav2vec2", "hubert", "wavlm", "gpt2", "gpt_neox", "gptj",
        "codegen", "gpt_bigcode", "opt", "bloom", "llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "gemma2",
        "gemma3", "phi", "phi3", "falcon", "mpt", "cohere", "cohere2", "olmo", "olmo2", "olmo3", "stablelm",
        "starcoder2", "granite", "glm", "smollm3", "nemotron", "persimmon", "helium", "arcee", "seed_oss", "exaone4",
        "gpt_oss", "bitnet", "modernbert", "hunyuan_v1_dense", "biogpt", "xglm", "ctrl", "imagegpt", "bart", "mbart",
        "pegasus", "m2m_100", "marian", "blenderbot", "whisper", "speech_to_text", "trocr", "detr", "xlm",
        "flaubert", "distilbert", "squeezebert", "funnel", "moonshine", "diffllama",
    )},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    **{name: {"d_kv": 8, "relative_attention_num_buckets": 8} for name in ("t5", "mt5", "umt5", "longt5")},
}  # fmt: skip


def configuration(family: str, draw: random.Random) -> Any:
    """A small configuration of a family, its sizes drawn."""
    module = importlib.import_module(f"transformers.models.{family}.configuration_{family}")
    kinds = [k for n, k in vars(module).items() if n.endswith("Config") and k.__module__ == module.__name__]
    kind = next((k for k in kinds if "Text" in k.__name__), kinds[0])
    heads, size = draw.choice((2, 3, 4)), draw.choice((4, 8))
    width = heads * size
    sizes = {
        "hidden_size": width, "d_model": width, "dim": width, "n_embd": width, "embed_dim": width,
        "num_attention_heads": heads, "n_heads": heads, "n_head": heads, "num_heads": heads,
        "encoder_attention_heads": heads, "decoder_attention_heads": heads, "attention_heads": heads,
        "num_key_value_heads": draw.choice((1, heads)), "head_dim": size, "intermediate_size": 2 * width,
        "ffn_dim": 2 * width, "d_ff": 2 * width, "encoder_ffn_dim": 2 * width, "decoder_ffn_dim": 2 * width,
        "hidden_dim": 2 * width, "n_positions": 32, "max_position_embeddings": 32, "n_ctx": 32, "vocab_size": 50,
        "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2, "embedding_size": width,
        "pad_token_id": 0, "rotary_dim": size, "num_local_experts": 2,
    }  # fmt: skip
    named = inspect.signature(kind.__init__).parameters
    made = kind(**{n: v for n, v in (sizes | FAMILIES[family]).items() if n in named})
    made._attn_implementation = draw.choice(("eager", "sdpa"))
    return made


def of_family(kind: type[nn.Module], family: str, draw: random.Random) -> nn.Module:
    """An instance of a class of `transformers`. Some are made for one way to compute attention."""
    config, module = configuration(family, draw), sys.modules[kind.__module__]
    try:
        if not any(getattr(it, "_supports_sdpa", False) for it in vars(module).values()):
            config._attn_implementation = "eager"
        return built(kind, config)
    except KeyError:
        config._attn_implementation = "eager"
        return built(kind, config)


def built(kind: type[nn.Module], config: Any) -> nn.Module:
    """An instance by the arguments that its signature asks for."""
    heads = getattr(config, "num_attention_heads", 2)
    width = getattr(config, "hidden_size", heads * 8)
    known = {
        "config": config, "layer_idx": 0, "layer_id": 1, "layer_number": 1, "embed_dim": width, "num_heads": heads,
        "dim": width, "n_heads": heads, "d_model_size": width, "dff": 2 * width, "block_index": 0,
        "has_relative_attention_bias": True, "dropout": 0.1, "hidden_size": width, "num_attention_heads": heads,
    }  # fmt: skip
    asked = list(inspect.signature(kind.__init__).parameters.values())[1:]
    wanted = [p.name for p in asked if p.default is p.empty or re.search("layer|relative|config", p.name)]
    return kind(**{name: known[name] for name in wanted if name in known})


def of_transformers() -> Iterator[tuple[str, Make]]:
    for family in FAMILIES:
        try:
            module = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
        except (ImportError, RuntimeError) as error:
            print(f"{family}: {str(error)[:100]}", file=sys.stderr)
            continue
        for name, kind in vars(module).items():
            mine = inspect.isclass(kind) and issubclass(kind, nn.Module) and kind.__module__ == module.__name__
            if mine and PARTS.search(name) and not NO_LAYERS.search(name):
                yield f"{family}: {name}", partial(of_family, kind, family)


def sizes(draw: random.Random) -> tuple[int, int]:
    """(width, heads) of a layer of PyTorch's."""
    heads = draw.choice((1, 2, 3, 4))
    return heads * draw.choice((4, 5, 8)), heads


def attention(more: dict[str, Any], draw: random.Random) -> nn.Module:
    return nn.MultiheadAttention(*sizes(draw), **more)


def block(kind: type[nn.Module], more: dict[str, Any], draw: random.Random) -> nn.Module:
    return kind(*sizes(draw), 32, dropout=draw.choice((0.0, 0.1)), **more)


def stack(draw: random.Random) -> nn.Module:
    one = nn.TransformerEncoderLayer(*sizes(draw), 32, batch_first=True)
    return nn.TransformerEncoder(one, 2, enable_nested_tensor=False)


def of_pytorch() -> Iterator[tuple[str, Make]]:
    yes_no = (True, False)
    extras: list[dict[str, Any]] = [{}, {"add_bias_kv": True}, {"dropout": 0.1}]
    for first, bias, extra in itertools.product(yes_no, yes_no, extras):
        more: dict[str, Any] = {"batch_first": first, "bias": bias, **extra}
        yield f"MultiheadAttention, {more}", partial(attention, more)
    for kind, first, pre, act in itertools.product(
        (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer), yes_no, yes_no, ("relu", "gelu")
    ):
        more = {"batch_first": first, "norm_first": pre, "activation": act}
        yield f"{kind.__name__}, {more}", partial(block, kind, more)
    yield "TransformerEncoder", stack
    yield "scaled_dot_product_attention", lambda draw: nn.functional.scaled_dot_product_attention


def of_wide() -> Iterator[tuple[str, Make]]:
    """Layers as wide as published ones: these tell how long an examination takes."""
    yield "wide: MultiheadAttention, 1024", lambda draw: nn.MultiheadAttention(1024, 16, batch_first=True)
    for kind, first in itertools.product((nn.TransformerEncoderLayer, nn.TransformerDecoderLayer), (True, False)):
        more = {"batch_first": True, "norm_first": first}
        yield f"wide: {kind.__name__}, 768, {more}", partial(wide_block, kind, more)
    yield "wide: GPT2Block, 768", partial(of_published, "gpt2", "GPT2Block", {})
    llama = {"hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 2816}
    yield "wide: LlamaDecoderLayer, 1024", partial(of_published, "llama", "LlamaDecoderLayer", llama)


def wide_block(kind: type[nn.Module], more: dict[str, Any], draw: random.Random) -> nn.Module:
    return kind(768, 12, 3072, **more)


def of_published(family: str, name: str, more: dict[str, Any], draw: random.Random) -> nn.Module:
    """A class of `transformers` in the size of its configuration."""
    module = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
    config = next(it for n, it in vars(module).items() if n.endswith("Config"))(**more)
    config._attn_implementation = "eager"
    return built(vars(module)[name], config)


def of_planted() -> Iterator[tuple[str, Make]]:
    planted = importlib.import_module("planted_layers")
    for name, make, _, label in [*planted.DEVELOPMENT, *planted.HELD_OUT]:
        if label is None:
            yield f"planted: {name}", partial(without_draw, make)


def without_draw(make: Callable[[], Any], draw: random.Random) -> Any:
    return make()


def reference(unit: str, name: str, draw: random.Random) -> Any:
    """The reference solution of a unit: a class is made, its sizes drawn; a function is given as it is."""
    it = course(unit)[name]
    if not inspect.isclass(it):
        return it
    heads = draw.choice((2, 4))
    given = {
        "d_model": heads * draw.choice((4, 8)), "n_heads": heads, "d_ff": 24, "n_kv_heads": draw.choice((1, 2)),
        "max_len": 16, "d_k": 4, "d_v": draw.choice((4, 6)),
    }  # fmt: skip
    return it(**{n: given[n] for n in inspect.signature(it.__init__).parameters if n in given})


def tiles(draw: random.Random) -> Any:
    flash = course("10")["flash_attention"]
    return lambda query, key, value: flash(query, key, value, 2)


def of_course() -> Iterator[tuple[str, Make]]:
    """The reference solutions of the units that build attention, and blocks with it."""
    for unit, name in [
        ("03", "scaled_dot_product_attention"), ("04", "MultiHeadLoop"), ("04", "MultiHeadAttention"),
        ("06", "CausalSelfAttention"), ("06", "masked_attention"), ("07", "TransformerBlock"), ("07", "DecoderBlock"),
        ("09", "TransformerBlock"), ("09", "DecoderBlock"), ("10", "CachedSelfAttention"), ("11", "LlamaBlock"),
    ]:  # fmt: skip
        yield f"course {unit}: {name}", partial(reference, unit, name)
    yield "course 10: flash_attention", tiles


COURSE: dict[str, dict[str, Any]] = {}


def course(unit: str) -> dict[str, Any]:
    """The functions and classes that a unit's notebook defines."""
    if unit not in COURSE:
        path = next((ROOT / "solutions").glob(f"{unit}_*/{unit}_*.ipynb"))
        space = COURSE[unit] = {"__name__": f"unit_{unit}"}
        exec("import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn", space)  # noqa: S102
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and not source.lstrip().startswith(("%", "!")):
                wanted: list[ast.stmt] = [
                    n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)
                ]
                code = compile(ast.Module(wanted, []), f"{unit}.ipynb", "exec")
                try:
                    exec(code, space)  # noqa: S102
                except NameError:  # a helper of a demonstration, which needs more than these
                    continue
    return COURSE[unit]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--out", type=Path, help="a file to which each examination adds a line of JSON")
    options.add_argument("words", nargs="*")
    asked = options.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    counts, slowest = {"layers": 0, "examinations": 0, "alarms": 0}, (0.0, "")
    for name, make in [*of_pytorch(), *of_planted(), *of_course(), *of_wide(), *of_transformers()]:
        if asked.words and not any(word in name for word in asked.words):
            continue
        examined = 0
        for seed in range(asked.first, asked.first + asked.seeds):
            torch.manual_seed(seed)
            began = time.process_time()
            try:
                layer = make(random.Random(seed))  # noqa: S311 sizes, not secrets
            except Exception as error:  # noqa: BLE001 a class that wants something else than the usual
                print(f"{name}: not made: {type(error).__name__}: {str(error)[:90]}", flush=True)
                break
            report = examine(layer)
            took = time.process_time() - began
            slowest = max(slowest, (took, name))
            if report.results[0].name == "call":
                print(f"{name}: not called: {report.results[0].evidence[:140]}", flush=True)
                break
            examined += 1
            for result in report.findings:
                counts["alarms"] += not result.follows_from
                print(f"{name}, seed {seed}: FINDING {result.name}: {result.evidence}"
                      f"{' (follows)' if result.follows_from else ''}", flush=True)  # fmt: skip
            if asked.out:
                verdicts = {r.name: (r.verdict, r.evidence) for r in report.results}
                with asked.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"name": name, "seed": seed, "seconds": took, "results": verdicts}) + "\n")
        counts["layers"] += bool(examined)
        counts["examinations"] += examined
    print(counts, f"slowest: {slowest[0]:.1f} s, {slowest[1]}")


if __name__ == "__main__":
    main()

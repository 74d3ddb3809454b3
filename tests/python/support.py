"""What several tests need: a small model with random weights, weights of attention, a display without a screen."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

import numpy as np

from attnscope._files import write_tensors


class Case(unittest.TestCase):
    """With a folder of its own, in which programs remember what they remember."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="attnscope-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            self.set_variable(name, os.path.join(self.folder, name.lower()))
            os.mkdir(os.environ[name], 0o700)
        self.set_variable("DISPLAY", None)
        self.set_variable("WAYLAND_DISPLAY", None)

    def set_variable(self, name, value):
        before = os.environ.get(name)
        self.addCleanup(lambda: os.environ.pop(name, None) if before is None else os.environ.update({name: before}))
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value

    def path(self, name):
        return os.path.join(self.folder, name)

    @contextlib.contextmanager
    def refused(self, words):
        """An Error whose one sentence has these words."""
        import attnscope
        with self.assertRaises(attnscope.Error) as caught:
            yield
        sentence = str(caught.exception)
        self.assertIn(words, sentence)
        self.assertTrue(sentence.endswith("."), sentence)
        self.assertNotIn("\n", sentence)


def write_letters_gpt(folder, blocks=2, width=16, positions=32, heads=4):
    """A GPT-2 of random weights with a token for each of a few letters."""
    os.makedirs(folder)
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": width, "n_head": heads,
              "n_layer": blocks, "n_positions": positions, "vocab_size": 8, "eos_token_id": 7}
    vocabulary = {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "ab": 5, "\u0120": 6, "<|endoftext|>": 7}
    for name, text in (("config.json", json.dumps(config)), ("vocab.json", json.dumps(vocabulary)),
                       ("merges.txt", "#version: 0.2\na b\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    random = np.random.default_rng(7)
    shapes = {"wte.weight": (8, width), "wpe.weight": (positions, width), "ln_f.weight": (width,), "ln_f.bias": (width,)}
    for i in range(blocks):
        for name, rows, columns in (("attn.c_attn", 1, 3), ("attn.c_proj", 1, 1), ("mlp.c_fc", 1, 4), ("mlp.c_proj", 4, 1)):
            shapes["h.%d.%s.weight" % (i, name)] = (rows * width, columns * width)
            shapes["h.%d.%s.bias" % (i, name)] = (columns * width,)
        for name in ("ln_1", "ln_2"):
            shapes["h.%d.%s.weight" % (i, name)] = shapes["h.%d.%s.bias" % (i, name)] = (width,)
    write_tensors(os.path.join(folder, "model.safetensors"),
                  {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}, {})
    return folder


def weights(*shape, causal=False):
    """Rows that add up to 1, [.., queries, keys]."""
    scores = np.random.default_rng(3).normal(size=shape)
    if causal:
        scores = np.where(np.tri(shape[-2], shape[-1], dtype=bool), scores, -np.inf)
    powers = np.exp(scores)
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float32)


class Tensor:
    """What PyTorch's tensors are to the package."""

    def __init__(self, array, dtype="torch.float32", grad=True):
        self._array, self.dtype, self.shape, self._grad = np.asarray(array), dtype, np.shape(array), grad

    def detach(self):
        return Tensor(self._array, self.dtype, False)

    def float(self):
        return Tensor(self._array, "torch.float32", self._grad)

    def cpu(self):
        return self

    def numpy(self):
        if self._grad or self.dtype != "torch.float32":
            raise RuntimeError("torch refuses this")
        return self._array


@contextlib.contextmanager
def display():
    """A display without a screen as $DISPLAY; skips where there is no Xvfb."""
    if not shutil.which("Xvfb"):
        raise unittest.SkipTest("Xvfb is not installed (package xvfb)")
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                              pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    os.environ["DISPLAY"] = ":" + number
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    try:
        yield ":" + number
    finally:
        server.terminate()
        server.wait()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True

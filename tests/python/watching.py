"""What the tests of watch() need. Skips where torch and transformers are not installed."""

import copy
import unittest

import numpy as np

import attnscope
from stream import Reader, Text
from support import Case

try:
    import torch
    import transformers
    from attnscope import _tapping
    from test_torch import tiny
except (ImportError, unittest.SkipTest):
    raise unittest.SkipTest("torch and transformers are not installed: tests/python/run --torch") from None

__all__ = ["F", "Plain", "WatchCase", "ids", "quiet", "tiny", "tiny_bart", "torch", "transformers", "with_attention"]

F = torch.nn.functional
ids = torch.tensor([[3, 14, 15, 9, 2, 6]])
quiet = {"do_sample": False, "pad_token_id": 0, "eos_token_id": None}


def with_attention(model, implementation):
    model = copy.deepcopy(model)
    model.set_attn_implementation(implementation)
    return model


def tiny_bart():
    torch.manual_seed(7)
    config = transformers.BartConfig(vocab_size=50, d_model=32, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=48,
                                     decoder_ffn_dim=48, encoder_attention_heads=4, decoder_attention_heads=4,
                                     max_position_embeddings=32, forced_eos_token_id=None, decoder_start_token_id=0)
    return transformers.BartForConditionalGeneration(config).eval()


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 48)

    def forward(self, x, **given):
        q, k, v = (one.unflatten(-1, (4, 4)).transpose(1, 2) for one in self.inner(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, **given)


class WatchCase(Case):
    def setUp(self):
        super().setUp()
        self.set_variable("ATTNSCOPE_WATCH_FOLDER", self.path("watch"))
        torch.manual_seed(5)

    def tearDown(self):
        self.assertFalse(_tapping.is_tapped())

    def watch(self, model, **given):
        """Watched, and looked at."""
        watched = attnscope.watch(model, open_window=False, **given)
        self.addCleanup(watched.close)
        reader = Reader(watched.path)
        self.addCleanup(reader.close)
        return watched, reader

    def near(self, found, expected):
        self.assertEqual(found.shape, tuple(expected.shape))
        np.testing.assert_allclose(found, expected.detach().float().numpy(), atol=1e-5)

    def seen(self, model, *args, **kwargs):
        """The text of one pass; the model returns the same bits as without."""
        with torch.no_grad():
            before = model(*args, **kwargs)
        watched, reader = self.watch(model)
        with torch.no_grad():
            after = model(*args, **kwargs)
        text = Text().take(reader.poll())
        watched.close()
        before, after = (one[0] if isinstance(one, (tuple, dict)) else one for one in (before, after))
        self.assertTrue(torch.equal(before, after))
        self.assertEqual(len(text.ends), 1)
        return text

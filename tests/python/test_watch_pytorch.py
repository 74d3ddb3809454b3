"""attnscope.watch() on PyTorch's own attention."""

import threading
import unittest
import warnings

import numpy as np

from watching import F, Plain, WatchCase, torch


class Mha(torch.nn.Module):
    def __init__(self, **given):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True, **given)

    def forward(self, x, y=None, **given):
        return self.attention(x, x if y is None else y, x if y is None else y, **given)


class PyTorch(WatchCase):
    def test_multihead_attention_in_all_its_ways(self):
        x, y = torch.randn(2, 5, 16), torch.randn(2, 7, 16)
        causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
        padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        ways = {"self": (x,), "cross": (x, y)}
        for training in (False, True):
            for options in ({}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 16, "vdim": 16}):
                for kind, args in ways.items():
                    for given in ({}, {"attn_mask": causal}, {"key_padding_mask": padding},
                                  {"attn_mask": causal, "key_padding_mask": padding}, {"attn_mask": causal < 0}):
                        if kind == "cross" and given:
                            continue
                        with self.subTest("%s %s %s %s" % (training, options, kind, list(given))), warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            torch.manual_seed(2)
                            model = Mha(**options).train(training)
                            expected = model(*args, need_weights=True, average_attn_weights=False, **given)[1]
                            for need in (True, False):
                                text = self.seen(model, *args, need_weights=need, **given)
                                self.near(text.weights[0][0], expected)
                                self.assertEqual((text.kinds[0], text.names[0]), (kind, "attention"))

    def test_transformers_of_pytorch_keep_their_fast_path(self):
        x = torch.randn(2, 5, 16)
        padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        for norm_first in (False, True):
            layer = torch.nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=norm_first).eval()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                encoder = torch.nn.TransformerEncoder(layer, 2).eval()
            rows = layer.norm1(x) if norm_first else x
            expected = layer.self_attn(rows, rows, rows, average_attn_weights=False)[1]
            for model, name in ((layer, "self_attn"), (encoder, "layers.0.self_attn")):
                text = self.seen(model, x)
                self.near(text.weights[0][0], expected)
                self.assertEqual(text.names[0], name)
            text = self.seen(encoder, x, src_key_padding_mask=padding)
            expected = layer.self_attn(rows, rows, rows, key_padding_mask=padding, average_attn_weights=False)[1]
            np.testing.assert_allclose(text.weights[0][0][0], expected[0].detach().numpy(), atol=1e-5)
            np.testing.assert_allclose(text.weights[0][0][1, :, :3], expected[1, :, :3].detach().numpy(), atol=1e-5)

    def test_encoder_and_decoder_of_pytorch(self):
        model = torch.nn.Transformer(16, 4, 1, 1, 32, batch_first=True).eval()
        text = self.seen(model, torch.randn(2, 5, 16), torch.randn(2, 3, 16),
                         tgt_mask=model.generate_square_subsequent_mask(3), tgt_is_causal=True)
        self.assertEqual([text.kinds[i] for i in range(3)], ["encoder", "self", "cross"])
        self.assertEqual(text.weights[2][0].shape, (2, 4, 3, 5))
        self.assertEqual(text.weights[1][0][0, 0, 0].tolist(), [1, 0, 0])

    def test_calls_of_the_plain_function(self):
        x = torch.randn(2, 5, 16)
        model = Plain()
        q, k, _ = (one.unflatten(-1, (4, 4)).transpose(1, 2) for one in model.inner(x).chunk(3, -1))
        lower = torch.ones(5, 5).tril().bool()
        added = torch.randn(4, 5, 5)
        for given, mask in (({}, torch.zeros(5, 5)), ({"is_causal": True}, torch.where(lower, 0.0, -torch.inf)),
                            ({"attn_mask": lower}, torch.where(lower, 0.0, -torch.inf)), ({"attn_mask": added}, added),
                            ({"scale": 0.3}, None)):
            with self.subTest(list(given)):
                text = self.seen(model, x, **given)
                scores = 0.3 * (q @ k.mT) if mask is None else 0.5 * (q @ k.mT) + mask
                self.near(text.weights[0][0], scores.softmax(-1))
                self.assertEqual(text.masks, int(given.get("attn_mask") is added))

    def test_calls_outside_of_the_model_are_not_sent(self):
        model, other = Plain(), Plain()
        _, reader = self.watch(model)
        x = torch.randn(1, 3, 16)
        other(x)
        F.scaled_dot_product_attention(x, x, x)
        self.assertEqual(reader.poll(), [])
        thread = threading.Event(), threading.Event()

        def elsewhere():
            thread[0].wait(10)
            other(x)
            thread[1].set()

        worker = threading.Thread(target=elsewhere)
        worker.start()
        model.inner.register_forward_hook(lambda *_: (thread[0].set(), thread[1].wait(10)) and None)
        model(x)
        worker.join()
        self.assertEqual([one["end"] for one in reader.poll()], [False, True])

    def test_a_module_that_is_called_twice_has_two_layers(self):
        class Twice(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.one = Plain()

            def forward(self, x):
                return self.one(x) + self.one(2 * x)

        text = self.seen(Twice(), torch.randn(1, 3, 16))
        self.assertEqual(text.names, {0: "one", 1: "one (2)"})


if __name__ == "__main__":
    unittest.main()

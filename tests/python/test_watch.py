"""attnscope.watch(): what is sent is what the model attends with. Where torch and transformers are installed."""

import copy
import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest
import warnings

import numpy as np

import attnscope
from stream import Reader, Text
from support import Case

try:
    import torch
    import transformers
    from attnscope import _taps
    from test_torch import tiny
except (ImportError, unittest.SkipTest):
    raise unittest.SkipTest("torch and transformers are not installed: tests/python/run --torch") from None

F = torch.nn.functional
ids = torch.tensor([[3, 14, 15, 9, 2, 6]])
quiet = {"do_sample": False, "pad_token_id": 0, "eos_token_id": None}


def with_attention(model, implementation):
    model = copy.deepcopy(model)
    model.set_attn_implementation(implementation)
    return model


class WatchCase(Case):
    def setUp(self):
        super().setUp()
        self.set_variable("ATTNSCOPE_WATCH_FOLDER", self.path("watch"))
        torch.manual_seed(5)

    def tearDown(self):
        self.assertFalse(_taps.is_tapped())

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


class Models(WatchCase):
    def test_weights_are_the_eager_ones(self):
        for kind in ("gpt2", "llama", "bert"):
            with torch.no_grad():
                expected = with_attention(tiny(kind), "eager")(ids, output_attentions=True).attentions
            for implementation in ("eager", "sdpa"):
                with self.subTest(kind + " " + implementation):
                    text = self.seen(with_attention(tiny(kind), implementation), ids)
                    self.assertEqual(sorted(text.weights), [0, 1])
                    for i, weights in enumerate(expected):
                        self.near(text.weights[i][0], weights)
                    self.assertEqual(text.masks, 0)
                    self.assertEqual(set(text.kinds.values()), {"self"})
                    self.assertEqual(text.ends[0]["ids"].tolist(), ids.tolist())
                    self.assertEqual("next_id" in text.ends[0], kind != "bert")

    def test_an_encoder_decoder_sends_three_kinds(self):
        decoder = torch.tensor([[0, 7, 8]])
        for kind in ("t5", "bart"):
            model = tiny_bart() if kind == "bart" else tiny(kind)
            with torch.no_grad():
                expected = with_attention(model, "eager")(input_ids=ids, decoder_input_ids=decoder, output_attentions=True)
            for implementation in ("eager", "sdpa"):
                with self.subTest(kind + " " + implementation):
                    text = self.seen(with_attention(model, implementation), input_ids=ids, decoder_input_ids=decoder)
                    self.check_three(text, expected)
                    self.assertEqual(text.ends[0]["ids"].tolist(), decoder.tolist())
                    self.assertEqual(text.ends[0]["memory_ids"].tolist(), ids.tolist())

    def check_three(self, text, expected, nth=0):
        for kind, name in (("encoder", "encoder_attentions"), ("self", "decoder_attentions"), ("cross", "cross_attentions")):
            layers = [layer for layer, found in sorted(text.kinds.items()) if found == kind]
            self.assertEqual(len(layers), 2, text.names)
            for layer, weights in zip(layers, expected[name]):
                self.near(text.weights[layer][nth], weights)

    def test_padded_batches(self):
        two = torch.tensor([[0, 0, 3, 14, 15], [9, 2, 6, 5, 3]])
        for side in ("left", "right"):
            mask = torch.tensor([[0, 0, 1, 1, 1], [1] * 5])
            mask = mask if side == "left" else mask.flip(1)
            for kind in ("gpt2", "llama", "bert"):
                with torch.no_grad():
                    expected = with_attention(tiny(kind), "eager")(two, attention_mask=mask, output_attentions=True).attentions
                for implementation in ("eager", "sdpa"):
                    with self.subTest("%s %s %s" % (kind, implementation, side)):
                        text = self.seen(with_attention(tiny(kind), implementation), two, attention_mask=mask)
                        self.assertEqual(text.masks, 2)
                        for i, weights in enumerate(expected):
                            real = mask.bool().numpy() if implementation == "sdpa" else np.ones(mask.shape, bool)
                            found = text.weights[i][0].transpose(0, 2, 1, 3)[real]
                            np.testing.assert_allclose(found, weights.numpy().transpose(0, 2, 1, 3)[real], atol=1e-5)

    def test_windows_soft_caps_and_sinks(self):
        common = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "head_dim": 8,
                  "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64}
        models = {"mistral": lambda: transformers.MistralForCausalLM(transformers.MistralConfig(sliding_window=4, **common)),
                  "gemma2": lambda: transformers.Gemma2ForCausalLM(transformers.Gemma2Config(
                      sliding_window=4, attn_logit_softcapping=0.5, query_pre_attn_scalar=8, **common)),
                  "gpt_oss": lambda: transformers.GptOssForCausalLM(transformers.GptOssConfig(
                      sliding_window=4, num_local_experts=2, num_experts_per_tok=1, **common))}
        for kind, make in models.items():
            with self.subTest(kind):
                torch.manual_seed(3)
                model = with_attention(make().eval(), "eager")
                for name, weight in model.named_parameters():
                    if "sinks" in name:
                        torch.nn.init.normal_(weight)
                with torch.no_grad():
                    expected = model(ids, output_attentions=True).attentions
                text = self.seen(model, ids)
                for i, weights in enumerate(expected):
                    self.near(text.weights[i][0], weights)
                self.assertEqual(text.masks, 0)

    def test_half_precision_is_sent_as_it_is(self):
        for dtype in (torch.float16, torch.bfloat16):
            model = with_attention(tiny("llama"), "sdpa").to(dtype)
            watched, reader = self.watch(model)
            with torch.no_grad():
                model(ids)
            calls = [one for one in reader.poll() if not one["end"]]
            self.assertEqual(len(calls), 2)
            self.assertEqual(reader.facts["dtype"], str(dtype)[6:])
            weights = Text().take(calls).weights[0][0]
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
            with torch.no_grad():
                expected = with_attention(model.float(), "eager")(ids, output_attentions=True).attentions[0]
            np.testing.assert_allclose(weights, expected.numpy(), atol=0.02)
            watched.close()

    def test_output_and_masks_are_sent_when_wanted(self):
        model = with_attention(tiny("llama"), "sdpa")
        two, mask = torch.tensor([[0, 3, 4], [5, 6, 7]]), torch.tensor([[0, 1, 1], [1, 1, 1]])
        _, reader = self.watch(model)
        for wanted, names in ((3, {"mask"}), (1, set()), (7, {"mask", "output"}), (2, None)):
            reader.look(wanted)
            with torch.no_grad():
                model(two, attention_mask=mask)
            call = reader.poll()[0]
            if names is None:
                self.assertTrue(call["end"])
                continue
            self.assertEqual(names, {"mask", "output"} & set(call))
            if "output" in call:
                weights = Text().take([call]).weights[0][0]
                expected = (weights @ np.repeat(call["v"], 2, 1)).transpose(0, 2, 1, 3)
                np.testing.assert_allclose(call["output"][0, 1:], expected[0, 1:], atol=1e-5)

    def test_training_with_dropout_sends_what_is_before_it(self):
        model = with_attention(tiny("gpt2"), "sdpa").train()
        _, reader = self.watch(model)
        torch.manual_seed(1)
        model(ids, labels=ids).loss.backward()
        grads = [p.grad.clone() for p in model.parameters()]
        text = Text().take(reader.poll())
        np.testing.assert_allclose(text.weights[1][0].sum(-1), 1, atol=1e-6)
        model.zero_grad()
        reader.word(128, 0)
        torch.manual_seed(1)
        model(ids, labels=ids).loss.backward()
        for one, other in zip(grads, model.parameters()):
            self.assertTrue(torch.equal(one, other.grad))


def tiny_bart():
    torch.manual_seed(7)
    config = transformers.BartConfig(vocab_size=50, d_model=32, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=48,
                                     decoder_ffn_dim=48, encoder_attention_heads=4, decoder_attention_heads=4,
                                     max_position_embeddings=32, forced_eos_token_id=None, decoder_start_token_id=0)
    return transformers.BartForConditionalGeneration(config).eval()


class Generating(WatchCase):
    def check(self, model, prompt, implementation, compare=None, **given):
        """Every step's weights are those of the eager model; returns records."""
        eager = with_attention(model, "eager")
        expected = eager.generate(prompt, max_new_tokens=6, output_attentions=True, return_dict_in_generate=True, **quiet, **given)
        model = with_attention(model, implementation)
        watched, reader = self.watch(model)
        tokens = model.generate(prompt, max_new_tokens=6, **quiet, **given)
        self.assertTrue(torch.equal(tokens, expected.sequences))
        records = reader.poll()
        text = Text().take(records)
        self.assertEqual(watched.passes, 6)
        self.assertEqual(len(text.ends), 6)
        attentions = expected.attentions if "attentions" in expected else expected.decoder_attentions
        layers = [layer for layer, kind in sorted(text.kinds.items()) if kind == "self"]
        self.assertEqual(len(layers), 2)
        for step, of_layers in enumerate(attentions):
            for layer, weights in zip(layers, of_layers):
                (compare or self.near)(text.weights[layer][step], weights)
        watched.close()
        return records, text

    def test_a_cache_sends_new_rows_only(self):
        for kind in ("gpt2", "llama"):
            for implementation in ("eager", "sdpa"):
                with self.subTest(kind + " " + implementation):
                    records, text = self.check(tiny(kind), ids, implementation)
                    last = [one for one in records if not one["end"]][-1]
                    self.assertEqual((last["k"].shape[2], last["keys_from"], last["queries_from"]), (1, 10, 10))
                    self.assertTrue(last["causal"])
                    self.assertEqual(text.ends[-1]["ids"].shape, (1, 1))
                    self.assertEqual(text.ends[-2]["next_id"], text.ends[-1]["ids"][0, 0])
                    self.assertEqual(text.masks, 0)

    def test_encoder_decoders(self):
        for model in (tiny("t5"), tiny_bart()):
            for implementation in ("eager", "sdpa"):
                with self.subTest("%s %s" % (type(model).__name__, implementation)):
                    records, text = self.check(model, ids, implementation)
                    cross = [one for one in records if not one["end"] and one["kind"] == "cross"]
                    self.assertEqual({one["k"].shape[2] for one in cross[2:]}, {0})
                    self.assertEqual(sorted(set(text.kinds.values())), ["cross", "encoder", "self"])
                    self.assertEqual({one["pass"] for one in records if not one["end"] and one["kind"] == "encoder"}, {0})
                    self.assertEqual(text.ends[0]["memory_ids"].tolist(), ids.tolist())

    def test_padded_batches_go_on(self):
        two = torch.tensor([[0, 0, 3, 14, 15], [9, 2, 6, 5, 3]])
        mask = torch.tensor([[0, 0, 1, 1, 1], [1] * 5])

        def real(found, weights):
            rows = mask.bool().numpy() if found.shape[2] > 1 else np.ones((2, 1), bool)
            np.testing.assert_allclose(found.transpose(0, 2, 1, 3)[rows], weights.numpy().transpose(0, 2, 1, 3)[rows], atol=1e-5)

        for implementation in ("eager", "sdpa"):
            self.check(tiny("llama"), two, implementation, real, attention_mask=mask)

    def test_static_caches_have_places_that_are_free(self):
        def shorter(found, weights):
            self.assertLessEqual(found.shape[3], weights.shape[3])
            self.assertEqual(float(weights[..., found.shape[3]:].sum()), 0)
            self.near(found, weights[..., :found.shape[3]])

        for implementation in ("eager", "sdpa"):
            records, _ = self.check(tiny("llama"), ids, implementation, shorter, cache_implementation="static")
            last = [one for one in records if not one["end"]][-1]
            self.assertEqual((last["k"].shape[2], last["keys_from"]), (1, 10))

    def test_sliding_caches_forget_what_was_sent(self):
        torch.manual_seed(3)
        model = transformers.MistralForCausalLM(transformers.MistralConfig(
            sliding_window=4, vocab_size=50, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64)).eval()

        def last_ones(found, weights):
            width = weights.shape[3]
            self.assertLess(np.abs(found[..., :-width]).sum() if found.shape[3] > width else 0, 1e-9)
            self.near(found[..., -width:], weights)

        for implementation in ("eager", "sdpa"):
            records, _ = self.check(model, ids, implementation, last_ones)
            last = [one for one in records if not one["end"]][-1]
            self.assertEqual((last["keys_from"], last["queries_from"], last["window"]), (10, 10, 4))

    def test_beams_that_change_places_are_sent_whole(self):
        torch.manual_seed(11)
        model = with_attention(tiny("gpt2"), "sdpa")
        caches = []
        original = model.forward

        def forward(*args, **kwargs):
            result = original(*args, **kwargs)
            caches.append([layer.keys.clone() for layer in result.past_key_values.layers])
            return result

        model.forward = forward
        watched, reader = self.watch(model)
        model.generate(ids, max_new_tokens=8, num_beams=4, **{**quiet, "do_sample": True})
        text, whole = Text(), 0
        for one in reader.poll():
            text.take([one])
            if one["end"]:
                for layer, keys in enumerate(caches.pop(0)):
                    np.testing.assert_array_equal(text.keys[layer], keys.numpy())
            else:
                whole += one["keys_from"] == 0
        self.assertGreater(whole, 2)
        self.assertEqual(caches, [])

    def test_another_text_in_the_same_cache_is_sent_whole(self):
        model = with_attention(tiny("llama"), "sdpa")
        _, reader = self.watch(model)
        with torch.no_grad():
            first = model(ids, use_cache=True)
            model(ids + 1, use_cache=True)
            model(torch.tensor([[4]]), past_key_values=first.past_key_values)  # goes on with the first
            cache = first.past_key_values
            for layer in cache.layers:
                layer.keys, layer.values = layer.keys[:, :, :3], layer.values[:, :, :3]
            model(torch.tensor([[5]]), past_key_values=first.past_key_values)
        calls = [one for one in reader.poll() if not one["end"] and one["layer"] == 1]
        self.assertEqual([one["keys_from"] for one in calls], [0, 0, 0, 0])
        self.assertEqual([one["queries_from"] for one in calls], [0, 0, 6, 3])

    def test_whole_ones_are_sent_when_the_window_asks_or_comes_late(self):
        model = with_attention(tiny("llama"), "sdpa")
        _, reader = self.watch(model)
        sizes = []

        def step(x, cache=None):
            with torch.no_grad():
                out = model(x, past_key_values=cache, use_cache=True).past_key_values
            sizes.extend(one["keys_from"] for one in reader.poll() if not one["end"] and one["layer"] == 0)
            return out

        one = torch.tensor([[4]])
        cache = step(ids)
        cache = step(one, cache)
        reader.ask_for_whole()
        cache = step(one, cache)
        cache = step(one, cache)
        reader.word(128, 0)  # the window goes
        with torch.no_grad():
            cache = model(one, past_key_values=cache).past_key_values
        self.assertEqual(reader.poll(), [])
        step(one, cache)
        self.assertEqual(sizes, [0, 6, 0, 8, 0])


class Mha(torch.nn.Module):
    def __init__(self, **given):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True, **given)

    def forward(self, x, y=None, **given):
        return self.attention(x, x if y is None else y, x if y is None else y, **given)


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 48)

    def forward(self, x, **given):
        q, k, v = (one.unflatten(-1, (4, 4)).transpose(1, 2) for one in self.inner(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, **given)


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


class Behaviour(WatchCase):
    def test_everything_is_undone(self):
        model = tiny("gpt2")
        before = set(vars(model)), F.scaled_dot_product_attention
        path = None
        for ending in ("close", "with", "raise", "interrupt"):
            with self.subTest(ending):
                watched, reader = self.watch(model)
                path = watched.path
                self.assertTrue(os.path.exists(path))
                model(ids)
                if ending in ("raise", "interrupt"):
                    kind = ValueError if ending == "raise" else KeyboardInterrupt
                    handle = model.lm_head.register_forward_pre_hook(lambda *_: (_ for _ in ()).throw(kind("no")))
                    with self.assertRaises(kind):
                        model(ids)
                    handle.remove()
                    if ending == "raise":
                        self.assertFalse(_taps.is_tapped())
                    model(ids)
                    self.assertFalse(_taps.is_tapped())
                    records = reader.poll()
                    self.assertEqual([one["pass"] for one in records if one["end"]], [0, 2])
                if ending == "with":
                    with watched:
                        model(ids)
                watched.close()
                watched.close()
                self.assertFalse(os.path.exists(path))
                self.assertEqual(reader.word(64), 1)
                self.assertEqual((set(vars(model)), F.scaled_dot_product_attention), before)
                self.assertEqual((len(model._forward_hooks), len(model._forward_pre_hooks)), (0, 0))
                self.assertGreater(watched.passes, 0)

    def test_nothing_is_copied_while_nobody_looks(self):
        model = tiny("llama")
        watched, reader = self.watch(model)
        for said in ((128, 0), (136, 0), (136, time.monotonic_ns() - 3 * 10 ** 9), (136, 2 ** 63)):
            reader.look()
            reader.word(*said)
            model(ids)
        self.assertEqual(reader.word(56), 0)
        self.assertEqual(watched.passes, 4)

    def test_windows_that_write_nonsense_do_no_harm(self):
        model = tiny("gpt2")
        _, reader = self.watch(model)
        expected = model(ids)[0]
        for at in (144, 152):
            reader.look()
            reader.word(at, 2 ** 64 - 1)
            self.assertTrue(torch.equal(model(ids)[0], expected))
        reader.look()
        os.truncate(self.path("watch/") + os.listdir(self.path("watch"))[0], 4096)
        self.assertTrue(torch.equal(model(ids)[0], expected))

    def test_the_ring_overwrites_and_too_large_calls_are_counted(self):
        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model, ring=1)
        self.assertEqual(reader.capacity, 1 << 20)
        with torch.no_grad():
            for _ in range(700):
                model(torch.randint(0, 50, (4, 30)))
            records = reader.poll()  # too late
            self.assertEqual(records, [])
            model(ids)
            records = reader.poll()
        self.assertEqual([one["keys_from"] for one in records if not one["end"]], [0, 0])
        self.assertEqual(watched.dropped, 0)
        wide = Plain()
        watched, reader = self.watch(wide, ring=1)
        with torch.no_grad():
            wide(torch.randn(64, 200, 16))
        self.assertEqual([one["end"] for one in reader.poll()], [True])
        self.assertEqual((watched.dropped, reader.word(72)), (1, 1))
        watched.close()
        self.assertEqual(watched.dropped, 1)

    def test_records_stay_whole_around_the_end_of_the_ring(self):
        model = with_attention(tiny("llama"), "sdpa")
        _, reader = self.watch(model, ring=1)
        expected = with_attention(model, "eager")
        with torch.no_grad():
            for i in range(300):
                x = torch.randint(0, 50, (1 + i % 3, 5 + i % 17))
                model(x)
                text = Text().take(reader.poll())
                if i % 37 == 0:
                    self.near(text.weights[1][0], expected(x, output_attentions=True).attentions[1])
        self.assertGreater(reader.cursor, reader.capacity)
        self.assertEqual(reader.dropped, 0)

    def test_two_models_at_once(self):
        one, two = with_attention(tiny("gpt2"), "sdpa"), with_attention(tiny("llama"), "sdpa")
        (_, first), (_, second) = self.watch(one), self.watch(two)
        with torch.no_grad():
            one(ids)
            two(ids)
            two(ids)
        self.assertEqual((len(first.poll()), len(second.poll())), (3, 6))
        self.assertNotEqual(first.facts["module"], second.facts["module"])

    def test_a_model_in_two_threads(self):
        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model)

        def run():
            with torch.no_grad():
                for _ in range(30):
                    model(ids)

        threads = [threading.Thread(target=run) for _ in range(2)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        records = reader.poll()
        self.assertEqual((len(records), watched.passes), (180, 60))
        Text().take(records)

    def test_watching_again_ends_the_watch_before(self):
        model = tiny("gpt2")
        first, reader = self.watch(model)
        second, _ = self.watch(model)
        self.assertEqual(reader.word(64), 1)
        self.assertNotEqual(first.path, second.path)
        self.assertEqual(len(model._forward_hooks), 1)

    def test_layers_and_tokens(self):
        class Tokenizer:
            def convert_ids_to_tokens(self, numbers):
                return ["t%d\udc80" % one for one in numbers]

        model = tiny("gpt2")
        for layers, expected in (([1], [1]), (["transformer.h.0.attn"], [0]), ([], [])):
            watched, reader = self.watch(model, layers=layers, tokenizer=Tokenizer())
            model(ids)
            records = reader.poll()
            self.assertEqual([one["layer"] for one in records if not one["end"]], expected)
            self.assertEqual(records[-1]["tokens"], ["t%d?" % one for one in ids[0]])

    def test_copies_and_files_of_a_watched_model_are_not_watched(self):
        model = tiny("gpt2")
        watched, reader = self.watch(model)
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(file, weights_only=False)):
            other(ids)
        self.assertEqual((watched.passes, reader.poll()), (0, []))

    def test_a_thousand_calls_leak_nothing(self):
        def state():
            gc.collect()
            with open("/proc/self/status", encoding="ascii") as file:
                memory = [int(line.split()[1]) for line in file if line.startswith("RssAnon")][0]
            return len(os.listdir("/proc/self/fd")), memory

        model = with_attention(tiny("llama"), "sdpa")
        watched, reader = self.watch(model, ring=1)
        with torch.no_grad():
            for i in range(200):
                model(ids)
                reader.poll()
            before = state()
            for i in range(1000):
                model(ids)
                reader.poll()
            after = state()
        self.assertEqual(after[0], before[0])
        self.assertLess(after[1] - before[1], 4096, "kilobytes more")
        watched.close()
        before = state()
        for _ in range(100):
            attnscope.watch(model, open_window=False, ring=1).close()
        after = state()
        self.assertEqual(after[0], before[0])
        self.assertEqual(os.listdir(self.path("watch")), [])
        self.assertLess(after[1] - before[1], 4096, "kilobytes more")

    def test_a_stream_goes_with_its_model(self):
        for kind in ("gpt2", "t5"):
            model = tiny(kind)
            path = attnscope.watch(model, open_window=False).path
            self.assertTrue(os.path.exists(path))
            del model
            gc.collect()
            self.assertFalse(os.path.exists(path))

    def test_the_end_of_the_process_removes_the_file_and_a_fork_writes_nothing(self):
        code = ("import os, sys, torch, attnscope\n"
                "model = torch.nn.MultiheadAttention(8, 2)\n"
                "watched = attnscope.watch(model, open_window=False)\n"
                "sys.path.insert(0, %r)\n"
                "from stream import Reader\n"
                "reader = Reader(watched.path)\n"
                "x = torch.randn(3, 1, 8)\n"
                "child = os.fork()\n"
                "reader.look()\n"
                "model(x, x, x)\n"
                "if child == 0:\n"
                "    watched.close()\n"
                "    sys.exit(0)\n"
                "os.waitpid(child, 0)\n"
                "assert os.path.exists(watched.path)\n"
                "reader.look()\n"
                "model(x, x, x)\n"
                "assert [one['pass'] for one in reader.poll()] == [0, 0, 1, 1]\n" % os.path.dirname(__file__))
        subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
        self.assertEqual(os.listdir(self.path("watch")), [])

    def test_a_compiled_pass_of_a_watched_model_runs(self):
        model = Plain()
        _, reader = self.watch(model)
        x = torch.randn(1, 3, 16)
        found = torch.compile(model, backend="eager", fullgraph=True)(x)
        self.assertEqual(reader.poll(), [])
        self.assertTrue(torch.equal(found, model(x)))
        self.assertEqual(len(reader.poll()), 2)


class Refusals(WatchCase):
    def test_what_cannot_be_watched_is_named(self):
        with self.refused("no display"):
            attnscope.watch(tiny("gpt2"))
        self.assertFalse(os.path.exists(self.path("watch")))
        with self.refused("A list cannot be watched"):
            attnscope.watch([])
        with self.refused("Plain was compiled with torch.compile"):
            attnscope.watch(torch.compile(Plain(), backend="eager"), open_window=False)
        model = Plain()
        model.compile(backend="eager")
        with self.refused("Plain was compiled with torch.compile"):
            attnscope.watch(model, open_window=False)
        with self.refused("is a TorchScript module"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attnscope.watch(torch.jit.script(torch.nn.Linear(2, 2)), open_window=False)
        with self.assertRaisesRegex(ValueError, "residual"):
            attnscope.watch(Plain(), what=("qkv", "residual"), open_window=False)
        config = transformers.OpenAIGPTConfig(vocab_size=50, n_positions=32, n_embd=32, n_layer=1, n_head=4)
        with self.refused("OpenAIGPTModel cannot be watched"):
            attnscope.watch(transformers.OpenAIGPTModel(config), open_window=False)

    def test_folders_of_others_are_refused(self):
        os.mkdir(self.path("open"), 0o700)
        os.symlink(self.path("open"), self.path("link"))
        os.chmod(self.path("open"), 0o777)
        for name, said in (("link", "a link or a file"), ("open", "written by others")):
            os.environ["ATTNSCOPE_WATCH_FOLDER"] = self.path(name)
            with self.refused(said):
                attnscope.watch(Plain(), open_window=False)

    def test_attention_that_cannot_be_seen_is_said_once(self):
        model = torch.nn.Linear(4, 4)
        self.watch(model)
        with self.assertWarnsRegex(RuntimeWarning, "No attention was seen in a pass of Linear"):
            model(torch.zeros(1, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model(torch.zeros(1, 4))

    def test_a_window_that_cannot_be_opened_leaves_nothing(self):
        os.environ["DISPLAY"] = ":1234"
        model = Plain()
        with self.assertRaises(attnscope.Error):
            attnscope.watch(model)
        self.assertEqual((os.listdir(self.path("watch")), len(model._forward_hooks)), ([], 0))


class EndToEnd(WatchCase):
    def test_the_program_computes_the_same_weights(self):
        """attnscope watch STREAM -o weights.safetensors, as a script would."""
        program = os.environ.get("ATTNSCOPE_PROGRAM", "")
        said = subprocess.run([program, "watch", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
        if b"--wait" not in said:
            self.skipTest("a program without watch")
        from attnscope._files import map_tensors
        for kind in ("gpt2", "llama", "bert"):
            for implementation in ("eager", "sdpa"):
                with self.subTest(kind + " " + implementation):
                    model = with_attention(tiny(kind), implementation)
                    watched = attnscope.watch(model, open_window=False)
                    out = self.path("%s-%s.safetensors" % (kind, implementation))
                    child = subprocess.Popen([program, "watch", watched.path, "-o", out, "--wait", "60"],
                                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    while child.poll() is None:
                        with torch.no_grad():
                            model(ids)
                        time.sleep(0.02)
                    self.assertEqual(child.returncode, 0, child.stdout.read())
                    child.stdout.close()
                    watched.close()
                    with torch.no_grad():
                        expected = with_attention(model, "eager")(ids, output_attentions=True).attentions
                    found = map_tensors(out)
                    for i, weights in enumerate(expected):
                        self.near(found["layers.%d.weights" % i], weights)


if __name__ == "__main__":
    unittest.main()

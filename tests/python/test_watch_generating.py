"""attnscope.watch() during generate(): of a cache new rows only, and those exactly."""

import unittest

import numpy as np

from stream import Text
from watching import WatchCase, ids, quiet, tiny, tiny_bart, torch, transformers, with_attention


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


if __name__ == "__main__":
    unittest.main()

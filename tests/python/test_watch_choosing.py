"""attnscope.watch(): one sequence of a batch; and what torch.compile has compiled, which is refused or said."""

import unittest
import warnings

import attnscope
import numpy as np

from stream import Text
from watching import F, Plain, WatchCase, ids, quiet, tiny, torch, with_attention


class OneOfABatch(WatchCase):
    three = torch.tensor([[0, 0, 3, 14, 15], [9, 2, 6, 5, 3], [0, 8, 9, 7, 9]])
    mask = torch.tensor([[0, 0, 1, 1, 1], [1] * 5, [0, 1, 1, 1, 1]])

    def steps(self, model, **given):
        """The eager model's weights, and the records of the same generation with one sequence chosen."""
        prompt = dict(attention_mask=self.mask, max_new_tokens=4, **quiet)
        expected = with_attention(model, "eager").generate(self.three, output_attentions=True, return_dict_in_generate=True,
                                                           **prompt)
        model = with_attention(model, "sdpa")
        watched, reader = self.watch(model, **given)
        self.assertTrue(torch.equal(model.generate(self.three, **prompt), expected.sequences))
        records = reader.poll()
        watched.close()
        return expected, records

    def test_it_alone_is_sent_and_its_number_said(self):
        for sequence, number in ((0, 0), (1, 1), (-1, 2)):
            with self.subTest(sequence):
                expected, records = self.steps(tiny("llama"), sequence=sequence)
                calls, ends = [one for one in records if not one["end"]], [one for one in records if one["end"]]
                self.assertEqual({(one["sequence"], one["sequences"]) for one in calls}, {(number, 3)})
                self.assertEqual({one["q"].shape[0] for one in calls} | {one["k"].shape[0] for one in calls}, {1})
                self.assertEqual(calls[-1]["k"].shape[2], 1)  # of a cache new rows only, as of whole batches
                text = Text().take(records)
                for step, layers in enumerate(expected.attentions):
                    for layer, weights in enumerate(layers):
                        found, weights = text.weights[layer][step], weights[number:number + 1]
                        rows = self.mask[number].bool().numpy() if step == 0 else np.ones(1, bool)
                        np.testing.assert_allclose(found[:, :, rows], weights.numpy()[:, :, rows], atol=1e-5)
                self.assertEqual(ends[0]["ids"].tolist(), self.three[number:number + 1].tolist())
                self.assertEqual([one["next_id"] for one in ends], expected.sequences[number, 5:].tolist())

    def test_without_padding_of_its_own_it_needs_no_mask(self):
        _, records = self.steps(tiny("llama"), sequence=1)
        self.assertNotIn("mask", records[0])
        _, records = self.steps(tiny("llama"), sequence=0)
        self.assertEqual(records[0]["mask"].shape[0], 1)

    def test_encoder_decoders(self):
        model = with_attention(tiny("t5"), "sdpa")
        two = torch.cat([ids, ids.flip(1)])
        given = dict(max_new_tokens=3, **quiet)
        expected = with_attention(model, "eager").generate(two, output_attentions=True, return_dict_in_generate=True, **given)
        _, reader = self.watch(model, sequence=1)
        model.generate(two, **given)
        records = reader.poll()
        text = Text().take(records)
        cross = [layer for layer, kind in sorted(text.kinds.items()) if kind == "cross"]
        for step, layers in enumerate(expected.cross_attentions):
            for layer, weights in zip(cross, layers):
                self.near(text.weights[layer][step], weights[1:])
        self.assertEqual({one["k"].shape[2] for one in records if one.get("kind") == "cross" and one["pass"] > 0}, {0})
        self.assertEqual(text.ends[0]["memory_ids"].tolist(), two[1:].tolist())

    def test_modules_of_pytorch(self):
        model, x = torch.nn.MultiheadAttention(16, 4, batch_first=True).eval(), torch.randn(3, 5, 16)
        padding = torch.tensor([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], dtype=torch.bool)
        expected = model(x, x, x, key_padding_mask=padding, average_attn_weights=False)[1]
        for need_weights in (False, True):
            _, reader = self.watch(model, sequence=1)
            model(x, x, x, key_padding_mask=padding, need_weights=need_weights)
            self.near(Text().take(reader.poll()).weights[0][0], expected[1:2])

    def test_all_are_sent_without_it(self):
        _, records = self.steps(tiny("gpt2"))
        self.assertEqual(records[0]["q"].shape[0], 3)
        self.assertNotIn("sequence", records[0])

    def test_a_batch_that_has_it_not_is_said_once_and_not_sent(self):
        model = tiny("gpt2")
        _, reader = self.watch(model, sequence=2)
        with self.assertWarnsRegex(RuntimeWarning, r"watch\(sequence=2\) saw a batch of 1, of which nothing is sent"):
            model(ids)
        self.assertEqual([one["end"] for one in reader.poll()], [True])
        model(self.three)
        self.assertEqual(len(reader.poll()), 3)
        with self.assertRaisesRegex(ValueError, "sequence is 'first'"):
            attnscope.watch(model, sequence="first", open_window=False)


class Within(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


class Compiled(WatchCase):
    x = torch.randn(1, 3, 16)

    def tearDown(self):
        torch._dynamo.reset()
        super().tearDown()

    def test_what_is_compiled_is_refused_by_name(self):
        class Decorated(Plain):
            forward = torch.compile(Plain.forward, backend="eager")

        by_module, by_forward = Plain(), Plain()
        by_module.compile(backend="eager")
        by_forward.forward = torch.compile(by_forward.forward, backend="eager")
        for inner, name in ((torch.compile(Plain(), backend="eager"), "Plain"), (by_module, "Plain"), (by_forward, "Plain"),
                            (Decorated(), "Decorated")):
            for model in (inner, Within(inner)):
                with self.refused(name + " was compiled with torch.compile"):
                    attnscope.watch(model, open_window=False)

    def test_what_is_kept_from_being_compiled_is_watched(self):
        class Kept(Plain):
            forward = torch.compiler.disable(Plain.forward)

        model = Kept()
        _, reader = self.watch(model)
        model(self.x)
        self.assertEqual(len(reader.poll()), 2)

    def test_compiled_calls_of_a_watched_model_are_said_at_the_end(self):
        for late in (False, True):  # compiled before it is watched and after
            with self.subTest(late):
                model = Plain()
                form = None if late else torch.compile(model, backend="eager", fullgraph=True)
                watched, reader = self.watch(model)
                if late:
                    form = torch.compile(model, backend="eager", fullgraph=True)
                found = form(self.x)
                self.assertEqual(reader.poll(), [])
                with self.assertWarnsRegex(RuntimeWarning, "Calls of Plain that torch.compile has compiled were not seen"):
                    watched.close()
                self.assertTrue(torch.equal(found, model(self.x)))

    def test_a_form_that_was_called_before_is_said_too(self):
        model = Plain()
        form = torch.compile(model, backend="eager")
        form(self.x)
        with self.assertWarnsRegex(RuntimeWarning, "alls of Plain that torch.compile has compiled were not seen"):
            with attnscope.watch(model, open_window=False):
                form(self.x)

    def test_compiled_code_that_is_no_call_of_the_model_is_no_matter(self):
        model = Plain()
        torch.compile(lambda x: x + 1, backend="eager")(self.x)
        watched, _ = self.watch(model)
        model(self.x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            watched.close()

    def test_compiled_functions_in_a_model_are_said(self):
        attention = torch.compile(F.scaled_dot_product_attention, backend="eager")

        class Other(Plain):
            def forward(self, x):
                q, k, v = (one.unflatten(-1, (4, 4)).transpose(1, 2) for one in self.inner(x).chunk(3, -1))
                return attention(q, k, v)

        model = Other()
        self.watch(model)
        with self.assertWarnsRegex(RuntimeWarning, "No attention was seen in a pass of Other.*torch.compile"):
            model(self.x)


if __name__ == "__main__":
    unittest.main()

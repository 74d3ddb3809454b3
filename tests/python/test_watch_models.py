"""attnscope.watch(): what is sent is what the model attends with."""

import copy
import subprocess
import time
import unittest

import numpy as np

import attnscope
from stream import Text, weights_of
from watching import WatchCase, ids, tiny, tiny_bart, torch, transformers, with_attention

from attnscope import _taps  # after the skip where torch is not installed
from attnscope._calls import Layers
from attnscope._files import map_tensors
from attnscope._program import program


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
                            real = mask.bool().numpy()  # rows of padding see nothing, or what they like
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

    def test_flash_is_given_other_masks(self):
        """Which keys are padding, and where packed sequences begin. The function itself need not be installed."""
        padding = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1]])
        lower = torch.ones(5, 5).tril().bool()
        near = lower & ~lower.tril(-2)
        begins = torch.tensor([0, 2, 5])
        blocks = torch.tensor([[a < 2 and b < 2 or a >= 2 and b >= 2 for a in range(5)] for b in range(5)])
        x = torch.randn(2, 4, 5, 8)
        for given, mask, seen in (({}, None, lower), ({"is_causal": False}, None, torch.ones(5, 5).bool()),
                                  ({"sliding_window": 2}, None, near), ({}, padding, lower & padding[:, None, None].bool()),
                                  ({"sliding_window": 2}, padding, near & padding[:, None, None].bool()),
                                  ({"cu_seq_lens_q": begins, "cu_seq_lens_k": begins}, None, lower & blocks)):
            with self.subTest(str(given)):
                module = torch.nn.Module()
                module.is_causal = True
                call = _taps._interface_call("flash_attention_2", module, x, x, x, mask, {"scaling": 0.5, **given}, (x,))
                fields, blobs = Layers().describe(0, call._replace(kind="self", output=None), True, {})
                record = dict(fields, q=x.numpy())
                if "mask" in blobs:
                    record["mask"] = np.zeros(blobs["mask"].shape, bool)
                    blobs["mask"].fill(record["mask"].reshape(-1).view(np.uint8))
                scores = torch.where(seen, 0.5 * (x @ x.mT), -torch.inf)
                self.near(weights_of(record, x.numpy()), scores.softmax(-1).nan_to_num())
                self.assertEqual("mask" in blobs, mask is not None or "cu_seq_lens_q" in given)

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


class EndToEnd(WatchCase):
    """attnscope watch STREAM -o weights.safetensors, as a script would."""

    def setUp(self):
        super().setUp()
        said = subprocess.run([program(), "watch", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if b"--wait" not in said.stdout:
            self.skipTest("a program without watch")

    def written(self, model, *args, **kwargs):
        """What the program writes while the model is called again and again."""
        out = self.path("weights.safetensors")
        with attnscope.watch(model, open_window=False) as watched, torch.no_grad():
            child = subprocess.Popen([program(), "watch", watched.path, "-o", out, "--wait", "60"],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            while child.poll() is None:
                model(*copy.deepcopy(args), **copy.deepcopy(kwargs))
                time.sleep(0.02)
        said = child.stdout.read()
        child.stdout.close()
        self.assertEqual(child.returncode, 0, said)
        return map_tensors(out)

    def test_the_program_computes_the_same_weights(self):
        two, mask = torch.tensor([[0, 0, 3, 14, 15], [9, 2, 6, 5, 3]]), torch.tensor([[0, 0, 1, 1, 1], [1] * 5])
        for kind, args, given in (("gpt2", ids, {}), ("llama", ids, {}), ("bert", two, {"attention_mask": mask}),
                                  ("llama", two, {"attention_mask": mask})):
            with torch.no_grad():
                expected = with_attention(tiny(kind), "eager")(args, output_attentions=True, **given).attentions
            for implementation in ("eager", "sdpa"):
                with self.subTest("%s %s %s" % (kind, implementation, list(given))):
                    found = self.written(with_attention(tiny(kind), implementation), args, **given)
                    for i, weights in enumerate(expected):
                        if kind == "llama" and given:  # rows of padding see nothing
                            weights = weights * mask[:, None, :, None]
                        self.near(found["layers.%d.weights" % i], weights)

    def test_the_program_knows_biases_and_three_kinds(self):
        decoder = torch.tensor([[0, 7, 8]])
        for implementation in ("eager", "sdpa"):
            model = tiny("t5")
            with torch.no_grad():
                out = with_attention(model, "eager")(input_ids=ids, decoder_input_ids=decoder, output_attentions=True)
            expected = [*out.encoder_attentions, out.decoder_attentions[0], out.cross_attentions[0],
                        out.decoder_attentions[1], out.cross_attentions[1]]
            found = self.written(with_attention(model, implementation), input_ids=ids, decoder_input_ids=decoder)
            for i, weights in enumerate(expected):
                self.near(found["layers.%d.weights" % i], weights)

    def test_the_program_that_comes_late_knows_the_newest_row(self):
        with torch.no_grad():
            model = with_attention(tiny("llama"), "sdpa")
            cache = with_attention(model, "eager")(ids, use_cache=True).past_key_values
            step = torch.tensor([[4]])
            given = {"past_key_values": cache}
            expected = with_attention(model, "eager")(step, output_attentions=True, **copy.deepcopy(given)).attentions
        found = self.written(model, step, **given)
        for i, weights in enumerate(expected):
            self.near(found["layers.%d.weights" % i], weights)


if __name__ == "__main__":
    unittest.main()

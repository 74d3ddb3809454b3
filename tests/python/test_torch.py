"""Where torch and transformers are installed (tests/python/run --torch): what they give is understood, and the
program's weights are transformers' eager ones."""

import json
import unittest

import numpy as np

import attnscope
from attnscope._tensors import as_array, dump_of, named_arrays
from support import Case

try:
    import torch
    import transformers
except ImportError:
    raise unittest.SkipTest("torch and transformers are not installed: tests/python/run --torch") from None


def tiny(kind):
    """A small model of random weights, eager, in evaluation."""
    torch.manual_seed(7)
    configs = {
        "gpt2": lambda: transformers.GPT2Config(vocab_size=50, n_positions=32, n_embd=32, n_layer=2, n_head=4),
        "llama": lambda: transformers.LlamaConfig(vocab_size=50, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                                                  num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32),
        "bert": lambda: transformers.BertConfig(vocab_size=50, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                                                num_attention_heads=4, max_position_embeddings=32),
        "t5": lambda: transformers.T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
                                            decoder_start_token_id=0),
    }
    classes = {"gpt2": transformers.GPT2LMHeadModel, "llama": transformers.LlamaForCausalLM,
               "bert": transformers.BertForMaskedLM, "t5": transformers.T5ForConditionalGeneration}
    config = configs[kind]()
    config._attn_implementation = "eager"
    return classes[kind](config).eval()


class WithTorch(Case):
    def test_tensors_of_torch_are_arrays(self):
        values = torch.arange(6.0, requires_grad=True).reshape(2, 3)
        for one in (values, values.to(torch.bfloat16), values.detach().half(), values.T.contiguous().T):
            np.testing.assert_array_equal(as_array(one), np.arange(6.0).reshape(2, 3))

    def test_weights_are_those_of_transformers(self):
        ids = [3, 14, 15, 9, 2, 6]
        for kind in ("gpt2", "llama", "bert"):
            with self.subTest(kind):
                model = tiny(kind)
                folder = self.path(kind)
                model.save_pretrained(folder)
                with torch.no_grad():
                    theirs = model(torch.tensor([ids]), output_attentions=True)
                with attnscope.Model(folder) as ours:
                    out = ours.run(ids=ids)
                for i, weights in enumerate(theirs.attentions):
                    np.testing.assert_allclose(out["attentions.%d" % i], weights.numpy(), atol=1e-5)
                np.testing.assert_allclose(out["logits"], theirs.logits.numpy(), atol=1e-3)
                dump = dump_of(theirs, ids)
                self.assertEqual(list(dump.arrays), ["attentions.0", "attentions.1"])
                self.assertEqual(json.loads(dump.metadata["tokens"]), [str(one) for one in ids])

    def test_an_encoder_decoder_has_three_attentions(self):
        with torch.no_grad():
            out = tiny("t5")(input_ids=torch.tensor([[3, 4, 5, 1]]), decoder_input_ids=torch.tensor([[0, 7]]), output_attentions=True)
        dump = dump_of(out, list("abcd"), list("xy"))
        self.assertEqual(dump.arrays["cross_attentions.1"].shape, (1, 4, 2, 4))
        self.assertEqual(sorted(dump.metadata), ["decoder_tokens", "encoder_tokens"])

    def test_generation_becomes_one_matrix(self):
        out = tiny("gpt2").generate(torch.tensor([[3, 14, 15]]), max_new_tokens=4, do_sample=False, output_attentions=True,
                                    return_dict_in_generate=True, pad_token_id=0, eos_token_id=None)
        arrays = named_arrays(out)
        self.assertEqual(arrays["attentions.0"].shape, (1, 4, 6, 6))
        np.testing.assert_allclose(arrays["attentions.1"].sum(-1), 1, atol=1e-5)

    def test_sdpa_has_no_weights_and_that_is_said(self):
        model = tiny("gpt2")
        with torch.no_grad(), self.refused("eager"):
            named_arrays(model(torch.tensor([[3, 4]])))

    def test_bertviz_notebooks_run(self):
        model = tiny("gpt2")
        with torch.no_grad():
            attention = model(torch.tensor([[3, 14, 15]]), output_attentions=True).attentions
        try:
            page = attnscope.head_view(attention, ["a", "b", "c"], html_action="return")
        except attnscope.Error as error:
            self.skipTest(str(error))  # a program that writes no pages yet
        self.assertIn("<html", page.data)


if __name__ == "__main__":
    unittest.main()

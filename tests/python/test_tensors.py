import collections
import json
import types

import numpy as np

from attnscope._tensors import as_array, dump_of, named_arrays
from support import Case, Tensor, weights


class Tensors(Case):
    def test_arrays_of_other_libraries_become_numpy_arrays(self):
        values = np.arange(6, dtype=np.float32).reshape(2, 3)

        class Jax:
            shape, dtype = (2, 3), "float32"

            def __array__(self, dtype=None, copy=None):
                return values

        for one in (values, Tensor(values), Tensor(values, "torch.bfloat16"), Jax(), values.tolist(),
                    types.SimpleNamespace(value=Tensor(values))):
            np.testing.assert_array_equal(as_array(one), values)
        with self.refused("no numbers"):
            as_array(["a"])

    def test_a_list_has_an_array_for_each_layer(self):
        layers = [weights(1, 2, 4, 4), None, Tensor(weights(1, 2, 4, 4))]
        self.assertEqual(list(named_arrays(layers)), ["attentions.0", "attentions.2"])
        self.assertEqual(list(named_arrays(weights(3, 1, 2, 4, 4))), ["attentions.0", "attentions.1", "attentions.2"])
        self.assertEqual(named_arrays(weights(2, 4, 4))["attentions.0"].shape, (2, 4, 4))
        with self.refused("has shape"):
            named_arrays([np.zeros(3)])

    def test_the_output_of_transformers_is_known_by_its_fields(self):
        output = types.SimpleNamespace(logits=Tensor(np.zeros(3)), attentions=(Tensor(weights(1, 2, 4, 4)),) * 3)
        self.assertEqual(list(named_arrays(output)), ["attentions.0", "attentions.1", "attentions.2"])
        pair = collections.OrderedDict(encoder_attentions=(weights(1, 2, 4, 4),), decoder_attentions=(weights(1, 2, 3, 3),),
                                       cross_attentions=(weights(1, 2, 3, 4),))
        dump = dump_of(pair, list("abcd"), list("xyz"))
        self.assertEqual(list(dump.arrays), ["encoder_attentions.0", "decoder_attentions.0", "cross_attentions.0"])
        self.assertEqual(json.loads(dump.metadata["encoder_tokens"]), list("abcd"))
        self.assertEqual(json.loads(dump.metadata["decoder_tokens"]), list("xyz"))

    def test_weights_that_were_not_made_are_explained(self):
        with self.refused("eager"):
            named_arrays(types.SimpleNamespace(logits=Tensor(np.zeros(3)), attentions=None))

    def test_steps_of_generation_become_one_matrix(self):
        steps = ((weights(1, 2, 3, 3, causal=True),), (weights(1, 2, 1, 4),), (weights(1, 2, 1, 5),))
        whole = named_arrays(types.SimpleNamespace(attentions=steps))["attentions.0"]
        self.assertEqual(whole.shape, (1, 2, 5, 5))
        np.testing.assert_allclose(whole.sum(-1), 1, rtol=1e-5)
        np.testing.assert_array_equal(whole[:, :, 4:], steps[2][0])
        self.assertEqual(np.triu(whole[0, 0], 1).max(), 0)

    def test_a_cache_of_transformer_lens_gives_its_patterns(self):
        cache = types.SimpleNamespace(cache_dict={"hook_embed": Tensor(np.zeros((1, 4, 8))),
                                                  "blocks.0.attn.hook_q": Tensor(np.zeros((1, 4, 2, 4))),
                                                  "blocks.0.attn.hook_pattern": Tensor(weights(1, 2, 4, 4))})
        self.assertEqual(list(named_arrays(cache)), ["blocks.0.attn.hook_pattern"])
        del cache.cache_dict["blocks.0.attn.hook_pattern"]
        self.assertEqual(list(named_arrays(cache.cache_dict)), ["blocks.0.attn.hook_q"])
        self.assertEqual(dump_of(cache).layer_name(0), "blocks.0.attn.hook")

    def test_a_dict_keeps_its_names(self):
        arrays = {"layers.0.q": np.zeros((1, 2, 4, 8)), "layers.0.k": np.zeros((1, 2, 4, 8)), "layers.0.v": None}
        dump = dump_of(arrays, list("abcd"), causal=True, scale=0.125)
        self.assertEqual(list(dump.arrays), ["layers.0.q", "layers.0.k"])
        self.assertEqual(dump.metadata, {"tokens": '["a", "b", "c", "d"]', "causal": "true", "scale": "0.125"})
        self.assertEqual(dump.layer_name(0), "layers.0")
        self.assertEqual(dump.layer_name("layers.0"), "layers.0")
        with self.refused("no layer 7"):
            dump.layer_name(7)
        for nothing in ({}, 3, object()):
            with self.refused("show"):
                named_arrays(nothing)

    def test_words_fit_their_positions(self):
        with self.refused('tokens lists 3, expected 4: one for each key of "attentions.0"'):
            dump_of([weights(1, 2, 4, 4)], list("abc"))
        with self.refused("list of words"):
            dump_of([weights(1, 2, 4, 4)], "abcd")
        tokenizer = types.SimpleNamespace(convert_ids_to_tokens=lambda ids: ["<%d>" % one for one in ids])
        dump = dump_of([weights(2, 2, 2, 2)], np.array([[1, 2], [3, 4]]), tokenizer=tokenizer)
        self.assertEqual(json.loads(dump.metadata["tokens"]), [["<1>", "<2>"], ["<3>", "<4>"]])
        decoder = dump_of({"decoder_attentions": (weights(1, 2, 3, 3),)}, decoder_tokens=list("xyz"))
        self.assertEqual(decoder.metadata, {"tokens": '["x", "y", "z"]'})

"""Objects that hold attention, as named NumPy arrays. No framework is imported: objects are recognised by their
attributes."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._program import Error

_attention_fields = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
# The word that differs between the names of a layer's queries, keys and values; the rest is the layer's name in the
# program.
_role = re.compile(r"(^|[._-])(rot_)?(q|k|v|query|key|value|queries|keys|values)(?=[._-]|$)", re.IGNORECASE)
_hooks = re.compile(r"blocks\.\d+\.attn\.hook_(pattern|q|k|v|rot_q|rot_k)$")


class Dump(NamedTuple):
    """The arrays of a file for the program, and the file's metadata."""

    arrays: Dict[str, np.ndarray]
    metadata: Dict[str, str]

    def layer_name(self, layer: Any) -> Optional[str]:
        """The name of layer number ``layer``, or ``layer`` itself if it is a name."""
        if layer is None or isinstance(layer, str):
            return layer
        names = [name for name in self.arrays if re.findall(r"\d+", name)[:1] == [str(int(layer))]]
        if not names:
            raise Error("There is no layer %s in what is shown." % layer)
        return _role.sub("", names[0])


def as_array(value: Any) -> np.ndarray:
    """An array of NumPy, PyTorch, JAX, TensorFlow or nnsight, or nested lists of numbers; bfloat16 as float32."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # PyTorch
        value = value.detach()
        if "bfloat16" in str(value.dtype) or "float8" in str(value.dtype):
            value = value.float()
        value = value.cpu().numpy()
    elif not isinstance(value, np.ndarray) and not hasattr(value, "__array__"):
        if hasattr(value, "value"):  # nnsight's proxy of what was saved
            return as_array(value.value)
        if hasattr(value, "numpy"):
            value = value.numpy()
    array = np.asarray(value)
    if "float" in array.dtype.name and array.dtype.kind != "f":  # ml_dtypes, as JAX has them
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise Error("An array of %s holds no numbers that can be shown." % array.dtype)
    return array


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or (hasattr(value, "shape") and hasattr(value, "dtype"))


def _field(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def steps_joined(steps: Sequence[Any]) -> np.ndarray:
    """The attention of one layer during generation: the weights of the steps, [batch][heads][new][so far] each,
    joined to [batch][heads][all][all], with 0 where a query had no key yet."""
    parts = [as_array(step) for step in steps]
    batch, heads = parts[-1].shape[:2]
    keys = parts[-1].shape[3]
    rows = sum(part.shape[2] for part in parts)
    whole = np.zeros((batch, heads, rows, keys), parts[0].dtype)
    at = 0
    for part in parts:
        whole[:, :, at:at + part.shape[2], :part.shape[3]] = part
        at += part.shape[2]
    return whole


def layers_of(attention: Any, name: str) -> Dict[str, np.ndarray]:
    """The weights of each layer, "name.0", "name.1" …, [batch][heads][queries][keys]. ``attention``: one entry per
    layer (None: the layer has none), or one entry per step of generation with an entry per layer in it, or one array
    with the layers as its first axis."""
    if _is_array(attention):
        array = as_array(attention)
        if array.ndim == 5:
            return {"%s.%d" % (name, i): layer for i, layer in enumerate(array)}
        attention = [array]
    if not isinstance(attention, (list, tuple)):
        raise Error("%s has to hold an array for each layer, not a %s." % (name, type(attention).__name__))
    if attention and isinstance(attention[0], (list, tuple)) and attention[0] and _is_array(attention[0][0]):
        attention = [steps_joined(steps) for steps in zip(*attention)]
    arrays: Dict[str, np.ndarray] = {}
    for i, layer in enumerate(attention):
        if layer is None:
            continue
        array = as_array(layer)
        if not 2 <= array.ndim <= 4:
            raise Error("%s of layer %d has shape %s, expected [batch, heads, queries, keys]."
                        % (name, i, list(array.shape)))
        arrays["%s.%d" % (name, i)] = array
    if not arrays:
        raise Error("%s is empty: no layer has weights." % name)
    return arrays


def _no_weights(value: Any) -> Error:
    """The Error for a model's output without attention weights."""
    return Error("This %s has no attention weights: a model gives them with output_attentions=True and "
                 "attn_implementation=\"eager\" (SDPA and Flash never make them); attnscope.watch(model) shows them "
                 "while the model runs as it is, and attnscope.Model(folder) computes them exactly without it." % type(value).__name__)


def named_arrays(value: Any) -> Dict[str, np.ndarray]:
    """The arrays in ``value``, under the program's names of layers. Raises Error."""
    hooks = {}
    cached = getattr(value, "cache_dict", value)
    if isinstance(cached, Mapping):
        hooks = {name: array for name, array in cached.items()
                 if isinstance(name, str) and _hooks.search(name) and array is not None}
    if hooks:  # TransformerLens: its patterns are what the model used
        patterns = {name: as_array(array) for name, array in hooks.items() if name.endswith("hook_pattern")}
        return patterns or {name: as_array(array) for name, array in hooks.items()}
    fields = {name: _field(value, name) for name in _attention_fields}
    layered = {name: field for name, field in fields.items() if isinstance(field, (list, tuple)) and field}
    if layered:  # what a model of transformers returned
        arrays: Dict[str, np.ndarray] = {}
        for name, field in layered.items():
            arrays.update(layers_of(field, name))
        return arrays
    if hasattr(value, "attentions") or hasattr(value, "decoder_attentions"):
        raise _no_weights(value)
    if isinstance(value, Mapping):
        if not value:
            raise Error("There is nothing to show: the dict is empty.")
        wanted = [name for name in value if not hasattr(value, "batch_tokens") or name.split(".")[0] in _attention_fields]
        if not wanted:  # of Model.run(): logits and hidden states are nothing that is shown
            raise Error("There are no attention weights to show in these arrays.")
        return {str(name): as_array(value[name]) for name in wanted if value[name] is not None}
    if _is_array(value) or isinstance(value, (list, tuple)):
        return layers_of(value, "attentions")
    if hasattr(value, "__array__") or hasattr(value, "value"):
        return layers_of(as_array(value), "attentions")
    raise Error("A %s is nothing that can be shown: arrays, a dict of arrays, a model's output or a path are."
                % type(value).__name__)


Tokens = Sequence[Any]  # of str, or one such list for each sequence of the batch


def words(tokens: Optional[Tokens], tokenizer: Any = None) -> Optional[List[Any]]:
    """A list of strings, or a list of such lists. A tokenizer turns token ids into words."""
    if tokens is None:
        return None
    if hasattr(tokens, "tolist"):
        tokens = tokens.tolist()
    if isinstance(tokens, str):
        raise Error("tokens has to be a list of words, one for each position, not one text.")
    if tokens and not isinstance(tokens[0], (str, int)):
        return [words(inner, tokenizer) for inner in tokens]
    if tokens and isinstance(tokens[0], int):
        if tokenizer is None:
            return [str(one) for one in tokens]
        if hasattr(tokenizer, "convert_ids_to_tokens"):
            return [str(one) for one in tokenizer.convert_ids_to_tokens(list(tokens))]
        return [tokenizer.decode([one]) for one in tokens]
    return [str(one) for one in tokens]


def _check_words(arrays: Mapping[str, np.ndarray], listed: List[Any], axis: int, what: str, names: Tuple[str, ...]) -> None:
    lists = listed if listed and isinstance(listed[0], list) else [listed]
    for name, array in arrays.items():
        if not name.split(".")[0] in names:
            continue
        for one in lists:
            if len(one) != array.shape[axis]:
                raise Error("%s lists %d, expected %d: one for each %s of \"%s\"."
                            % (what, len(one), array.shape[axis], "query" if axis == -2 else "key", name))


def dump_of(value: Any, tokens: Optional[Tokens] = None, decoder_tokens: Optional[Tokens] = None,
            tokenizer: Any = None, causal: Optional[bool] = None, scale: Any = None,
            positions_applied: Optional[bool] = None) -> Dump:
    """The arrays in ``value`` with their tokens; of an encoder-decoder ``tokens`` are the encoder's. Raises Error."""
    arrays = named_arrays(value)
    listed, decoder = words(tokens, tokenizer), words(decoder_tokens, tokenizer)
    if listed is None and hasattr(value, "batch_tokens"):  # what Model.run() gave
        listed, decoder = value.batch_tokens or None, decoder or value.batch_decoder_tokens or None
    metadata: Dict[str, str] = {}
    only_decoder = not any(name.startswith(("encoder_", "cross_")) for name in arrays)
    if only_decoder and decoder is not None and any(name.startswith("decoder_") for name in arrays):
        listed, decoder = decoder, None
    if listed is not None:
        plain = ("attentions", "encoder_attentions", "cross_attentions")
        _check_words(arrays, listed, -1, "tokens", plain + (("decoder_attentions",) if only_decoder else ()))
        metadata["tokens" if decoder is None else "encoder_tokens"] = json.dumps(listed)
    if decoder is not None:
        _check_words(arrays, decoder, -2, "decoder_tokens", ("decoder_attentions", "cross_attentions"))
        metadata["decoder_tokens"] = json.dumps(decoder)
    for key, answer in (("causal", causal), ("positions_applied", positions_applied)):
        if answer is not None:
            metadata[key] = "true" if answer else "false"
    if scale is not None:
        metadata["scale"] = scale if isinstance(scale, str) else repr(float(scale))
    return Dump(arrays, metadata)

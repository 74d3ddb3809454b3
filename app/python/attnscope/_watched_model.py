"""Facts about a model before it runs: whether it can be watched, and its description in the window."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Dict, Optional, Tuple

from ._program import Error


def is_compiled_now() -> bool:
    import torch
    return bool(torch.compiler.is_compiling() or torch.jit.is_tracing())


def has_compiled() -> bool:
    """Whether torch.compile has compiled anything in this process."""
    utils = sys.modules.get("torch._dynamo.utils")
    counters: Any = getattr(utils, "counters", {})
    return bool(counters.get("frames", {}).get("ok", 0))


def _is_compiled(module: Any) -> bool:
    forward = getattr(module, "forward", None)
    return (type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None
            or (getattr(forward, "_torchdynamo_orig_callable", None) is not None
                and not getattr(forward, "_torchdynamo_disable", False)))


def encoder_of(model: Any) -> Any:
    """The encoder of an encoder-decoder, which generate() calls separately, before the model."""
    import torch
    if isinstance(model, torch.nn.Transformer):
        return model.encoder
    if not getattr(getattr(model, "config", None), "is_encoder_decoder", False) or not hasattr(model, "get_encoder"):
        return None
    encoder = model.get_encoder()
    return encoder if isinstance(encoder, torch.nn.Module) and encoder is not model else None


def ids_of(module: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The token ids in the arguments of a call of a transformers model."""
    import torch
    first = args[0] if args and isinstance(args[0], torch.Tensor) and not args[0].is_floating_point() else None
    given = kwargs.get("input_ids") if kwargs.get("input_ids") is not None else first
    decoder = kwargs.get("decoder_input_ids")
    if getattr(getattr(module, "config", None), "is_encoder_decoder", False) and hasattr(module, "get_encoder"):
        found = {"ids": decoder, "memory_ids": given}
    else:
        found = {"ids": given}
    return {name: ids for name, ids in found.items() if isinstance(ids, torch.Tensor)}


def _name_or_path(config: Any) -> Optional[str]:
    """The name or path that the model was loaded from; a folder as an absolute path, for the window's process."""
    name = getattr(config, "_name_or_path", None)
    if not isinstance(name, str) or not name:
        return None
    return os.path.abspath(name) if os.path.isdir(name) else name


def facts_of(model: Any) -> Dict[str, Any]:
    """The facts about the model and the process for the window; unknown ones are left out."""
    import torch
    config: Any = getattr(model, "config", None)
    text: Any = config.get_text_config() if hasattr(config, "get_text_config") else config
    first = next(model.parameters(), None)
    facts: Dict[str, Any] = {"module": type(model).__name__, "python": sys.version.split()[0], "torch": torch.__version__}
    if first is not None:
        facts.update(dtype=str(first.dtype).replace("torch.", ""), device=str(first.device))
    for name, keys in (("layers", ("num_hidden_layers",)), ("heads", ("num_attention_heads",)),
                       ("kv_heads", ("num_key_value_heads", "num_attention_heads")), ("d_k", ("head_dim", "d_kv"))):
        for key in keys:
            value = getattr(text, key, None)
            if isinstance(value, int) and name not in facts:
                facts[name] = value
    if "d_k" not in facts and facts.get("heads") and isinstance(getattr(text, "hidden_size", None), int):
        facts["d_k"] = text.hidden_size // facts["heads"]
    if isinstance(getattr(text, "vocab_size", None), int):
        facts["vocabulary"] = text.vocab_size
    if isinstance(getattr(text, "model_type", None), str):
        facts["model_type"] = text.model_type or None
    facts["attention"] = getattr(config, "_attn_implementation", None)
    facts["name_or_path"] = _name_or_path(config)
    return {name: value for name, value in facts.items() if value is not None}


def check_watchable(model: Any) -> None:
    """Raises Error, with the name of its class, for a model that cannot be watched."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        name = type(model).__name__
        raise Error("%s %s cannot be watched: a torch.nn.Module can." % ("An" if name[0] in "AEIOUaeiou" else "A", name))
    compiled = [module for module in model.modules() if _is_compiled(module)]
    if compiled:
        inner = getattr(compiled[0], "_orig_mod", compiled[0])
        raise Error("%s was compiled with torch.compile, which leaves nothing to watch: give the model before it is compiled."
                    % type(inner).__name__)
    if isinstance(model, torch.jit.ScriptModule):
        raise Error("%s is a TorchScript module, which leaves nothing to watch: give the model that it was made from."
                    % type(model).__name__)
    if not hasattr(model, "config"):
        return
    attention = [type(module) for module in model.modules() if re.search(r"Attention\d*$", type(module).__name__)
                 and type(module).__module__.startswith("transformers.")]
    closed = [one for one in attention if not hasattr(sys.modules.get(one.__module__), "ALL_ATTENTION_FUNCTIONS")]
    if attention and len(closed) == len(attention) and getattr(model.config, "_attn_implementation", "eager") == "eager":
        raise Error("%s cannot be watched: this release of transformers computes attention inside %s, past its attention "
                    "interface; attn_implementation=\"sdpa\" or a newer transformers may help."
                    % (type(model).__name__, closed[0].__name__))

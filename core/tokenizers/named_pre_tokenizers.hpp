// core/tokenizers: the pre-tokenizers that GGUF files name instead of describing (tokenizer.ggml.pre).
#pragma once

#include <string_view>

#include "core/tokenizers/pre_tokenizer.hpp"

namespace attnscope::tokenizers {

/// Qwen2 and its relatives cut with it: each digit stands alone.
inline constexpr const char* qwen2_expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// What a name stands for.
struct NamedPreTokenizer {
  PreTokenizer steps;
  bool ignore_merges = false;  // a word that is a token stays whole
  bool adds_begin = false;     // where the file does not say whether a text begins with a token of its own
};

/// Source: llama.cpp, src/llama-vocab.cpp, and the expressions of the tokenizer.json that each was made from.
/// Throws Error when the name is not known: a wrong one gives other tokens and still plausible text.
NamedPreTokenizer named_pre_tokenizer(std::string_view name);

}  // namespace attnscope::tokenizers

// core/tokenizers: the pre-tokenizers that GGUF files name instead of describing (tokenizer.ggml.pre).
#pragma once

#include <string_view>

#include "core/tokenizers/pre_tokenizer.hpp"

namespace attnscope::tokenizers {

/// The expression of Qwen2 and its relatives: each digit is a word.
inline constexpr const char* qwen2_expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The pre-tokenizer with a given name.
struct NamedPreTokenizer {
  PreTokenizer steps;
  bool ignore_merges = false;  // a word that is in the vocabulary stays one token
  bool adds_begin = false;     // adds a begin token, if the file does not say whether to
};

/// Source: llama.cpp, src/llama-vocab.cpp, and the expressions in the original tokenizer.json files. Throws
/// Error for an unknown name: a wrong one would give other tokens and still plausible text.
NamedPreTokenizer named_pre_tokenizer(std::string_view name);

}  // namespace attnscope::tokenizers

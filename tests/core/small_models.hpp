// tests/core: models of a few thousand random numbers, written as ordinary folders, and the same numbers for
// the oracle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/models/run_model.hpp"
#include "oracle/gpt.hpp"

namespace attnscope::small_models {

inline constexpr int gpt_width = 16, gpt_heads = 4, gpt_tokens = 23, gpt_blocks = 3;

/// GPT-2: 3 blocks, 4 heads of 4.
oracle::GptWeights gpt_weights();
void write_gpt(const std::filesystem::path& folder, const oracle::GptWeights&);

/// Other families: Llama (4 heads, 2 key heads, rotary, gated), "qwen3" (norms of queries and keys), "gemma2"
/// (sandwich, soft-caps, window), "gpt_neox" (parallel, part of each head is rotated), "bloom" (ALiBi, norm
/// of the embeddings). 2 blocks, 17 tokens.
inline const std::vector<std::string> other_families{"llama", "qwen3", "gemma2", "gpt_neox", "bloom"};
inline constexpr int other_tokens = 17;
void write_other(const std::filesystem::path& folder, const std::string& family);

/// One of each: "gpt2" and the other families, written into the folder and opened.
struct Family {
  std::string name;
  ModelPtr model;
};
std::vector<Family> every_family(const std::filesystem::path& folder);

/// n tokens below `vocabulary`, some of them twice.
std::vector<std::int64_t> some_ids(int n, int vocabulary);

}  // namespace attnscope::small_models

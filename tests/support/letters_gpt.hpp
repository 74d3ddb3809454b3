// tests/support: a GPT-2 of random weights with a minimal tokenizer, as an ordinary folder: a token for each
// of a few letters, for "ab" and for the space.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Sizes of a GPT-2.
struct GptSizes {
  int blocks = 1, width = 8, vocabulary = 5, positions = 16;
  DType stored_as = DType::F32;
};

/// Its weights, drawn from a seed, as model.safetensors: half of standard normals.
inline void write_random_gpt(const std::filesystem::path& folder, const GptSizes& sizes) {
  const int width = sizes.width;
  std::vector<std::pair<std::string, Tensor>> tensors;
  const auto add = [&](const std::string& name, Shape shape) {
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      tensor.data()[i] =
          static_cast<float>(random_normal(7, stream_of(name), static_cast<std::uint64_t>(i))) / 2;
    tensors.emplace_back(name, std::move(tensor));
  };
  add("wte.weight", {sizes.vocabulary, width});
  add("wpe.weight", {sizes.positions, width});
  for (int i = 0; i < sizes.blocks; ++i) {
    for (const auto& [name, in, out] : {std::tuple{"attn.c_attn", 1, 3}, std::tuple{"attn.c_proj", 1, 1},
                                        std::tuple{"mlp.c_fc", 1, 4}, std::tuple{"mlp.c_proj", 4, 1}}) {
      add(fmt::format("h.{}.{}.weight", i, name), {in * width, out * width});
      add(fmt::format("h.{}.{}.bias", i, name), {out * width});
    }
    for (const char* name : {"ln_1", "ln_2"}) {
      add(fmt::format("h.{}.{}.weight", i, name), {width});
      add(fmt::format("h.{}.{}.bias", i, name), {width});
    }
  }
  add("ln_f.weight", {width});
  add("ln_f.bias", {width});
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : tensors) named.push_back({name, &tensor, sizes.stored_as});
  write_safetensors(folder / "model.safetensors", named);
}

inline constexpr int letters_gpt_positions = 32;

/// `width` is d_model, 4 times the heads' width.
inline void write_letters_gpt(const std::filesystem::path& folder, int blocks = 3, int width = 16,
                              DType stored_as = DType::F32) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << fmt::format(
      R"({{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": {}, "n_head": 4,
        "n_layer": {}, "n_positions": {}, "vocab_size": 8, "eos_token_id": 7}})",
      width, blocks, letters_gpt_positions);
  std::ofstream(folder / "vocab.json")
      << R"({"a": 0, "b": 1, "c": 2, "d": 3, "e": 4, "ab": 5, "Ġ": 6, "<|endoftext|>": 7})";
  std::ofstream(folder / "merges.txt") << "#version: 0.2\na b\n";
  write_random_gpt(folder, {blocks, width, 8, letters_gpt_positions, stored_as});
}

/// A GPT-2 of one block with random weights and a minimal tokenizer: a token for each of a few bytes.
inline void write_bytes_gpt(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
    "n_embd": 8, "n_head": 2, "n_layer": 1, "n_positions": 16, "vocab_size": 5, "eos_token_id": 4})";
  std::ofstream(folder / "vocab.json") << R"({"a": 0, "b": 1, "c": 2, "ab": 3, "<|endoftext|>": 4})";
  std::ofstream(folder / "merges.txt") << "#version: 0.2\na b\n";
  write_random_gpt(folder, {.blocks = 1, .width = 8, .vocabulary = 5, .positions = 16});
}

}  // namespace attnscope

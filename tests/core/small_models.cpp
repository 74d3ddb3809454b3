#include "core/small_models.hpp"

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/reading/open_model.hpp"

namespace attnscope::small_models {
namespace {

namespace fs = std::filesystem;

constexpr int inner = 24, positions = 40, d_k = 4;

float number(const std::string& name, std::int64_t i, float mean, double sigma) {
  return static_cast<float>(static_cast<double>(mean) +
                            sigma * random_normal(5, stream_of(name), static_cast<std::uint64_t>(i)));
}

struct Folder {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;

  void add(const std::string& name, Shape shape, float mean = 0, double sigma = 0.4) {
    Tensor tensor(shape);
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = number(name, i, mean, sigma);
    names.push_back(name);
    tensors.push_back(std::move(tensor));
  }
  void norm(const std::string& name, int width, bool bias, float mean = 1) {
    add(name + ".weight", {width}, mean, 0.2);
    if (bias) add(name + ".bias", {width}, 0, 0.2);
  }
  void map(const std::string& name, int out, int in, bool bias) {
    add(name + ".weight", {out, in});
    if (bias) add(name + ".bias", {out}, 0, 0.2);
  }
  void write(const fs::path& folder, const std::string& config) const {
    fs::create_directories(folder);
    std::ofstream(folder / "config.json") << config;
    std::vector<NamedTensor> named;
    for (std::size_t i = 0; i < names.size(); ++i) named.push_back({names[i], &tensors[i]});
    write_safetensors(folder / "model.safetensors", named);
  }
};

oracle::GptRow row_of(const std::string& name, int count, float mean = 0, double sigma = 0.4) {
  oracle::GptRow row;
  for (int i = 0; i < count; ++i) row.push_back(static_cast<double>(number(name, i, mean, sigma)));
  return row;
}

oracle::GptRows rows_of(const std::string& name, int rows, int columns) {
  const oracle::GptRow all = row_of(name, rows * columns);
  oracle::GptRows matrix;
  for (int i = 0; i < rows; ++i)
    matrix.emplace_back(all.begin() + i * columns, all.begin() + (i + 1) * columns);
  return matrix;
}

void write_llama(const fs::path& folder, const std::string& family) {
  Folder file;
  const bool gemma = family == "gemma2";
  const float mean = gemma ? 0.0f : 1.0f;  // Gemma's rows are multiplied by 1 + weight
  file.add("model.embed_tokens.weight", {other_tokens, gpt_width});
  file.norm("model.norm", gpt_width, false, mean);
  for (int i = 0; i < 2; ++i) {
    const auto at = [i](const char* name) { return fmt::format("model.layers.{}.{}", i, name); };
    file.norm(at("input_layernorm"), gpt_width, false, mean);
    file.norm(at("post_attention_layernorm"), gpt_width, false, mean);
    if (gemma) {
      file.norm(at("pre_feedforward_layernorm"), gpt_width, false, mean);
      file.norm(at("post_feedforward_layernorm"), gpt_width, false, mean);
    }
    file.map(at("self_attn.q_proj"), 4 * d_k, gpt_width, false);
    file.map(at("self_attn.k_proj"), 2 * d_k, gpt_width, false);
    file.map(at("self_attn.v_proj"), 2 * d_k, gpt_width, false);
    file.map(at("self_attn.o_proj"), gpt_width, 4 * d_k, false);
    if (family == "qwen3") {
      file.norm(at("self_attn.q_norm"), d_k, false);
      file.norm(at("self_attn.k_norm"), d_k, false);
    }
    file.map(at("mlp.gate_proj"), inner, gpt_width, false);
    file.map(at("mlp.up_proj"), inner, gpt_width, false);
    file.map(at("mlp.down_proj"), gpt_width, inner, false);
  }
  constexpr std::string_view own_of_gemma = R"(, "query_pre_attn_scalar": 5, "attn_logit_softcapping": 20,
      "final_logit_softcapping": 9, "sliding_window": 5)";
  file.write(folder, fmt::format(R"({{"model_type": "{}", "hidden_size": 16, "num_attention_heads": 4,
      "num_key_value_heads": 2, "head_dim": 4, "intermediate_size": {}, "num_hidden_layers": 2, "vocab_size": {},
      "tie_word_embeddings": true, "rope_theta": 100, "max_position_embeddings": 64{}}})",
                                 family, inner, other_tokens, family == "gemma2" ? own_of_gemma : ""));
}

void write_neox(const fs::path& folder) {
  Folder file;
  file.add("gpt_neox.embed_in.weight", {other_tokens, gpt_width});
  file.add("embed_out.weight", {other_tokens, gpt_width});
  file.norm("gpt_neox.final_layer_norm", gpt_width, true);
  for (int i = 0; i < 2; ++i) {
    const auto at = [i](const char* name) { return fmt::format("gpt_neox.layers.{}.{}", i, name); };
    file.norm(at("input_layernorm"), gpt_width, true);
    file.norm(at("post_attention_layernorm"), gpt_width, true);
    file.map(at("attention.query_key_value"), 3 * gpt_width, gpt_width, true);
    file.map(at("attention.dense"), gpt_width, gpt_width, true);
    file.map(at("mlp.dense_h_to_4h"), inner, gpt_width, true);
    file.map(at("mlp.dense_4h_to_h"), gpt_width, inner, true);
  }
  file.write(folder, fmt::format(R"({{"model_type": "gpt_neox", "hidden_size": 16, "num_attention_heads": 4,
      "intermediate_size": {}, "num_hidden_layers": 2, "vocab_size": {}, "rotary_pct": 0.5,
      "max_position_embeddings": 64, "use_parallel_residual": true}})",
                                 inner, other_tokens));
}

void write_bloom(const fs::path& folder) {
  Folder file;
  file.add("word_embeddings.weight", {other_tokens, gpt_width});
  file.norm("word_embeddings_layernorm", gpt_width, true);
  file.norm("ln_f", gpt_width, true);
  for (int i = 0; i < 2; ++i) {
    const auto at = [i](const char* name) { return fmt::format("h.{}.{}", i, name); };
    file.norm(at("input_layernorm"), gpt_width, true);
    file.norm(at("post_attention_layernorm"), gpt_width, true);
    file.map(at("self_attention.query_key_value"), 3 * gpt_width, gpt_width, true);
    file.map(at("self_attention.dense"), gpt_width, gpt_width, true);
    file.map(at("mlp.dense_h_to_4h"), 4 * gpt_width, gpt_width, true);
    file.map(at("mlp.dense_4h_to_h"), gpt_width, 4 * gpt_width, true);
  }
  file.write(folder, fmt::format(R"({{"model_type": "bloom", "hidden_size": 16, "n_head": 4, "n_layer": 2,
      "vocab_size": {}, "architectures": ["BloomForCausalLM"]}})",
                                 other_tokens));
}

}  // namespace

oracle::GptWeights gpt_weights() {
  oracle::GptWeights all;
  all.d = gpt_width;
  all.heads = gpt_heads;
  all.tokens = rows_of("wte.weight", gpt_tokens, gpt_width);
  all.positions = rows_of("wpe.weight", positions, gpt_width);
  all.norm = row_of("ln_f.weight", gpt_width, 1, 0.2);
  all.norm_bias = row_of("ln_f.bias", gpt_width, 0, 0.2);
  for (int i = 0; i < gpt_blocks; ++i) {
    const auto at = [i](const char* name) { return fmt::format("h.{}.{}", i, name); };
    oracle::GptBlock& block = all.blocks.emplace_back();
    block.norm1 = row_of(at("ln_1.weight"), gpt_width, 1, 0.2);
    block.bias1 = row_of(at("ln_1.bias"), gpt_width, 0, 0.2);
    block.norm2 = row_of(at("ln_2.weight"), gpt_width, 1, 0.2);
    block.bias2 = row_of(at("ln_2.bias"), gpt_width, 0, 0.2);
    block.qkv = rows_of(at("attn.c_attn.weight"), gpt_width, 3 * gpt_width);
    block.qkv_bias = row_of(at("attn.c_attn.bias"), 3 * gpt_width, 0, 0.2);
    block.out = rows_of(at("attn.c_proj.weight"), gpt_width, gpt_width);
    block.out_bias = row_of(at("attn.c_proj.bias"), gpt_width, 0, 0.2);
    block.up = rows_of(at("mlp.c_fc.weight"), gpt_width, inner);
    block.up_bias = row_of(at("mlp.c_fc.bias"), inner, 0, 0.2);
    block.down = rows_of(at("mlp.c_proj.weight"), inner, gpt_width);
    block.down_bias = row_of(at("mlp.c_proj.bias"), gpt_width, 0, 0.2);
  }
  return all;
}

void write_gpt(const fs::path& folder, const oracle::GptWeights& weights) {
  Folder file;
  const auto vector = [&](const std::string& name, const oracle::GptRow& row) {
    file.names.push_back(name);
    file.tensors.emplace_back(Shape{std::ssize(row)}, std::vector<float>(row.begin(), row.end()));
  };
  const auto matrix = [&](const std::string& name, const oracle::GptRows& rows) {
    std::vector<float> all;
    for (const oracle::GptRow& row : rows) all.insert(all.end(), row.begin(), row.end());
    file.names.push_back(name);
    file.tensors.emplace_back(Shape{std::ssize(rows), std::ssize(rows[0])}, std::move(all));
  };
  matrix("wte.weight", weights.tokens);
  matrix("wpe.weight", weights.positions);
  vector("ln_f.weight", weights.norm);
  vector("ln_f.bias", weights.norm_bias);
  for (std::size_t i = 0; i < weights.blocks.size(); ++i) {
    const oracle::GptBlock& block = weights.blocks[i];
    const auto at = [i](const char* name) { return fmt::format("h.{}.{}", i, name); };
    vector(at("ln_1.weight"), block.norm1);
    vector(at("ln_1.bias"), block.bias1);
    vector(at("ln_2.weight"), block.norm2);
    vector(at("ln_2.bias"), block.bias2);
    matrix(at("attn.c_attn.weight"), block.qkv);
    vector(at("attn.c_attn.bias"), block.qkv_bias);
    matrix(at("attn.c_proj.weight"), block.out);
    vector(at("attn.c_proj.bias"), block.out_bias);
    matrix(at("mlp.c_fc.weight"), block.up);
    vector(at("mlp.c_fc.bias"), block.up_bias);
    matrix(at("mlp.c_proj.weight"), block.down);
    vector(at("mlp.c_proj.bias"), block.down_bias);
  }
  file.write(folder, fmt::format(R"({{"model_type": "gpt2", "n_embd": {}, "n_head": {}, "n_layer": {},
      "n_inner": {}, "n_positions": {}, "vocab_size": {}, "architectures": ["GPT2LMHeadModel"]}})",
                                 gpt_width, gpt_heads, weights.blocks.size(), inner, positions,
                                 weights.tokens.size()));
}

void write_other(const fs::path& folder, const std::string& family) {
  if (family == "gpt_neox")
    write_neox(folder);
  else if (family == "bloom")
    write_bloom(folder);
  else
    write_llama(folder, family);
}

std::vector<Family> every_family(const std::filesystem::path& folder) {
  write_gpt(folder / "gpt2", gpt_weights());
  std::vector<Family> all;
  for (const std::string& family : other_families) {
    write_other(folder / family, family);
    all.push_back({family, open_model(folder / family)});
  }
  all.push_back({"gpt2", open_model(folder / "gpt2")});
  return all;
}

std::vector<std::int64_t> some_ids(int n, int vocabulary) {
  std::vector<std::int64_t> ids;
  for (int i = 0; i < n; ++i) ids.push_back(i * i * 7 % 11 * 3 % vocabulary);
  return ids;
}

}  // namespace attnscope::small_models

#include "core/training/files/export_model.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/training/files/export_tokenizer.hpp"
#include "core/training/files/recipe_json.hpp"

namespace attnscope::training {
namespace {

using nlohmann::json;

/// Where number (row, column) of a tensor of the folder stands in the network's array.
using Place = std::function<std::int64_t(std::int64_t row, std::int64_t column)>;

class FolderTensors {
 public:
  FolderTensors(const Trainer& trainer) : weights_(trainer.weights()) {}

  void add(const std::string& name, Shape shape, const Place& place) {
    Tensor& tensor = tensors_.emplace_back(shape);
    const std::int64_t columns = shape[shape.rank() - 1], rows = tensor.size() / columns;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        tensor.data()[row * columns + column] = weights_[static_cast<std::size_t>(place(row, column))];
    names_.push_back(name);
  }
  void vector(const std::string& name, std::int64_t at, std::int64_t count) {
    add(name, {count}, [=](std::int64_t, std::int64_t column) { return at + column; });
  }
  void table(const std::string& name, std::int64_t at, std::int64_t rows, std::int64_t columns) {
    add(name, {rows, columns},
        [=](std::int64_t row, std::int64_t column) { return at + row * columns + column; });
  }
  void norm(const std::string& name, const NormAt& norm, int width) {
    vector(name + ".weight", norm.weight, width);
    vector(name + ".bias", norm.bias, width);
  }
  /// [d_out][d_in], as PyTorch's linear maps have it.
  void map(const std::string& name, const MapAt& map) {
    add(name + ".weight", {map.d_out, map.d_in},
        [=](std::int64_t row, std::int64_t column) { return map.weight + column * map.d_out + row; });
    if (map.bias >= 0) vector(name + ".bias", map.bias, map.d_out);
  }
  /// [d_in][d_out], as GPT-2 has it.
  void map_as_stored(const std::string& name, const MapAt& map) {
    table(name + ".weight", map.weight, map.d_in, map.d_out);
    if (map.bias >= 0) vector(name + ".bias", map.bias, map.d_out);
  }
  /// An MLP that adds nothing, of a network without one.
  void zeros(const std::string& name, Shape shape) {
    tensors_.emplace_back(shape);
    names_.push_back(name);
  }
  void ones(const std::string& name, Shape shape) {
    std::ranges::fill(tensors_.emplace_back(shape).values(), 1.0f);
    names_.push_back(name);
  }
  void write(const std::filesystem::path& path, const std::map<std::string, std::string>& facts) const {
    std::vector<NamedTensor> named;
    for (std::size_t i = 0; i < names_.size(); ++i) named.push_back({names_[i], &tensors_[i]});
    write_safetensors(path, named, facts);
  }

 private:
  std::span<const float> weights_;
  std::deque<Tensor> tensors_;
  std::vector<std::string> names_;
};

constexpr int inner_of_none = 4;

int inner_of(const NetworkSpec& spec) { return spec.inner > 0 ? spec.inner : inner_of_none; }

/// A read-out's rows, [classes][d]: of a tied one the table as it lies.
void add_read_out(FolderTensors& tensors, const std::string& name, const NetworkSpec& spec,
                  const Layout& layout, std::size_t number) {
  const MapAt& map = layout.read_outs[number];
  if (!spec.read_outs[number].tied) return tensors.map(name, map);
  tensors.table(name + ".weight", map.weight, map.d_out, map.d_in);
  if (map.bias >= 0) tensors.vector(name + ".bias", map.bias, map.d_out);
}

/// Queries, keys and values of a head side by side: row (head, which of the three, dimension).
void add_by_head(FolderTensors& tensors, const std::string& name, const NetworkSpec& spec,
                 const MapAt& maps) {
  const std::int64_t d_k = spec.d_k(), inside = spec.inside();
  const auto column_of = [=](std::int64_t row) {
    return row / d_k % 3 * inside + row / (3 * d_k) * d_k + row % d_k;
  };
  tensors.add(name + ".weight", {maps.d_out, maps.d_in}, [=](std::int64_t row, std::int64_t column) {
    return maps.weight + column * maps.d_out + column_of(row);
  });
  tensors.add(name + ".bias", {maps.d_out},
              [=](std::int64_t, std::int64_t column) { return maps.bias + column_of(column); });
}

void add_neox(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("gpt_neox.embed_in.weight", layout.token_table, spec.vocabulary, spec.width);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const char* part) { return fmt::format("gpt_neox.layers.{}.{}", i, part); };
    tensors.norm(name("input_layernorm"), block.attention_norm, spec.width);
    add_by_head(tensors, name("attention.query_key_value"), spec, block.maps);
    tensors.map(name("attention.dense"), block.output);
    if (spec.inner > 0) {
      tensors.norm(name("post_attention_layernorm"), block.mlp_norm, spec.width);
      tensors.map(name("mlp.dense_h_to_4h"), block.up);
      tensors.map(name("mlp.dense_4h_to_h"), block.down);
      continue;
    }
    tensors.ones(name("post_attention_layernorm.weight"), {spec.width});
    tensors.zeros(name("post_attention_layernorm.bias"), {spec.width});
    tensors.zeros(name("mlp.dense_h_to_4h.weight"), {inner_of_none, spec.width});
    tensors.zeros(name("mlp.dense_h_to_4h.bias"), {inner_of_none});
    tensors.zeros(name("mlp.dense_4h_to_h.weight"), {spec.width, inner_of_none});
    tensors.zeros(name("mlp.dense_4h_to_h.bias"), {spec.width});
  }
  tensors.norm("gpt_neox.final_layer_norm", layout.final_norm, spec.width);
  add_read_out(tensors, "embed_out", spec, layout, 0);
}

void add_gpt2(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("transformer.wte.weight", layout.token_table, spec.vocabulary, spec.width);
  tensors.table("transformer.wpe.weight", layout.position_table, spec.length, spec.width);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const char* part) { return fmt::format("transformer.h.{}.{}", i, part); };
    tensors.norm(name("ln_1"), block.attention_norm, spec.width);
    tensors.map_as_stored(name("attn.c_attn"), block.maps);
    tensors.map_as_stored(name("attn.c_proj"), block.output);
    if (spec.inner > 0) {
      tensors.norm(name("ln_2"), block.mlp_norm, spec.width);
      tensors.map_as_stored(name("mlp.c_fc"), block.up);
      tensors.map_as_stored(name("mlp.c_proj"), block.down);
      continue;
    }
    tensors.ones(name("ln_2.weight"), {spec.width});
    tensors.zeros(name("ln_2.bias"), {spec.width});
    tensors.zeros(name("mlp.c_fc.weight"), {spec.width, inner_of_none});
    tensors.zeros(name("mlp.c_fc.bias"), {inner_of_none});
    tensors.zeros(name("mlp.c_proj.weight"), {inner_of_none, spec.width});
    tensors.zeros(name("mlp.c_proj.bias"), {spec.width});
  }
  tensors.norm("transformer.ln_f", layout.final_norm, spec.width);
  if (!spec.read_outs[0].tied) add_read_out(tensors, "lm_head", spec, layout, 0);
}

void add_reader(FolderTensors& tensors, const NetworkSpec& spec, const Layout& layout) {
  tensors.table("reader.tokens.weight", layout.token_table, spec.vocabulary, spec.width);
  const std::int64_t inside = spec.inside();
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const BlockLayout& block = layout.blocks[i];
    const auto name = [&](const std::string& part) { return fmt::format("reader.blocks.{}.{}", i, part); };
    tensors.norm(name("attention_norm"), block.attention_norm, spec.width);
    const char* const maps[] = {"query", "key", "value"};
    for (std::int64_t which = 0; which < 3; ++which) {
      tensors.add(name(maps[which]) + ".weight", {inside, spec.width},
                  [&](std::int64_t row, std::int64_t column) {
                    return block.maps.weight + column * block.maps.d_out + which * inside + row;
                  });
      tensors.vector(name(maps[which]) + ".bias", block.maps.bias + which * inside, inside);
    }
    tensors.map(name("output"), block.output);
    tensors.norm(name("mlp_norm"), block.mlp_norm, spec.width);
    tensors.map(name("up"), block.up);
    tensors.map(name("down"), block.down);
  }
  tensors.norm("reader.final_norm", layout.final_norm, spec.width);
  add_read_out(tensors, "masked_word", spec, layout, 0);
  add_read_out(tensors, "referent", spec, layout, 1);
}

json shared_config(const NetworkSpec& spec, const std::vector<std::string>& tokens) {
  json config{{"vocab_size", spec.vocabulary}, {"torch_dtype", "float32"}};
  const auto id = [&](const char* name) -> json {
    const auto at = std::ranges::find(tokens, name);
    return at == tokens.end() ? json(nullptr) : json(at - tokens.begin());
  };
  config["bos_token_id"] = id("<bos>");
  config["pad_token_id"] = id("<pad>");
  config["eos_token_id"] = nullptr;
  return config;
}

json neox_config(const NetworkSpec& spec, json config) {
  config.update({{"model_type", "gpt_neox"},
                 {"architectures", {"GPTNeoXForCausalLM"}},
                 {"hidden_size", spec.width},
                 {"num_hidden_layers", spec.layers},
                 {"num_attention_heads", spec.heads},
                 {"intermediate_size", inner_of(spec)},
                 {"max_position_embeddings", spec.length},
                 {"hidden_act", "gelu_new"},
                 {"layer_norm_eps", 1e-5},
                 {"rotary_pct", 1.0},
                 {"rotary_emb_base", 10000},
                 {"rope_parameters",
                  {{"rope_type", "default"}, {"rope_theta", 10000.0}, {"partial_rotary_factor", 1.0}}},
                 {"use_parallel_residual", false},
                 {"attention_bias", true},
                 {"tie_word_embeddings", false}});
  return config;
}

json gpt2_config(const NetworkSpec& spec, json config) {
  config.update({{"model_type", "gpt2"},
                 {"architectures", {"GPT2LMHeadModel"}},
                 {"n_embd", spec.width},
                 {"n_layer", spec.layers},
                 {"n_head", spec.heads},
                 {"n_inner", inner_of(spec)},
                 {"n_positions", spec.length},
                 {"activation_function", "gelu_new"},
                 {"layer_norm_epsilon", 1e-5},
                 {"scale_attn_weights", spec.scaled},
                 {"tie_word_embeddings", spec.read_outs[0].tied}});
  return config;
}

json reader_config(const NetworkSpec& spec, json config, const std::vector<std::string>& tokens) {
  json labels = json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) labels[std::to_string(i)] = tokens[i];
  config.update({{"model_type", "attnscope_reader"},
                 {"architectures", {"AttnScopeReaderForReferents"}},
                 {"hidden_size", spec.width},
                 {"num_hidden_layers", spec.layers},
                 {"num_attention_heads", spec.heads},
                 {"intermediate_size", spec.inner},
                 {"max_position_embeddings", spec.length},
                 {"hidden_act", "gelu_new"},
                 {"layer_norm_eps", 1e-5},
                 {"rope_theta", 10000},
                 {"id2label", labels}});
  return config;
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  const std::string_view piece = text;
  write_atomically(path, {&piece, 1});
}

}  // namespace

ModelShape model_shape(const NetworkSpec& spec) {
  const auto refuse = [](std::string_view what) {
    throw Error(fmt::format(
        "No family of models that is known here has {}; the weights stand in the checkpoint alone.", what));
  };
  if (spec.reads_patches()) refuse("patches without a convolution");
  if (spec.norm != NormPlace::Pre) refuse("its norms there");
  if (spec.head_norms) refuse("LayerNorms and norms of queries and keys at once");
  if (spec.inside() != spec.width) refuse("heads that are not as wide together as the stream");
  if (!spec.causal) {
    const bool both =
        spec.read_outs.size() == 2 && std::ranges::all_of(spec.read_outs, [&](const ReadOut& read_out) {
          return read_out.classes == spec.vocabulary;
        });
    if (spec.positions != Positions::Rotary || !spec.scaled || spec.inner == 0 || !both)
      refuse("this encoder's parts: a Reader has rotary positions, an MLP and two read-outs of words");
    return ModelShape::Reader;
  }
  if (spec.read_outs.size() != 1 || spec.read_outs[0].classes != spec.vocabulary || spec.read_outs[0].bias)
    refuse("these read-outs: one of all tokens without a bias is known");
  if (spec.positions == Positions::Learned) return ModelShape::Gpt2;
  if (spec.positions != Positions::Rotary || !spec.scaled)
    refuse("these positions under a causal mask: learned and rotary ones are known");
  return ModelShape::NeoX;
}

void export_model(const std::filesystem::path& folder, const Trainer& trainer) {
  const NetworkSpec& spec = trainer.recipe().network;
  const Layout& layout = trainer.network().layout;
  const ModelShape shape = model_shape(spec);
  const std::vector<std::string> tokens = trainer.maker().tokens();
  std::filesystem::create_directories(folder);
  FolderTensors tensors(trainer);
  json config = shared_config(spec, tokens);
  switch (shape) {
    case ModelShape::NeoX:
      add_neox(tensors, spec, layout);
      config = neox_config(spec, std::move(config));
      break;
    case ModelShape::Gpt2:
      add_gpt2(tensors, spec, layout);
      config = gpt2_config(spec, std::move(config));
      break;
    case ModelShape::Reader:
      add_reader(tensors, spec, layout);
      config = reader_config(spec, std::move(config), tokens);
      break;
  }
  const Recipe& recipe = trainer.recipe();
  tensors.write(folder / "model.safetensors",
                {{"format", "pt"},
                 {"attnscope.name", recipe.name.empty() ? recipe.task : recipe.name},
                 {"attnscope.seed", std::to_string(recipe.seed)},
                 {steps_fact, std::to_string(trainer.step())},
                 {recipe_fact, recipe_json(recipe)},
                 {instruction_set_fact, std::string(trainer.instruction_set())}});
  write_text(folder / "tokenizer.json", tokenizer_json(trainer.recipe().task, tokens));
  write_text(folder / "tokenizer_config.json", tokenizer_config_json(tokens));
  write_text(folder / "config.json", config.dump(2) + "\n");
}

std::string exported_fact(const std::filesystem::path& folder, const std::string& key) {
  const SafetensorsFile file(folder / "model.safetensors");
  const auto at = file.metadata().find(key);
  if (at == file.metadata().end())
    throw Error(fmt::format("\"{}\" has no \"{}\" in its header; it was not written by a training run.",
                            file.path().native(), key));
  return at->second;
}

std::string first_difference(const std::filesystem::path& one, const std::filesystem::path& other) {
  const SafetensorsFile a(one), b(other);
  if (a.tensors().size() != b.tensors().size())
    return fmt::format("{} tensors against {}.", a.tensors().size(), b.tensors().size());
  for (const TensorEntry& entry : a.tensors()) {
    const TensorEntry* const match = b.find(entry.name);
    if (match == nullptr) return fmt::format("Only one has a tensor \"{}\".", entry.name);
    if (match->shape != entry.shape || match->bytes.size() != entry.bytes.size())
      return fmt::format("\"{}\" has another shape.", entry.name);
    if (std::memcmp(match->bytes.data(), entry.bytes.data(), entry.bytes.size()) != 0)
      return fmt::format("\"{}\" differs.", entry.name);
  }
  return {};
}

}  // namespace attnscope::training

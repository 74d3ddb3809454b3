#include "core/training/files/export_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/training/files/export_tensors.hpp"
#include "core/training/files/export_tokenizer.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::training {
namespace {

using nlohmann::json;

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
  // The GPT-NeoX of transformers would rotate in every layer without a word: another model_type stops it.
  if (spec.no_rope_layer_interval > 0)
    config.update({{"model_type", "attnscope_neox"},
                   {"architectures", {"AttnScopeNeoXForCausalLM"}},
                   {"no_rope_layer_interval", spec.no_rope_layer_interval}});
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
  if (spec.no_rope_layer_interval > 0) config["no_rope_layer_interval"] = spec.no_rope_layer_interval;
  return config;
}

json vit_config(const NetworkSpec& spec, std::span<const std::string_view> classes) {
  const int side = patch_side(spec), across = static_cast<int>(std::lround(std::sqrt(spec.length - 1)));
  json labels = json::object(), ids = json::object();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    labels[std::to_string(i)] = classes[i];
    ids[std::string(classes[i])] = i;
  }
  return {{"model_type", "vit"},
          {"architectures", {"ViTForImageClassification"}},
          {"torch_dtype", "float32"},
          {"hidden_size", spec.width},
          {"num_hidden_layers", spec.layers},
          {"num_attention_heads", spec.heads},
          {"intermediate_size", spec.inner},
          {"hidden_act", "gelu_new"},
          {"layer_norm_eps", 1e-5},
          {"image_size", side * across},
          {"patch_size", side},
          {"num_channels", 3},
          {"qkv_bias", true},
          {"id2label", labels},
          {"label2id", ids}};
}

/// Bytes become numbers from 0 to 1, as the task has them.
json vit_preparation(const NetworkSpec& spec) {
  const int side = patch_side(spec) * static_cast<int>(std::lround(std::sqrt(spec.length - 1)));
  return {{"image_processor_type", "ViTImageProcessor"},
          {"do_resize", true},
          {"size", {{"height", side}, {"width", side}}},
          {"resample", 2},
          {"do_rescale", true},
          {"rescale_factor", 1.0 / 255},
          {"do_normalize", false}};
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
  if (!spec.is_pre_norm()) refuse("its norms there");
  if (spec.head_norms) refuse("LayerNorms and norms of queries and keys at once");
  if (spec.inside() != spec.width) refuse("heads that are not as wide together as the stream");
  if (spec.reads_patches()) {
    const int across = static_cast<int>(std::lround(std::sqrt(spec.length - 1)));
    if (spec.causal || spec.positions != Positions::Learned || !spec.scaled || spec.inner == 0 ||
        spec.read_outs.size() != 1 || patch_side(spec) == 0 || across * across != spec.length - 1)
      refuse("patches like these: a ViT has squares of them, learned positions, an MLP and sees all of them");
    return ModelShape::Vit;
  }
  if (!spec.causal) {
    const bool both =
        spec.read_outs.size() == 2 && std::ranges::all_of(spec.read_outs, [&](const ReadOut& read_out) {
          return read_out.classes == spec.vocabulary;
        });
    if (spec.positions != Positions::RopeHalf || !spec.scaled || spec.inner == 0 || !both)
      refuse("this encoder's parts: a Reader has rotary positions, an MLP and two read-outs of words");
    return ModelShape::Reader;
  }
  if (spec.read_outs.size() != 1 || spec.read_outs[0].classes != spec.vocabulary || spec.read_outs[0].bias)
    refuse("these read-outs: one of all tokens without a bias is known");
  if (spec.positions == Positions::Learned) return ModelShape::Gpt2;
  if (spec.positions != Positions::RopeHalf || !spec.scaled)
    refuse("these positions under a causal mask: learned and rotary ones are known");
  return ModelShape::NeoX;
}

void export_model(const std::filesystem::path& folder, const Trainer& trainer) {
  const NetworkSpec& spec = trainer.recipe().network;
  const Layout& layout = trainer.network().layout;
  const ModelShape shape = model_shape(spec);
  const std::vector<std::string> tokens = trainer.maker().tokens();
  std::filesystem::create_directories(folder);
  FolderTensors tensors(trainer.weights());
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
    case ModelShape::Vit:
      add_vit(tensors, spec, layout);
      config = vit_config(spec, find_task(trainer.recipe().task)->classes);
      write_text(folder / "preprocessor_config.json", vit_preparation(spec).dump(2) + "\n");
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
  if (shape != ModelShape::Vit) {
    write_text(folder / "tokenizer.json", tokenizer_json(trainer.recipe().task, tokens));
    write_text(folder / "tokenizer_config.json", tokenizer_config_json(tokens));
  }
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

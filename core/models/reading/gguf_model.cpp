#include "core/models/reading/gguf_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.hpp"
#include "core/models/config/family_blocks.hpp"
#include "core/models/config/gguf_keys.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/families.hpp"
#include "core/transformer/families/mixture_keys.hpp"

namespace attnscope {
namespace {

/// The metadata under the name of the architecture: "llama.block_count".
class ArchitectureKeys {
 public:
  ArchitectureKeys(const GgufFile& file, std::string architecture)
      : metadata_(file.metadata()), path_(file.path().native()), architecture_(std::move(architecture)) {}

  std::string key(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }
  bool has(std::string_view name) const { return metadata_.has(key(name)); }
  int whole(std::string_view name, std::int64_t least, std::int64_t most) const {
    return checked(name, metadata_.need(metadata_.integer(key(name)), key(name)), least, most);
  }
  int whole_or(std::string_view name, std::int64_t fallback, std::int64_t least, std::int64_t most) const {
    return checked(name, metadata_.integer(key(name)).value_or(fallback), least, most);
  }
  double number_or(std::string_view name, double fallback) const {
    const double value = metadata_.real(key(name)).value_or(fallback);
    if (!std::isfinite(value) || value <= 0)
      refuse(name, fmt::format("{}; a number above 0 was expected.", value));
    // Settings are floats.
    if (const auto stored = static_cast<float>(value); !std::isfinite(stored) || stored == 0)
      refuse(name, fmt::format("{}; a number that float32 holds was expected.", value));
    return value;
  }
  /// A number of any type.
  std::optional<double> real(std::string_view name) const { return metadata_.number(key(name)); }
  bool boolean_or(std::string_view name, bool fallback) const {
    return metadata_.boolean(key(name)).value_or(fallback);
  }
  std::string text_or(std::string_view name, std::string_view fallback) const {
    return std::string(metadata_.string(key(name)).value_or(fallback));
  }
  [[noreturn]] void refuse(std::string_view name, const std::string& found) const {
    throw Error(fmt::format("{}: {} is {}", in_quotes(path_), key(name), found));
  }

 private:
  int checked(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) const {
    if (value < least || value > most)
      refuse(name, fmt::format("{}; a whole number from {} to {} was expected.", value, least, most));
    return static_cast<int>(value);
  }

  const GgufMetadata& metadata_;
  std::string path_, architecture_;
};

/// As in llama.cpp: a factor without a type means linear scaling, under its current name or the one used in
/// 2023.
void read_scaling(const ArchitectureKeys& keys, int positions, PositionSettings& rope) {
  const double factor = keys.number_or("rope.scaling.factor", keys.number_or("rope.scale_linear", 1));
  const std::string type = keys.text_or("rope.scaling.type", factor == 1 ? "none" : "linear");
  const double magnitude =
      keys.number_or("rope.scaling.attn_factor", 1) * keys.number_or("rope.scaling.yarn_attn_factor", 1);
  if (type != "yarn" && magnitude != 1)
    keys.refuse("rope.scaling.attn_factor", fmt::format("{} without YaRN; 1 was expected.", magnitude));
  if (type == "none") return;
  if (type != "linear" && type != "yarn")
    keys.refuse("rope.scaling.type", in_quotes(type) + "; none, linear or yarn was expected.");
  rope.rope_scaling = type == "linear" ? RopeScaling::Linear : RopeScaling::Yarn;
  rope.rope_factor = static_cast<float>(factor);
  rope.rope_trained = keys.whole_or("rope.scaling.original_context_length", positions, 1, 1 << 30);
  // Negative: not set.
  const double share = keys.real("rope.scaling.yarn_ext_factor").value_or(-1), all = type == "yarn" ? 1 : 0;
  if (share >= 0 && share != all)
    keys.refuse("rope.scaling.yarn_ext_factor", fmt::format("{}; {} was expected.", share, all));
  if (type == "linear") return;
  rope.rope_fast_turns = static_cast<float>(keys.number_or("rope.scaling.yarn_beta_fast", 32));
  rope.rope_slow_turns = static_cast<float>(keys.number_or("rope.scaling.yarn_beta_slow", 1));
  // As in transformers' "mscale" and "mscale_all_dim": of the two that grow with the factor the quotient
  // counts.
  const double all_dims = keys.real("rope.scaling.yarn_log_multiplier").value_or(0);
  const auto grown = [&](double by) { return factor > 1 ? 0.1 * by * std::log(factor) + 1 : 1.0; };
  rope.rope_magnitude = static_cast<float>(magnitude * grown(1) / (all_dims > 0 ? grown(all_dims) : 1));
}

/// Makes all blocks mixtures if the header counts experts.
void read_experts(const ArchitectureKeys& keys, const Family& family, StackSpec& stack) {
  const int count = keys.whole_or("expert_count", 0, 0, most_experts);
  if (count == 0) {
    if (find_part(family.blocks(), Part::Down) == nullptr)
      keys.refuse("expert_count", "0 or missing; the number of this model's experts was expected.");
    return;
  }
  if (!family.gguf->experts)
    keys.refuse("expert_count",
                fmt::format("{}: a mixture of experts, which is not known here for this family.", count));
  ExpertSettings experts = *family.gguf->experts;
  experts.experts = count;
  experts.chosen = keys.whole("expert_used_count", 1, count);
  experts.d_inner =
      keys.whole_or("expert_feed_forward_length", stack.blocks.front().block.d_inner, 1, 1 << 20);
  experts.normalised = keys.boolean_or("expert_weights_norm", experts.normalised);
  experts.scale = keys.number_or("expert_weights_scale", 1);
  if (const int dense = keys.whole_or("leading_dense_block_count", 0, 0, 1024); dense > 0)
    keys.refuse("leading_dense_block_count", fmt::format("{}; 0 was expected for this family.", dense));
  mix_blocks(stack, experts);
}

/// Throws Error for window settings that are not read: which blocks have a window, and their own RoPE base.
void check_windows(const ArchitectureKeys& keys, const GgufRules& rules, double base) {
  constexpr std::string_view pattern = "attention.sliding_window_pattern", own = "rope.freq_base_swa";
  const int usual = rules.every_second ? 2 : rules.full_every;
  if (keys.has(pattern) && (usual == 0 || keys.real(pattern) != usual))
    keys.refuse(pattern, "there: which blocks have a window, which is not known here for this family.");
  if (rules.local_base > 0) return;
  if (const double value = keys.real(own).value_or(base);
      static_cast<float>(value) != static_cast<float>(base))
    keys.refuse(own, fmt::format("{}; {}, the base of all blocks, was expected.", value, base));
}

PositionSettings gguf_rope(const ArchitectureKeys& keys, int d_k, int positions, GgufTensors& files) {
  PositionSettings rope;
  rope.rope_base = static_cast<float>(keys.number_or("rope.freq_base", 10'000));
  const int rotated = keys.whole_or("rope.dimension_count", d_k, 2, d_k) / 2 * 2;
  if (rotated != d_k) rope.rope_dims = rotated;
  read_scaling(keys, positions, rope);
  // Llama 3's scaling, stored as a divisor of each frequency.
  if (files.has("rope_freqs.weight"))
    rope.rope_divisors = std::make_shared<const Tensor>(
        Shape{rotated / 2}, files.take_floats("rope_freqs.weight", Shape{rotated / 2}));
  return rope;
}

LayerSpec attention_of(const ArchitectureKeys& keys, const Family& family, int d_model) {
  LayerSpec one;
  one.d_model = d_model;
  one.heads = keys.whole("attention.head_count", 1, 65'536);
  one.kv_heads = keys.whole_or("attention.head_count_kv", one.heads, 1, one.heads);
  if (one.heads % one.kv_heads != 0)
    keys.refuse("attention.head_count_kv",
                fmt::format("{}, which cannot be shared by {} heads of queries.", one.kv_heads, one.heads));
  const bool own_width = keys.has("attention.key_length");
  if (!own_width && d_model % one.heads != 0)
    keys.refuse("attention.head_count",
                fmt::format("{}, which cannot share a width of {}.", one.heads, d_model));
  one.d_k = keys.whole_or("attention.key_length", d_model / one.heads, 1, 65'536);
  if (keys.whole_or("attention.value_length", one.d_k, 1, 65'536) != one.d_k)
    keys.refuse("attention.value_length", fmt::format("not the width of keys, which is {}.", one.d_k));
  const double usual = scale_of(one);
  const double scale = keys.real("attention.scale").value_or(0);
  if (family.gguf->scales != GgufScales::None && scale > 0)
    one.scaling = scaling_of(keys.number_or("attention.scale", usual), one.d_k);
  else if (scale != 0 && std::abs(scale - usual) > 1e-6)
    keys.refuse("attention.scale", fmt::format("{}; {}, 1/√d_k, was expected.", scale, usual));
  if (const int blocks = family.gguf->blocks_scaled_by_width;
      blocks > 0 && one.d_k * one.heads != d_model && keys.whole("block_count", 1, 1024) == blocks)
    one.scaling = scaling_of(1 / std::sqrt(static_cast<double>(d_model) / one.heads), one.d_k);
  return one;
}

StackSpec stack_of(const ArchitectureKeys& keys, const Family& family, const ModelSpec& spec,
                   GgufTensors& files) {
  LayerSpec one = attention_of(keys, family, spec.d_model);
  const GgufRules& rules = *family.gguf;
  const std::string_view epsilon = family.norm == NormKind::LayerNorm ? "attention.layer_norm_epsilon"
                                                                      : "attention.layer_norm_rms_epsilon";
  // The file holds 1 + w where the config's family stores w. Rows of a Llama's queries and keys are in the
  // order of pairs.
  fill_block(one, family,
             {.epsilon = static_cast<float>(keys.number_or(epsilon, family.keys.default_epsilon)),
              .activation = *activation_from(family.keys.default_activation),
              .d_inner = spec.d_inner,
              .norm = adds_one(family.norm) ? NormKind::RmsNorm : family.norm,
              .positions = rules.interleaved ? Positions::RopeInterleaved : family.positions});
  if (is_rotary(one.positions)) one.position_settings = gguf_rope(keys, one.d_k, spec.max_positions, files);
  if (rules.grows_queries) {
    const double growth = keys.real("attention.temperature_scale").value_or(0);
    if (!(growth >= 0) || growth > 1000)
      keys.refuse("attention.temperature_scale",
                  fmt::format("{}; a number from 0 to 1000 was expected.", growth));
    one.position_settings.query_growth = static_cast<float>(growth);
    one.position_settings.query_growth_length =
        keys.whole_or("rope.scaling.original_context_length", spec.max_positions, 1, 1 << 30);
  }
  if (rules.score_cap > 0)
    one.soft_cap = static_cast<float>(keys.number_or("attn_logit_softcapping", rules.score_cap));
  StackSpec stack = equal_blocks(one, keys.whole("block_count", 1, 1024));
  leave_unrotated(stack, rules.unrotated_every);
  if (const int window = keys.whole_or("attention.sliding_window", rules.window, 0, 1 << 30); window > 0) {
    for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
      if (rules.every_second ? i % 2 != 0 : rules.full_every > 0 && is_full(i, rules.full_every)) continue;
      stack.blocks[i].masking.window.left = window - 1;
      if (rules.local_base > 0)
        stack.blocks[i].position_settings = {
            .rope_base = static_cast<float>(keys.number_or("rope.freq_base_swa", rules.local_base))};
    }
    check_windows(keys, rules, static_cast<double>(one.position_settings.rope_base));
  }
  const auto has_window = [](const LayerSpec& block) { return window_of(block) > 0; };
  if (family.turns_in_windows && std::ranges::any_of(stack.blocks, has_window)) leave_full_unrotated(stack);
  read_experts(keys, family, stack);
  if (rules.scales != GgufScales::None) stack.residual_scale = keys.number_or("residual_scale", 1);
  set_causal(stack, keys.boolean_or("attention.causal", !family.decoder.empty()));
  return stack;
}

}  // namespace

GgufTensors::GgufTensors(const std::filesystem::path& path)
    : GgufTensors(std::make_shared<const GgufParts>(open_gguf_parts(path))) {}

GgufTensors::GgufTensors(std::shared_ptr<const GgufParts> parts) : parts_(std::move(parts)) {
  if (parts_->size() == 1) return;
  std::set<std::string_view> seen;
  for (const auto& part : *parts_)
    for (const GgufTensor& tensor : part->tensors())
      if (!seen.insert(tensor.name).second)
        throw Error(fmt::format("{} has tensor {}, which a part before it has too.",
                                in_quotes(part->path().native()), in_quotes(tensor.name)));
}

const GgufFile* GgufTensors::part_of(const std::string& name) const {
  const auto at =
      std::ranges::find_if(*parts_, [&](const auto& part) { return part->find(name) != nullptr; });
  return at == parts_->end() ? nullptr : at->get();
}

const GgufTensor* GgufTensors::find(const std::string& name) const {
  const GgufFile* part = part_of(name);
  return part == nullptr ? nullptr : part->find(name);
}

StoredTensor GgufTensors::take(const std::string& name, const Shape& shape) {
  const GgufFile* part = part_of(name);
  if (part == nullptr) {
    throw Error(fmt::format("The model in {} has no tensor {}; one of shape {} was expected.",
                            in_quotes(file().path().native()), in_quotes(name), to_string(shape)));
  }
  StoredTensor stored = part->stored(*part->find(name));
  if (stored.shape() != shape) {
    throw Error(fmt::format("Tensor {} in {} has shape {}; {} was expected.", in_quotes(name),
                            in_quotes(part->path().native()), to_string(stored.shape()), to_string(shape)));
  }
  taken_.insert(name);
  return stored;
}

StoredTensor GgufTensors::take_rows(const std::string& name, std::int64_t columns) {
  const GgufTensor* tensor = find(name);
  const std::int64_t rows = tensor == nullptr || tensor->shape.size() != 2 ? 1 : tensor->shape[0];
  return take(name, Shape{rows, columns});
}

std::vector<std::string> GgufTensors::ignored() const {
  std::vector<std::string> names;
  for (const auto& part : *parts_)
    for (const GgufTensor& tensor : part->tensors())
      if (!taken_.contains(tensor.name)) names.push_back(tensor.name);
  return names;
}

namespace {

/// The multipliers of the embeddings and of the logits.
void read_scales(const ArchitectureKeys& keys, const Family& family, ModelSpec& spec) {
  if (family.gguf->scales == GgufScales::None) return;
  spec.embedding_scale *= keys.number_or("embedding_scale", 1);
  const double logits = keys.number_or("logit_scale", 1);
  spec.logit_scale = family.gguf->scales == GgufScales::LogitsDivided ? 1 / logits : logits;
}

/// "llama, qwen2, …"
std::string known_architectures() {
  std::vector<std::string_view> names;
  for (const Family* family : families())
    if (family->gguf != nullptr && family != &mixtral_family) names.push_back(gguf_name_of(*family));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

ModelConfig read_gguf_config(GgufTensors& files) {
  const GgufFile& file = files.file();
  if (file.metadata().string("general.type") == "adapter")
    throw Error(
        fmt::format("{} holds an adapter (LoRA) for another model, not a model. llama.cpp's "
                    "llama-export-lora writes the two as one file.",
                    in_quotes(file.path().native())));
  const std::string_view key = "general.architecture";
  const std::string architecture(file.metadata().need(file.metadata().string(key), key));
  ModelConfig config;
  config.family = find_gguf_family(architecture);
  if (config.family == nullptr) {
    throw Error(fmt::format("{}: {} is {}; one of these was expected: {}.", in_quotes(file.path().native()),
                            key, in_quotes(architecture), known_architectures()));
  }
  const ArchitectureKeys keys(file, architecture);
  // Mixtral's files have Llama's architecture.
  if (config.family == &llama_family && keys.real("expert_count").value_or(0) > 0)
    config.family = &mixtral_family;
  const Family& family = *config.family;
  refuse_unknown_gguf_keys(file, architecture, family);
  config.gguf = true;
  config.attention_bias = files.has(gguf_path_of(family, Part::Query) + ".bias");
  config.mlp_bias = files.has(gguf_path_of(family, Part::Up) + ".bias");
  ModelSpec& spec = config.spec;
  spec.family = family.name;
  spec.architecture = architecture;
  spec.d_model = keys.whole("embedding_length", 1, 65'536);
  spec.d_inner = keys.whole_or("feed_forward_length",
                               keys.whole_or("expert_feed_forward_length", 0, 0, 262'144), 1, 262'144);
  spec.max_positions = keys.whole("context_length", 1, 1 << 30);
  const GgufTensor* table = files.find(gguf_path_of(family, Part::TokenTable) + ".weight");
  spec.vocabulary = table == nullptr || table->shape.size() != 2
                        ? 1
                        : static_cast<int>(std::clamp<std::int64_t>(table->shape[0], 1, 4'000'000));
  const bool decodes = !family.decoder.empty();
  (decodes ? spec.decoder : spec.encoder) = stack_of(keys, family, spec, files);
  if (decodes) spec.head.kind = HeadKind::NextToken;
  if (find_part(family.model, Part::TypeTable) != nullptr) {
    const GgufTensor* types = files.find(gguf_path_of(family, Part::TypeTable) + ".weight");
    spec.token_types = types == nullptr || types->shape.size() != 2
                           ? 1
                           : static_cast<int>(std::clamp<std::int64_t>(types->shape[0], 1, 4'000'000));
  }
  spec.tied = !files.has(gguf_path_of(family, Part::Logits) + ".weight");
  spec.rounds_embedding_scale = family.scaled_embeddings;
  if (family.scaled_embeddings) spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
  read_scales(keys, family, spec);
  if (const double cap = family.gguf->logit_cap; cap > 0)
    spec.logit_cap = keys.number_or("final_logit_softcapping", cap);
  // -1, also stored as an unsigned number, means none.
  const auto id_of = [&](std::string_view name) {
    const auto id = file.metadata().integer(name);
    return id && *id >= 0 && *id < spec.vocabulary ? id : std::nullopt;
  };
  spec.begin_id = id_of("tokenizer.ggml.bos_token_id");
  if (const auto id = id_of("tokenizer.ggml.eos_token_id")) spec.end_ids = {*id};
  return config;
}

}  // namespace attnscope

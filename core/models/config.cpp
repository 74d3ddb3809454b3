#include "core/models/config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/formats/json_reader.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int most_width = 65'536, most_blocks = 1024, most_vocabulary = 4'000'000, most_positions = 1 << 24;

/// The keys of a config, of which a missing one and one that is null mean the same.
class Config {
 public:
  Config(const json& value, std::string path, const std::string& where)
      : value_(value), path_(std::move(path)), where_(where) {
    if (!value.is_object()) fail("", "an object", value);
  }

  const json* find(std::string_view name) const {
    if (name.empty()) return nullptr;
    const auto at = value_.find(std::string(name));
    return at == value_.end() || at->is_null() ? nullptr : &*at;
  }
  /// Also when it is null.
  bool has(std::string_view name) const { return value_.contains(std::string(name)); }
  int whole(std::string_view name, int fallback, int least, int most) const {
    const json* found = find(name);
    if (found == nullptr) return fallback;
    const std::string expected = fmt::format("a whole number from {} to {}", least, most);
    if (!found->is_number_integer()) fail(name, expected, *found);
    const bool huge =
        found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (huge || found->get<std::int64_t>() < least || found->get<std::int64_t>() > most)
      fail(name, expected, *found);
    return found->get<int>();
  }
  /// Above 0, or at least 0.
  double number(std::string_view name, double fallback, bool positive = true) const {
    const json* found = find(name);
    if (found == nullptr) return fallback;
    const bool fits = found->is_number() && std::isfinite(found->get<double>()) &&
                      (positive ? found->get<double>() > 0 : found->get<double>() >= 0);
    if (!fits) fail(name, positive ? "a number above 0" : "a number from 0 on", *found);
    return found->get<double>();
  }
  bool boolean(std::string_view name, bool fallback) const {
    const json* found = find(name);
    if (found == nullptr) return fallback;
    if (!found->is_boolean()) fail(name, "true or false", *found);
    return found->get<bool>();
  }
  std::string text(std::string_view name, std::string_view fallback) const {
    const json* found = find(name);
    if (found == nullptr) return std::string(fallback);
    if (!found->is_string()) fail(name, "a string", *found);
    return found->get<std::string>();
  }
  Config object(std::string_view name) const { return {*find(name), key(name), where_}; }

  [[noreturn]] void fail(std::string_view name, const std::string& expected, const json& found) const {
    throw FieldError(where_, key(name),
                     fmt::format("{} is {}; {} was expected.", key(name).empty() ? "It" : key(name),
                                 shown(found), expected));
  }
  [[noreturn]] void refuse(std::string_view name, const std::string& problem) const {
    throw FieldError(where_, key(name), fmt::format("{}: {}", key(name), problem));
  }
  const std::string& where() const { return where_; }

 private:
  std::string key(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  static std::string shown(const json& value) {
    const std::string text = in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
    return text.substr(1, text.size() - 2);
  }

  const json& value_;
  std::string path_;
  const std::string& where_;
};

const FamilyRow& family_of(const Config& config) {
  const std::string type = config.text("model_type", "");
  if (type.empty()) config.refuse("model_type", "it is missing: it names the family of the model.");
  const FamilyRow* row = find_family(type);
  if (row == nullptr) {
    std::vector<std::string_view> known;
    for (const FamilyRow& one : families())
      known.insert(known.end(), one.model_types.begin(), one.model_types.end());
    config.refuse("model_type", fmt::format("{} is no family that is known here: {}.", in_quotes(type, 60),
                                            fmt::join(known, ", ")));
  }
  return *row;
}

Activation activation_of(const Config& config, std::string_view key, std::string_view fallback) {
  const std::string name = config.text(key, fallback);
  const std::optional<Activation> activation = activation_from(name);
  if (!activation)
    config.refuse(key, fmt::format("{} is no activation that is known here.", in_quotes(name, 60)));
  return *activation;
}

/// "rope_parameters" of version 5, "rope_theta" and "rope_scaling" of version 4.
RopeSettings rope_of(const Config& config, int d_k, int positions) {
  RopeSettings rope;
  const bool newer = config.find("rope_parameters") != nullptr;
  rope.base = config.number("rope_theta", config.number("rotary_emb_base", 10'000));
  double share = config.number("partial_rotary_factor", config.number("rotary_pct", 1));
  const std::string_view at = newer ? "rope_parameters" : "rope_scaling";
  if (config.find(at) != nullptr) {
    const Config scaling = config.object(at);
    rope.base = scaling.number("rope_theta", rope.base);
    share = scaling.number("partial_rotary_factor", share);
    const std::string_view type_key = scaling.find("rope_type") != nullptr ? "rope_type" : "type";
    const std::string type = scaling.text(type_key, "default");
    const std::optional<RopeScaling> kind = rope_scaling_from(type);
    if (!kind) {
      scaling.refuse(type_key,
                     fmt::format("{} is no scaling of rotary positions that is known here: default, "
                                 "linear, dynamic, yarn, llama3.",
                                 in_quotes(type, 60)));
    }
    rope.scaling = *kind;
    rope.factor = scaling.number("factor", 1);
    rope.trained_positions = scaling.whole("original_max_position_embeddings", positions, 1, most_positions);
    rope.low_frequency = scaling.number("low_freq_factor", 1);
    rope.high_frequency = scaling.number("high_freq_factor", 4);
    rope.fast = scaling.number("beta_fast", 32);
    rope.slow = scaling.number("beta_slow", 1);
    rope.truncate = scaling.boolean("truncate", true);
    if (scaling.find("attention_factor") != nullptr) rope.magnitude = scaling.number("attention_factor", 1);
    if (scaling.find("mscale") != nullptr && scaling.find("mscale_all_dim") != nullptr && !rope.magnitude) {
      const auto magnitude = [&](std::string_view key) {
        return rope.factor > 1 ? 0.1 * scaling.number(key, 1) * std::log(rope.factor) + 1 : 1.0;
      };
      rope.magnitude = magnitude("mscale") / magnitude("mscale_all_dim");
    }
    if (rope.scaling == RopeScaling::Llama3 && rope.high_frequency <= rope.low_frequency)
      scaling.refuse("high_freq_factor", "it must be above low_freq_factor.");
  }
  if (share > 1) config.refuse("partial_rotary_factor", "it must not be above 1.");
  rope.rotated = static_cast<std::int64_t>(static_cast<double>(d_k) * share) / 2 * 2;
  if (rope.rotated < 2) config.refuse("partial_rotary_factor", "it leaves no dimension of a head to turn.");
  if (rope.scaling == RopeScaling::Dynamic && rope.rotated < 4)
    config.refuse("rope_type", "dynamic scaling needs at least four dimensions that turn.");
  return rope;
}

/// The keys that a query of each block sees; 0 = all.
std::vector<std::int64_t> windows_of(const Config& config, const FamilyRow& family, std::size_t blocks) {
  std::vector<std::int64_t> windows(blocks, 0);
  const bool gemma = family.arrangement == Arrangement::Sandwich;
  const std::int64_t width = config.whole("sliding_window", gemma ? 4096 : 0, 1, most_positions);
  if (width == 0) return windows;
  if (const json* types = config.find("layer_types"); types != nullptr) {
    if (!types->is_array() || types->size() != blocks)
      config.fail("layer_types", fmt::format("a list of {} names", blocks), *types);
    for (std::size_t i = 0; i < blocks; ++i) {
      const json& type = (*types)[i];
      if (type == "sliding_attention")
        windows[i] = width;
      else if (type != "full_attention")
        config.fail("layer_types", "\"full_attention\" or \"sliding_attention\"", type);
    }
    return windows;
  }
  const std::string type = config.text("model_type", "");
  for (std::size_t i = 0; i < blocks; ++i) {
    bool slides = type == "mistral";
    if (gemma) slides = i % 2 == 0;
    if (type.starts_with("qwen")) {
      slides = config.boolean("use_sliding_window", false) &&
               static_cast<int>(i) >= config.whole("max_window_layers", 28, 0, most_blocks);
    }
    if (slides) windows[i] = width;
  }
  return windows;
}

/// Heads, their width and their scale, which are the same in every block but for the exceptions.
std::vector<AttentionSpec> attention_of(const Config& config, const FamilyRow& family, int d_model,
                                        int blocks) {
  const ConfigKeys& keys = family.keys;
  AttentionSpec one;
  one.heads = config.whole(keys.heads, keys.default_heads, 1, most_width);
  one.kv_heads = config.whole(keys.kv_heads, one.heads, 1, one.heads);
  if (one.heads % one.kv_heads != 0) {
    config.refuse(keys.kv_heads, fmt::format("{} heads of keys cannot be shared by {} heads of queries.",
                                             one.kv_heads, one.heads));
  }
  const bool own_width = config.find("head_dim") != nullptr || config.find("d_kv") != nullptr;
  if (!own_width && d_model % one.heads != 0)
    config.refuse(keys.heads, fmt::format("{} heads cannot share a width of {}.", one.heads, d_model));
  one.d_k = config.whole("d_kv", config.whole("head_dim", d_model / one.heads, 1, most_width), 1, most_width);
  one.scale = 1 / std::sqrt(static_cast<double>(one.d_k));
  if (family.positions == ModelPositions::RelativeBuckets) one.scale = 1;
  if (family.arrangement == Arrangement::Sandwich)
    one.scale = 1 / std::sqrt(config.number("query_pre_attn_scalar", 256));
  if (!config.boolean("scale_attn_weights", true)) one.scale = 1;
  std::vector<AttentionSpec> all(static_cast<std::size_t>(blocks), one);
  const std::vector<std::int64_t> windows = windows_of(config, family, all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].window = windows[i];
    if (config.boolean("scale_attn_by_inverse_layer_idx", false)) all[i].scale /= static_cast<double>(i + 1);
  }
  return all;
}

/// Gemma 2 has caps; null says that it has none, a missing key that it has the usual one.
double cap_of(const Config& config, std::string_view key, const FamilyRow& family, double usual) {
  return config.number(key, family.arrangement == Arrangement::Sandwich && !config.has(key) ? usual : 0);
}

StackSpec stack_of(const Config& config, const FamilyRow& family, const ModelSpec& spec, int blocks) {
  const ConfigKeys& keys = family.keys;
  StackSpec stack;
  stack.blocks = attention_of(config, family, spec.d_model, blocks);
  stack.arrangement = family.arrangement;
  if (stack.arrangement == Arrangement::Parallel && !config.boolean("use_parallel_residual", true))
    stack.arrangement = Arrangement::PreNorm;
  stack.norm = {family.norm, config.number(keys.epsilon, keys.default_epsilon),
                family.arrangement == Arrangement::Sandwich};
  stack.positions = family.positions;
  if (stack.positions == ModelPositions::Rotary)
    stack.rope = rope_of(config, stack.blocks[0].d_k, std::max(1, spec.max_positions));
  stack.soft_cap = cap_of(config, "attn_logit_softcapping", family, 50);
  stack.residual_after_norm = config.boolean("apply_residual_connection_post_layernorm", false);
  stack.activation = activation_of(config, keys.activation, keys.default_activation);
  return stack;
}

/// T5: what its config says in a way of its own.
void read_t5(const Config& config, const FamilyRow& family, ModelSpec& spec) {
  const int blocks = config.whole("num_layers", 6, 1, most_blocks);
  StackSpec encoder = stack_of(config, family, spec, blocks);
  std::string activation = config.text("feed_forward_proj", "relu");
  if (activation.starts_with("gated-")) {
    encoder.gated = true;
    activation.erase(0, 6);
    if (activation == "gelu") activation = "gelu_new";
  }
  const std::optional<Activation> known = activation_from(activation);
  if (!known)
    config.refuse("feed_forward_proj",
                  fmt::format("{} is no activation that is known here.", in_quotes(activation, 60)));
  encoder.activation = *known;
  encoder.buckets = config.whole("relative_attention_num_buckets", 32, 4, 4096);
  encoder.bucket_distance =
      config.whole("relative_attention_max_distance", 128, encoder.buckets / 4 + 1, most_positions);
  StackSpec decoder = encoder;
  decoder.blocks.resize(static_cast<std::size_t>(config.whole("num_decoder_layers", blocks, 1, most_blocks)),
                        encoder.blocks[0]);
  decoder.causal = decoder.cross = true;
  spec.encoder = encoder;
  spec.decoder = decoder;
  const bool tied = config.boolean("tie_word_embeddings", true);
  if (config.boolean("scale_decoder_outputs", tied))
    spec.logit_scale = 1 / std::sqrt(static_cast<double>(spec.d_model));
  spec.decoder_start = config.whole("decoder_start_token_id", 0, 0, most_vocabulary);
}

ImageSpec image_of(const Config& config) {
  ImageSpec image;
  image.channels = config.whole("num_channels", 3, 1, 1024);
  image.patch = config.whole("patch_size", 16, 1, 4096);
  image.height = image.width = config.whole("image_size", 224, image.patch, 65'536);
  return image;
}

std::vector<std::int64_t> ids_of(const Config& config, std::string_view name) {
  const json* found = config.find(name);
  std::vector<std::int64_t> ids;
  if (found == nullptr) return ids;
  const auto add = [&](const json& id) {
    if (!id.is_number_integer()) config.fail(name, "a token's number or a list of such", id);
    ids.push_back(id.get<std::int64_t>());
  };
  if (found->is_array())
    for (const json& id : *found) add(id);
  else
    add(*found);
  return ids;
}

/// What only one or two families have.
void read_special(const Config& config, const FamilyRow& family, ModelSpec& spec) {
  StackSpec& stack = spec.decoder ? *spec.decoder : *spec.encoder;
  if (family.arrangement == Arrangement::Sandwich) {
    spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
    spec.logit_cap = cap_of(config, "final_logit_softcapping", family, 30);
  }
  if (family.name == "Llama" || family.name.starts_with("Qwen") || family.name == "Gemma 2")
    stack.gated = true;
  stack.head_norms = find_part(family.decoder, Part::QueryNorm) != nullptr;
  if (find_part(family.model, Part::TypeTable) != nullptr)
    spec.token_types = config.whole("type_vocab_size", 2, 1, most_vocabulary);
  if (family.name == "RoBERTa") {
    spec.padding_id = config.whole("pad_token_id", 1, 0, most_vocabulary);
    spec.first_position = *spec.padding_id + 1;
  }
  if (find_part(family.model, Part::Patches) != nullptr) {
    spec.image = image_of(config);
    spec.final_norm_in_hidden = false;
  }
  spec.pooler = find_part(family.model, Part::Pooler) != nullptr;
}

/// "id2label": names of classes by their numbers.
std::vector<std::string> classes_of(const Config& config) {
  constexpr std::string_view name = "id2label";
  const json* found = config.find(name);
  if (found == nullptr) return {};
  if (!found->is_object()) config.fail(name, "an object", *found);
  std::vector<std::string> classes(found->size());
  for (const auto& [key, label] : found->items()) {
    std::size_t number = classes.size();
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= classes.size())
      config.refuse(name, fmt::format("{} is not the number of one of {} classes.", in_quotes(key, 40),
                                      classes.size()));
    if (!label.is_string()) config.fail(name, "an object of names", label);
    classes[number] = label.get<std::string>();
  }
  return classes;
}

/// What the name of the architecture says that the model ends in.
void read_head(const Config& config, ModelConfig& result) {
  ModelSpec& spec = result.spec;
  result.head = find_head(*result.family, spec.architecture);
  if (result.head == nullptr) {
    if (spec.decoder) spec.head.kind = HeadKind::NextToken;
    return;
  }
  const HeadRow& row = *result.head;
  const ConfigKeys& keys = result.family->keys;
  spec.head.kind = row.kind;
  spec.head.input = row.input;
  spec.head.names_referents = row.names_referents;
  spec.head.activation =
      row.activation.value_or(activation_of(config, keys.activation, keys.default_activation));
  if (row.kind == HeadKind::TokenClass || row.kind == HeadKind::SequenceClass)
    spec.head.classes = classes_of(config);
  if (row.input == HeadInput::LastToken)
    if (const std::vector<std::int64_t> padding = ids_of(config, "pad_token_id"); !padding.empty())
      spec.head.padding_id = padding[0];
}

bool default_tie(const FamilyRow& family) {
  return family.name != "Llama" && family.name != "Qwen2" && family.name != "Qwen3" &&
         family.name != "GPT-NeoX";
}

}  // namespace

ModelConfig read_config(std::string_view text, const std::string& where) {
  const json value = parse_strict_json(text, where);
  const Config config(value, "", where);
  ModelConfig result;
  const FamilyRow& family = family_of(config);
  result.family = &family;
  result.input_output = family.input_output;
  const ConfigKeys& keys = family.keys;
  ModelSpec& spec = result.spec;
  spec.family = family.name;
  if (const json* names = config.find("architectures");
      names != nullptr && names->is_array() && !names->empty() && (*names)[0].is_string())
    spec.architecture = (*names)[0].get<std::string>();
  spec.d_model = config.whole(keys.width, keys.default_width, 1, most_width);
  const int inner = keys.default_inner == 0 ? 4 * spec.d_model : keys.default_inner;
  spec.d_inner = config.whole(keys.inner, inner, 1, most_width * 4);
  spec.max_positions = config.whole(keys.positions, keys.default_positions, 1, most_positions);
  spec.vocabulary = config.whole("vocab_size", family.model.empty() ? 0 : 50'257, 1, most_vocabulary);
  const int blocks = config.whole(keys.layers, keys.default_layers, 1, most_blocks);
  if (!family.encoder.empty() && !family.decoder.empty())
    read_t5(config, family, spec);
  else if (!family.encoder.empty())
    spec.encoder = stack_of(config, family, spec, blocks);
  else
    spec.decoder = stack_of(config, family, spec, blocks);
  if (spec.decoder) spec.decoder->causal = true;
  read_special(config, family, spec);
  read_head(config, result);
  spec.tied = config.boolean("tie_word_embeddings", default_tie(family));
  result.attention_bias = config.boolean(
      "attention_bias", config.boolean("qkv_bias", family.name == "GPT-NeoX" || family.name == "ViT"));
  result.mlp_bias = config.boolean("mlp_bias", false);
  spec.end_ids = ids_of(config, "eos_token_id");
  if (const std::vector<std::int64_t> begin = ids_of(config, "bos_token_id"); !begin.empty())
    spec.begin_id = begin[0];
  return result;
}

}  // namespace attnscope

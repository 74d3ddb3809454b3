#include "core/models/config/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/models/config/config_object.hpp"
#include "core/models/config/config_refused.hpp"
#include "core/models/config/config_rope.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr int most_width = 65'536, most_blocks = 1024, most_vocabulary = 4'000'000, most_positions = 1 << 24;

const FamilyRow& family_of(const ConfigObject& config) {
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

Activation activation_of(const ConfigObject& config, std::string_view key, std::string_view fallback) {
  const std::string name = config.text(key, fallback);
  const std::optional<Activation> activation = activation_from(name);
  if (!activation)
    config.refuse(key, fmt::format("{} is no activation that is known here.", in_quotes(name, 60)));
  return *activation;
}

/// The width of windows; 0 = none, or not in this family.
std::int64_t window_width(const ConfigObject& config, const FamilyRow& family) {
  constexpr std::string_view name = "sliding_window";
  const bool qwen = family.name.starts_with("Qwen");
  if (!qwen && family.name != "Gemma 2" && family.name != "Mistral") return 0;
  if (qwen && !config.boolean("use_sliding_window", false)) return 0;
  return config.has(name) && config.find(name) == nullptr ? 0 : config.whole(name, 4096, 1, most_positions);
}

/// The number of keys that a query of each block sees; 0 = all.
std::vector<std::int64_t> windows_of(const ConfigObject& config, const FamilyRow& family,
                                     std::size_t blocks) {
  std::vector<std::int64_t> windows(blocks, 0);
  const std::int64_t width = window_width(config, family);
  const bool mistral = family.name == "Mistral", gemma = family.name == "Gemma 2";
  const json* types = mistral ? nullptr : config.find("layer_types");
  if (types != nullptr && (gemma || family.name.starts_with("Qwen"))) {
    if (!types->is_array() || types->size() != blocks)
      config.fail("layer_types", fmt::format("a list of {} names", blocks), *types);
    for (std::size_t i = 0; i < blocks; ++i) {
      const json& type = (*types)[i];
      if (type == "sliding_attention" && width > 0)
        windows[i] = width;
      else if (type == "sliding_attention")
        config.refuse("layer_types",
                      "it asks for windows, and sliding_window or use_sliding_window turns them off.");
      else if (type != "full_attention")
        config.fail("layer_types", "\"full_attention\" or \"sliding_attention\"", type);
    }
    return windows;
  }
  if (width == 0) return windows;
  const int first = gemma || mistral ? 0 : config.whole("max_window_layers", 28, 0, most_blocks);
  for (std::size_t i = 0; i < blocks; ++i)
    if (gemma ? i % 2 == 0 : static_cast<int>(i) >= first) windows[i] = width;
  return windows;
}

/// Heads, their width and their scale: equal in every block except for the family's exceptions.
std::vector<AttentionSpec> attention_of(const ConfigObject& config, const FamilyRow& family, int d_model,
                                        int blocks) {
  const ConfigKeys& keys = family.keys;
  AttentionSpec one;
  one.heads = config.whole(keys.heads, keys.default_heads, 1, most_width);
  const bool own_keys = config.has(keys.kv_heads) || keys.default_kv_heads == 0;
  one.kv_heads = config.whole(keys.kv_heads, own_keys ? one.heads : keys.default_kv_heads, 1, most_width);
  if (one.kv_heads > one.heads || one.heads % one.kv_heads != 0) {
    config.refuse(keys.kv_heads, fmt::format("{} heads of keys cannot be shared by {} heads of queries.",
                                             one.kv_heads, one.heads));
  }
  const bool shares = config.find(keys.head_width) == nullptr &&
                      (keys.default_head_width == 0 || config.has(keys.head_width));
  if (shares && d_model % one.heads != 0)
    config.refuse(keys.heads, fmt::format("{} heads cannot share a width of {}.", one.heads, d_model));
  one.d_k =
      config.whole(keys.head_width, shares ? d_model / one.heads : keys.default_head_width, 1, most_width);
  one.scale = 1 / std::sqrt(static_cast<double>(one.d_k));
  if (family.positions == Positions::RelativeBuckets) one.scale = 1;
  if (family.arrangement == Arrangement::Sandwich)
    one.scale = 1 / std::sqrt(config.number("query_pre_attn_scalar", 256));
  const bool gpt2 = family.name == "GPT-2";
  if (gpt2 && !config.boolean("scale_attn_weights", true)) one.scale = 1;
  std::vector<AttentionSpec> all(static_cast<std::size_t>(blocks), one);
  const std::vector<std::int64_t> windows = windows_of(config, family, all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].window = windows[i];
    if (gpt2 && config.boolean("scale_attn_by_inverse_layer_idx", false))
      all[i].scale /= static_cast<double>(i + 1);
  }
  return all;
}

/// The soft cap of Gemma 2: JSON null means no cap, a missing key the usual one.
double cap_of(const ConfigObject& config, std::string_view key, const FamilyRow& family, double usual) {
  if (family.arrangement != Arrangement::Sandwich) return 0;
  return config.number(key, config.has(key) ? 0 : usual);
}

StackSpec stack_of(const ConfigObject& config, const FamilyRow& family, const ModelSpec& spec, int blocks) {
  const ConfigKeys& keys = family.keys;
  StackSpec stack;
  stack.blocks = attention_of(config, family, spec.d_model, blocks);
  stack.arrangement = family.arrangement;
  if (stack.arrangement == Arrangement::Parallel && !config.boolean("use_parallel_residual", true))
    stack.arrangement = Arrangement::PreNorm;
  stack.norm = {family.norm, config.number(keys.epsilon, keys.default_epsilon)};
  stack.positions = family.positions;
  if (is_rotary(stack.positions))
    stack.rope = rope_of(config, family, stack.blocks[0].d_k, std::max(1, spec.max_positions));
  stack.soft_cap = cap_of(config, "attn_logit_softcapping", family, 50);
  stack.residual_after_norm =
      family.name == "BLOOM" && config.boolean("apply_residual_connection_post_layernorm", false);
  stack.activation = activation_of(config, keys.activation, keys.default_activation);
  return stack;
}

/// Reads the settings of T5 whose keys have a form of their own.
void read_t5(const ConfigObject& config, const FamilyRow& family, ModelSpec& spec) {
  const int blocks = config.whole("num_layers", 6, 1, most_blocks);
  StackSpec encoder = stack_of(config, family, spec, blocks);
  std::string activation = config.text("feed_forward_proj", "relu");
  if (activation.starts_with("gated-")) {
    encoder.gated = true;
    activation.erase(0, 6);
    if (activation == "gelu") activation = "gelu_new";
  }
  // transformers derives is_gated_act and saves it; if present it counts.
  encoder.gated = config.boolean("is_gated_act", encoder.gated);
  const std::string_view said = config.find("dense_act_fn") != nullptr ? "dense_act_fn" : "feed_forward_proj";
  if (said == "dense_act_fn") activation = config.text(said, activation);
  const std::optional<Activation> known = activation_from(activation);
  if (!known)
    config.refuse(said, fmt::format("{} is no activation that is known here.", in_quotes(activation, 60)));
  encoder.activation = *known;
  encoder.buckets = config.whole("relative_attention_num_buckets", 32, 4, 4096);
  encoder.bucket_distance =
      config.whole("relative_attention_max_distance", 128, encoder.buckets / 4 + 1, most_positions);
  StackSpec decoder = encoder;
  decoder.blocks.resize(static_cast<std::size_t>(config.whole("num_decoder_layers", blocks, 1, most_blocks)),
                        encoder.blocks[0]);
  decoder.causal = decoder.cross = true;
  spec.encoder = encoder;
  if (spec.architecture.ends_with("EncoderModel")) return;  // the encoder alone
  spec.decoder = decoder;
  const bool tied = config.boolean("tie_word_embeddings", true);
  if (config.boolean("scale_decoder_outputs", tied))
    spec.logit_scale = 1 / std::sqrt(static_cast<double>(spec.d_model));
  spec.decoder_start = config.whole("decoder_start_token_id", 0, 0, most_vocabulary);
}

/// One number for both, or height and width.
std::pair<int, int> size_of(const ConfigObject& config, std::string_view name, int fallback, int least,
                            int most) {
  const json* found = config.find(name);
  if (found == nullptr || !found->is_array()) {
    const int size = config.whole(name, fallback, least, most);
    return {size, size};
  }
  const auto side = [&](std::size_t i) {
    const bool fits =
        found->size() == 2 && (*found)[i].is_number_integer() && (*found)[i] >= least && (*found)[i] <= most;
    if (!fits) config.fail(name, fmt::format("one or two whole numbers from {} to {}", least, most), *found);
    return (*found)[i].get<int>();
  };
  return {side(0), side(1)};
}

ImageSpec image_of(const ConfigObject& config) {
  ImageSpec image;
  image.channels = config.whole("num_channels", 3, 1, 1024);
  const auto [height, width] = size_of(config, "patch_size", 16, 1, 4096);
  if (height != width)
    config.refuse("patch_size", "its height and width differ; square patches were expected.");
  image.patch = height;
  std::tie(image.height, image.width) = size_of(config, "image_size", 224, image.patch, 65'536);
  return image;
}

std::vector<std::int64_t> ids_of(const ConfigObject& config, std::string_view name) {
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

/// Settings of only one or two families.
void read_special(const ConfigObject& config, const FamilyRow& family, ModelSpec& spec) {
  StackSpec& stack = spec.decoder ? *spec.decoder : *spec.encoder;
  if (family.arrangement == Arrangement::Sandwich) {
    spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
    spec.logit_cap = cap_of(config, "final_logit_softcapping", family, 30);
  }
  if (find_part(family.decoder, Part::Gate) != nullptr && family.encoder.empty()) stack.gated = true;
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

/// Whether the name of a decoder's architecture says that it ends in something other than next-token logits.
bool ends_otherwise(std::string_view architecture) {
  constexpr auto next_token = std::to_array<std::string_view>(
      {"ForCausalLM", "LMHeadModel", "DoubleHeadsModel", "ForConditionalGeneration"});
  return architecture.find("For") != architecture.npos &&
         std::ranges::none_of(next_token, [&](std::string_view end) { return architecture.ends_with(end); });
}

/// Reads the model's head from the name of the architecture.
void read_head(const ConfigObject& config, ModelConfig& result) {
  ModelSpec& spec = result.spec;
  result.head = find_head(*result.family, spec.architecture);
  if (result.head == nullptr) {
    if (spec.decoder && ends_otherwise(spec.architecture))
      config.refuse("architectures",
                    fmt::format("{} ends in something that is not known here for the family {}.",
                                in_quotes(spec.architecture, 80), result.family->name));
    if (spec.decoder && find_part(result.family->model, Part::Logits) != nullptr)
      spec.head.kind = HeadKind::NextToken;
    return;
  }
  const HeadRow& row = *result.head;
  const ConfigKeys& keys = result.family->keys;
  // Without a causal mask every row sees the next token.
  spec.head.kind = row.kind == HeadKind::NextToken && !spec.decoder ? HeadKind::MaskedToken : row.kind;
  spec.head.input = row.input;
  spec.head.names_referents = row.names_referents;
  spec.head.activation =
      row.activation.value_or(activation_of(config, keys.activation, keys.default_activation));
  if (row.kind == HeadKind::TokenClass || row.kind == HeadKind::SequenceClass)
    spec.head.classes = classes_of(row, config);
  if (row.input == HeadInput::LastToken)
    if (const std::vector<std::int64_t> padding = ids_of(config, "pad_token_id"); !padding.empty())
      spec.head.padding_id = padding[0];
}

bool default_tie(const FamilyRow& family) {
  return family.name != "Llama" && family.name != "Mistral" && family.name != "Qwen2" &&
         family.name != "Qwen3" && family.name != "GPT-NeoX";
}

/// Vision-language models whose decoder is a known family.
constexpr auto around_text =
    std::to_array<std::string_view>({"mistral3", "llava", "llava_next", "llava_next_video", "llava_onevision",
                                     "vipllava", "idefics3", "smolvlm"});

/// The decoder's settings, "text_config", of such a model; null for others.
const json* text_config_of(const ConfigObject& config) {
  constexpr std::string_view name = "text_config";
  const json* found = config.find(name);
  const std::string type = config.text("model_type", "");
  if (found == nullptr || find_family(type) != nullptr) return nullptr;
  const std::string text = config.object(name).text("model_type", "");
  const FamilyRow* family = find_family(text);
  const bool is_known = std::ranges::find(around_text, type) != around_text.end();
  if (!is_known || family == nullptr || family->decoder.empty() || !family->encoder.empty())
    config.refuse(name,
                  fmt::format("the settings of a decoder ({}) within a model of the type {}, which is no "
                              "family that is known here.",
                              text.empty() ? "of no named type" : in_quotes(text, 60), in_quotes(type, 60)));
  return found;
}

/// An encoder with is_decoder is a decoder stack with the encoder's parts.
void read_stacks(const ConfigObject& config, const FamilyRow& family, ModelSpec& spec) {
  const ConfigKeys& keys = family.keys;
  if (!family.encoder.empty() && !family.decoder.empty()) {
    read_t5(config, family, spec);
    return;
  }
  const bool decodes = family.encoder.empty() || ((family.name == "BERT" || family.name == "RoBERTa") &&
                                                  config.boolean("is_decoder", false));
  (decodes ? spec.decoder : spec.encoder) =
      stack_of(config, family, spec, config.whole(keys.layers, keys.default_layers, 1, most_blocks));
  if (decodes) spec.decoder->causal = config.boolean("is_causal", true);
  if (!decodes || spec.decoder->causal) return;
  if (family.positions == Positions::Alibi)
    config.refuse("is_causal", "false is not known here for a model with ALiBi.");
  // Without a causal mask, the window's width counts the keys on each side, without the query's own.
  for (AttentionSpec& block : spec.decoder->blocks)
    if (block.window > 0) ++block.window;
}

ModelConfig read_object(const ConfigObject& config, const FamilyRow& family, std::string architecture) {
  ModelConfig result;
  result.family = &family;
  result.input_output = family.input_output;
  const ConfigKeys& keys = family.keys;
  ModelSpec& spec = result.spec;
  spec.family = family.name;
  spec.architecture = std::move(architecture);
  spec.d_model = config.whole(keys.width, keys.default_width, 1, most_width);
  const int inner = keys.default_inner == 0 ? 4 * spec.d_model : keys.default_inner;
  spec.d_inner = config.whole(keys.inner, inner, 1, most_width * 4);
  spec.max_positions = config.whole(keys.positions, keys.default_positions, 1, most_positions);
  spec.vocabulary =
      config.whole("vocab_size", family.model.empty() ? 0 : keys.default_vocabulary, 1, most_vocabulary);
  read_stacks(config, family, spec);
  read_special(config, family, spec);
  read_head(config, result);
  spec.tied = config.boolean("tie_word_embeddings", default_tie(family));
  result.attention_bias = config.boolean(
      "attention_bias", config.boolean("qkv_bias", family.name == "GPT-NeoX" || family.name == "ViT"));
  result.mlp_bias = config.boolean("mlp_bias", false);
  spec.end_ids = ids_of(config, "eos_token_id");
  if (const std::vector<std::int64_t> begin = ids_of(config, "bos_token_id"); !begin.empty())
    spec.begin_id = begin[0];
  refuse_unread(config, family, spec);
  return result;
}

}  // namespace

ModelConfig read_config(std::string_view text, const std::string& where) {
  const json value = parse_python_json(text, where);
  const ConfigObject root(value, "", where);
  std::string architecture;
  if (const json* names = root.find("architectures");
      names != nullptr && names->is_array() && !names->empty() && (*names)[0].is_string())
    architecture = (*names)[0].get<std::string>();
  refuse_quantised(root);
  const json* inner = text_config_of(root);
  if (inner == nullptr) {
    const FamilyRow& family = family_of(root);
    return read_object(ConfigObject(value, "", where, family.aliases), family, std::move(architecture));
  }
  const FamilyRow& family = family_of(root.object("text_config"));
  const ConfigObject config(*inner, "text_config", where, family.aliases);
  ModelConfig result = read_object(config, family, std::move(architecture));
  result.within = true;
  result.spec.tied = root.boolean("tie_word_embeddings", true);
  return result;
}

}  // namespace attnscope

#include "core/models/config/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/models/config/config_refused.hpp"
#include "core/models/config/config_rope.hpp"
#include "core/models/config/family_blocks.hpp"
#include "core/models/quantised/quantised_config.hpp"
#include "core/text/utf8.hpp"
#include "core/transformer/families/config_object.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

const Family& family_of(const ConfigObject& config) {
  const std::string type = config.text("model_type", "");
  if (type.empty()) config.refuse("model_type", "it is missing: it names the family of the model.");
  const Family* row = find_family(type);
  if (row == nullptr) {
    config.refuse("model_type",
                  fmt::format("{} is no family that is known here; {} are, such as bert, gemma3_text, gpt2, "
                              "gpt_oss, llama, mistral, phi3, qwen3, t5 and vit.",
                              in_quotes(type, 60), families().size()));
  }
  return *row;
}

Activation activation_of(const ConfigObject& config, const Family& family) {
  const ConfigKeys& keys = family.keys;
  return activation_named(config, keys.activation, config.text(keys.activation, keys.default_activation));
}

/// Heads, their width and their scale: equal in every block.
LayerSpec attention_of(const ConfigObject& config, const Family& family, int d_model) {
  const ConfigKeys& keys = family.keys;
  LayerSpec one;
  one.d_model = d_model;
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
  return one;
}

StackSpec stack_of(const ConfigObject& config, const Family& family, const ModelSpec& spec, int blocks) {
  const ConfigKeys& keys = family.keys;
  LayerSpec one = attention_of(config, family, spec.d_model);
  fill_block(one, family,
             {.epsilon = static_cast<float>(config.number(keys.epsilon, keys.default_epsilon)),
              .activation = activation_of(config, family),
              .d_inner = spec.d_inner,
              .norm = family.norm,
              .positions = family.positions});
  if (is_rotary(one.positions))
    one.position_settings = rope_of(config, family, one.d_k, std::max(1, spec.max_positions));
  StackSpec stack = equal_blocks(one, blocks);
  if (family.windows != nullptr) {
    const std::vector<std::int64_t> windows = family.windows(config, stack.blocks.size());
    for (std::size_t i = 0; i < windows.size(); ++i)
      stack.blocks[i].masking.window.left = static_cast<int>(windows[i]) - 1;
  }
  // With "sliding_window" null EXAONE 4 rotates all.
  const bool windowless = config.has("sliding_window") && config.find("sliding_window") == nullptr;
  if (family.turns_in_windows && !windowless) leave_full_unrotated(stack);
  if (family.rope.by_type) {
    const PositionSettings local = local_rope_of(config, family, one.d_k, std::max(1, spec.max_positions));
    for (LayerSpec& layer : stack.blocks)
      if (window_of(layer) > 0) layer.position_settings = local;
  }
  if (family.read_stack != nullptr) family.read_stack(config, stack);
  return stack;
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

/// Settings that follow from the parts that the family has.
void read_parts(const ConfigObject& config, const Family& family, ModelSpec& spec) {
  spec.rounds_embedding_scale = family.scaled_embeddings;
  if (family.scaled_embeddings) spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
  if (find_part(family.model, Part::TypeTable) != nullptr)
    spec.token_types = config.whole("type_vocab_size", 2, 1, most_vocabulary);
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
  // Without a causal mask every row sees the next token.
  spec.head.kind = row.kind == HeadKind::NextToken && !spec.decoder ? HeadKind::MaskedToken : row.kind;
  spec.head.input = row.input;
  spec.head.names_referents = row.names_referents;
  spec.head.activation = row.activation.value_or(activation_of(config, *result.family));
  if (row.kind == HeadKind::TokenClass || row.kind == HeadKind::SequenceClass)
    spec.head.classes = classes_of(row, config);
  if (row.input == HeadInput::LastToken)
    if (const std::vector<std::int64_t> padding = ids_of(config, "pad_token_id"); !padding.empty())
      spec.head.padding_id = padding[0];
}

/// Vision-language models whose decoder is a known family.
constexpr auto around_text = std::to_array<std::string_view>(
    {"mistral3", "gemma3", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "llava", "llava_next",
     "llava_next_video", "llava_onevision", "vipllava", "idefics3", "smolvlm"});

/// The decoder's settings, "text_config", of such a model; null for others.
const json* text_config_of(const ConfigObject& config) {
  constexpr std::string_view name = "text_config";
  const json* found = config.find(name);
  const std::string type = config.text("model_type", "");
  const bool is_around = std::ranges::find(around_text, type) != around_text.end();
  if (found == nullptr || (find_family(type) != nullptr && !is_around)) return nullptr;
  const std::string text = config.object(name).text("model_type", "");
  const Family* family = find_family(text);
  if (!is_around || family == nullptr || family->decoder.empty() || !family->encoder.empty())
    config.refuse(name,
                  fmt::format("the settings of a decoder ({}) within a model of the type {}, which is no "
                              "family that is known here.",
                              text.empty() ? "of no named type" : in_quotes(text, 60), in_quotes(type, 60)));
  return found;
}

/// An encoder with is_decoder is a decoder stack with the encoder's parts.
void read_stacks(const ConfigObject& config, const Family& family, ModelSpec& spec) {
  const ConfigKeys& keys = family.keys;
  const bool decodes = family.encoder.empty() || (family.may_decode && config.boolean("is_decoder", false));
  const bool causal =
      decodes && config.boolean("is_causal", true) && !config.boolean("use_bidirectional_attention", false);
  StackSpec stack =
      stack_of(config, family, spec, config.whole(keys.layers, keys.default_layers, 1, most_blocks));
  if (decodes && !causal && family.positions == Positions::Alibi)
    config.refuse("is_causal", "false is not known here for a model with ALiBi.");
  // Without a causal mask, the window's width counts the keys on each side, without the query's own.
  for (LayerSpec& block : stack.blocks)
    if (!causal && block.masking.window.left >= 0) ++block.masking.window.left;
  set_causal(stack, causal);
  (decodes ? spec.decoder : spec.encoder) = std::move(stack);
}

ModelConfig read_object(const ConfigObject& config, const Family& family, std::string architecture) {
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
  if (family.read_model != nullptr) family.read_model(config, spec);
  read_parts(config, family, spec);
  read_head(config, result);
  spec.tied = config.boolean("tie_word_embeddings", family.tied);
  result.attention_bias =
      config.boolean(family.attention_bias_key, config.boolean("qkv_bias", family.attention_bias));
  result.mlp_bias = config.boolean(family.mlp_bias_key, family.mlp_bias);
  if (!family.groups_key.empty()) result.groups = config.whole(family.groups_key, 1, 1, most_blocks);
  spec.end_ids = ids_of(config, "eos_token_id");
  if (const std::vector<std::int64_t> begin = ids_of(config, "bos_token_id"); !begin.empty())
    spec.begin_id = begin[0];
  refuse_unread(config, family, spec);
  return result;
}

/// Codes of GPT-2's matrices would be in the order [d_in][d_out], which no library writes alike.
void set_quantised(const ConfigObject& root, const QuantisedForm& form, ModelConfig& result) {
  if (form.method != QuantisedForm::Method::None && result.input_output)
    root.refuse(
        "quantization_config",
        fmt::format("the weights are quantised by {}, which is not read here for models of the family {}.",
                    in_quotes(form.name), result.family->name));
  result.quantised = form;
}

}  // namespace

ModelConfig read_config(std::string_view text, const std::string& where) {
  const json value = parse_python_json(text, where);
  const ConfigObject root(value, "", where);
  std::string architecture;
  if (const json* names = root.find("architectures");
      names != nullptr && names->is_array() && !names->empty() && (*names)[0].is_string())
    architecture = (*names)[0].get<std::string>();
  const QuantisedForm quantised = quantised_form(root);
  const json* inner = text_config_of(root);
  if (inner == nullptr) {
    const Family& family = family_of(root);
    ModelConfig result =
        read_object(ConfigObject(value, "", where, family.aliases), family, std::move(architecture));
    set_quantised(root, quantised, result);
    return result;
  }
  const Family& family = family_of(root.object("text_config"));
  const ConfigObject config(*inner, "text_config", where, family.aliases);
  const QuantisedForm within = quantised_form(config);
  ModelConfig result = read_object(config, family, std::move(architecture));
  set_quantised(root, within.method == QuantisedForm::Method::None ? quantised : within, result);
  result.within = true;
  result.spec.tied = root.boolean("tie_word_embeddings", true);
  return result;
}

}  // namespace attnscope

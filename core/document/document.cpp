#include "core/document/document.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/transformer/positions/rope_frequencies.hpp"
#include "core/transformer/positions/schemes.hpp"

namespace attnscope {

Sequences::Sequences(std::vector<Sequence> list)
    : list_(list.empty() ? SharedValue<std::vector<Sequence>>() : SharedValue(std::move(list))) {}

std::int64_t longest_of(const std::vector<Sequence>& sequences) {
  std::size_t longest = 0;
  for (const Sequence& sequence : sequences) longest = std::max(longest, sequence.tokens.size());
  return static_cast<std::int64_t>(longest);
}

std::int64_t padded_tokens(const Input& input) {
  return input.padded_length > 0 ? input.padded_length : longest_of(input.sequences);
}

bool has_latent(const Document& document) {
  return document.layer().latent.width > 0 && !document.input.is_given();
}

std::int64_t shared_key_width(const Document& document) {
  return has_latent(document) ? document.layer().latent.shared : 0;
}

bool is_disentangled(const Document& document) {
  return document.layer().positions == Positions::Disentangled && !document.input.is_given();
}

std::int64_t scale_width(const Document& document, std::int64_t d_k) {
  if (!is_disentangled(document)) return d_k;
  const PositionSettings& settings = document.layer().position_settings;
  return d_k * (1 + (settings.content_to_position ? 1 : 0) + (settings.position_to_content ? 1 : 0));
}

bool has_output_weights(const Document& document) {
  const Weights& weights = document.layer().weights;
  return !document.input.is_given() || (weights.recipe == Recipe::Given && weights[Parameter::WOutput]);
}

int query_heads(const Document& document) {
  return document.input.is_given() ? static_cast<int>(document.input.given().query->shape()[1])
                                   : document.layer().heads;
}

bool has_intervention(const Document& document, std::int64_t head) {
  return head >= 0 && head < std::ssize(document.layer().interventions) &&
         document.layer().interventions[static_cast<std::size_t>(head)].kind != Intervention::Kind::None;
}

bool has_intervention(const Document& document) {
  for (const Intervention& head : document.layer().interventions)
    if (head.kind != Intervention::Kind::None) return true;
  return false;
}

int key_value_heads(const Document& document) {
  const LayerSpec& layer = document.layer();
  return layer.kv_heads == 0 ? layer.heads : layer.kv_heads;
}

int head_width(const LayerSpec& layer) {
  return layer.d_k == 0 ? layer.d_model / std::max(1, layer.heads) : layer.d_k;
}

int key_width(const Document& document) {
  if (document.input.is_given()) return static_cast<int>(document.input.given().query->shape()[3]);
  return head_width(document.layer());
}

int value_width(const Document& document) {
  return document.layer().d_v == 0 ? key_width(document) : document.layer().d_v;
}

std::int64_t table_rows(const LayerSpec& layer) {
  return table_rows(layer.positions, layer.position_settings, image_of(layer.masking.sparsity));
}

ParameterSizes parameter_sizes(const Document& document) {
  const LayerSpec& layer = document.layer();
  return {.d_model = layer.d_model,
          .key_source = layer.d_model,
          .value_source = layer.d_model,
          .heads = layer.heads,
          .kv_heads = key_value_heads(document),
          .d_k = key_width(document),
          .d_v = value_width(document),
          .latent = layer.latent.width,
          .shared_key = shared_key_width(document),
          .query_latent = layer.latent.width > 0 ? layer.latent.query_width : 0,
          .inner = inner_width(layer.block, layer.d_model),
          .table_rows = table_rows(layer),
          .norms_all_heads = norms_all_heads(layer.qk_norm)};
}

std::int64_t rotated_dims(const Document& document, std::int64_t d_k) {
  return rotated_dims(document.layer().position_settings,
                      has_latent(document) ? document.layer().latent.shared : d_k);
}

std::int64_t query_offset(const Document& document, const Dimensions& size, std::int64_t b) {
  const std::vector<std::int64_t>& lengths = document.input.given().lengths;
  if (document.input.is_given() && !lengths.empty())
    return lengths[static_cast<std::size_t>(b)] - size.queries;
  return size.past;
}

std::vector<std::int64_t> first_positions(const Document& document, const Dimensions& size) {
  std::vector<std::int64_t> first;
  for (std::int64_t b = 0; b < size.batch; ++b) first.push_back(query_offset(document, size, b));
  return first;
}

std::int64_t key_length(const Document& document, std::int64_t b) {
  const Input& input = document.input;
  const auto at = static_cast<std::size_t>(b);
  if (input.is_given()) {
    if (!input.given().lengths.empty()) return input.given().lengths[at];
    const std::int64_t past = input.given().past_key ? input.given().past_key->shape()[2] : 0;
    return past + input.given().key->shape()[2];
  }
  if (input.is_vectors())
    return (input.vectors().key ? input.vectors().key : input.vectors().query)->shape()[1];
  return std::ssize((input.memory.empty() ? input.sequences : input.memory)[at].tokens);
}

std::int64_t sequence_length(const Document& document, std::int64_t b) {
  const Input& input = document.input;
  if (input.is_given()) {
    const std::int64_t past = input.given().past_key ? input.given().past_key->shape()[2] : 0;
    return past + input.given().query->shape()[2];
  }
  if (input.is_vectors()) return input.vectors().query->shape()[1];
  return std::ssize(input.sequences[static_cast<std::size_t>(b)].tokens);
}

std::string not_finite_note(const Document& document) {
  const Input& input = document.input;
  std::string note;
  const auto count_in = [&](std::string_view name, const TensorPtr& tensor) {
    if (!tensor) return;
    std::int64_t nan = 0, infinite = 0;
    for (const float value : tensor->values()) {
      nan += std::isnan(value);
      infinite += std::isinf(value);
    }
    if (nan + infinite == 0) return;
    if (!note.empty()) note += ", ";
    note +=
        fmt::format("{} holds {} NaN and {} infinite value{}", name, nan, infinite, infinite == 1 ? "" : "s");
  };
  count_in("Q", input.given().query);
  count_in("K", input.given().key);
  count_in("V", input.given().value);
  count_in("past_key", input.given().past_key);
  count_in("past_value", input.given().past_value);
  count_in("query", input.vectors().query);
  count_in("key", input.vectors().key);
  count_in("value", input.vectors().value);
  return note.empty() ? note : note + "; they are computed as they are and marked.";
}

}  // namespace attnscope

// core/files/import: the attention mask beside the layers of a dump.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/import/dump.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_hidden_cells = std::int64_t{1} << 28;  // cells of an expanded mask: 1 GiB

/// Additive masks write −∞ as -10000, -1e9 or the lowest number of the type; all numbers up to this one hide.
constexpr float hides_from = -1e4f;

/// Batch, heads, queries and keys; for a mask all but the keys may be 1.
using MaskSizes = std::array<std::int64_t, 4>;

/// The mask's shape with all four dimensions, broadcast as transformers and PyTorch do. Of two dimensions the
/// first is the batch, as tokenizers write it, or the queries if it does not fit the batch; of three the
/// first two are batch and queries.
std::optional<MaskSizes> mask_sizes(const std::vector<std::int64_t>& shape, const MaskSizes& layer) {
  if (shape.empty() || shape.size() > 4 || shape.back() != layer[3]) return std::nullopt;
  MaskSizes sizes{1, 1, 1, layer[3]};
  if (shape.size() == 2)
    sizes[shape[0] == 1 || shape[0] == layer[0] ? 0 : 2] = shape[0];
  else if (shape.size() == 3)
    sizes = {shape[0], 1, shape[1], shape[2]};
  else if (shape.size() == 4)
    std::ranges::copy(shape, sizes.begin());
  for (std::size_t i = 0; i < 3; ++i)
    if (sizes[i] != 1 && sizes[i] != layer[i]) return std::nullopt;
  return sizes;
}

/// Which kinds of numbers occur in a mask.
struct MaskNumbers {
  bool ones = false, zeros = false, hides = false, others = false;
};
MaskNumbers numbers_of(std::span<const float> values) {
  MaskNumbers found;
  for (const float value : values) {
    found.ones = found.ones || value == 1;
    found.zeros = found.zeros || value == 0;
    found.hides = found.hides || value <= hides_from;
    found.others = found.others || !(value == 1 || value == 0 || value <= hides_from);
  }
  return found;
}

/// Whether every query sees exactly its own key and those before it; the last query's key is the last one.
bool is_causal(const Tensor& hides, std::int64_t queries, std::int64_t keys) {
  if (queries > keys) return false;
  const std::int64_t rows = hides.size() / keys;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < keys; ++k)
      if ((hides.data()[row * keys + k] != 0) != (k > row % queries + keys - queries)) return false;
  return true;
}

}  // namespace

std::string Dump::mask_of(const LayerNames& layer) const {
  static const std::string name = "attention_mask";
  if (const std::string own = layer.query.substr(0, layer.query.rfind('.') + 1) + name; has(own)) return own;
  // In an encoder-decoder the common mask is the encoder's and does not apply to the decoder's
  // self-attention.
  const auto has_word = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  const bool is_across = has_word(layer.query, "cross") || has_word(layer.query, "encoder_attn");
  const bool has_encoder = std::ranges::any_of(layers_, [&](const LayerNames& one) {
    return has_word(one.name, "encoder") || has_word(one.query, "encoder") || has_word(one.query, "cross");
  });
  if (has_encoder && has_word(layer.name, "decoder") && !is_across) return {};
  return has(name) ? name : std::string();
}

void Dump::refuse_unread(const LayerNames& layer) const {
  const std::string beside = layer.query.substr(0, layer.query.rfind('.') + 1);
  const auto refuse_each = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* last : names)
      for (const std::string& name : {beside + last, std::string(last)})
        if (has(name)) refuse(name, why);
  };
  refuse_each(
      {"attn_mask", "key_padding_mask"},
      "hides what is 1 in some programs and what is 0 in others, and is not read from a dump; expected "
      "\"attention_mask\" with 1 for each key that is seen and 0 for each that is hidden");
  refuse_each({"position_bias", "relative_position_bias", "attn_bias", "alibi"},
              "is added to the scores, which is not done with a dump; expected the weights themselves in the "
              "place of queries and keys");
}

bool Dump::take_mask(Document& document, const LayerNames& layer) const {
  // Weights already contain their mask.
  const std::string name = layer.weights.empty() ? mask_of(layer) : std::string();
  if (name.empty()) return false;
  if (document.layer().masking.additive) refuse(name, "lies beside \"attn_mask\"; expected one of the two");
  const Given& given = document.input.given();
  const Shape &q = given.query->shape(), &k = given.key->shape();
  const std::int64_t queries = q[2], keys = k[2] + (given.past_key ? given.past_key->shape()[2] : 0);
  const std::vector<std::int64_t> shape = shape_of(name);
  const std::optional<MaskSizes> sizes = mask_sizes(shape, {q[0], q[1], queries, keys});
  if (!sizes) {
    const bool is_of_others = std::ranges::any_of(layers_, [&](const LayerNames& other) {
      return !shape.empty() && !other.key.empty() && other.key != layer.key &&
             sizes_of(other.key, are_tokens_first(other.key))[2] == shape.back() && shape.back() != keys;
    });
    if (is_of_others) return false;
    refuse(name,
           fmt::format("has shape [{}], expected [{}, {}] or [{}, 1, {}, {}]: the texts, the keys of {}, "
                       "and its queries before them",
                       fmt::join(shape, ", "), q[0], keys, q[0], queries, keys, in_quotes(layer.key)));
  }
  Tensor mask = read(name);
  const MaskNumbers numbers = numbers_of(mask.values());
  if (numbers.others || (numbers.ones && numbers.hides))
    refuse(name,
           "holds other numbers than 0 and 1; expected 1 for each key that is seen and 0 for each that is "
           "hidden, or 0 and numbers of -10,000 and below to be added");
  // A mask of zeros only: a tokenizer's mask [batch][keys] hides every key; one with other axes is additive
  // and hides none.
  const bool is_added = numbers.hides || (!numbers.ones && (shape.size() > 2 || (*sizes)[2] > 1));
  for (float& value : mask.values())
    value = is_added == (value != 0) ? -std::numeric_limits<float>::infinity() : 0;
  const bool is_of_queries = (*sizes)[2] > 1;
  if (!(is_added ? numbers.hides : numbers.zeros)) return is_of_queries;
  if (is_of_queries && is_causal(mask, queries, keys)) {
    document.layer().masking.causal = true;
    return true;
  }
  const auto [batch, heads, rows, columns] = *sizes;
  if (batch * heads * queries * keys > most_hidden_cells)
    refuse(name, fmt::format("hides keys of {} × {} × {} × {} cells; expected at most {}", batch, heads,
                             queries, keys, most_hidden_cells));
  auto added = std::make_shared<Tensor>(Shape{batch, heads, queries, keys});
  for (std::int64_t plane = 0; plane < batch * heads; ++plane)
    for (std::int64_t query = 0; query < queries; ++query)
      std::copy_n(mask.data() + (plane * rows + (rows == 1 ? 0 : query)) * keys, keys,
                  added->data() + (plane * queries + query) * keys);
  document.layer().masking.additive = std::move(added);
  return is_of_queries;
}

}  // namespace attnscope

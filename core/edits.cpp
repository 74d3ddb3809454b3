#include "core/edits.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope::edit {
namespace {

Sequence sequence_of(std::string text) {
  Sequence sequence;
  sequence.tokens = tokenize(text);
  sequence.text = std::move(text);
  return sequence;
}

/// A text that outgrew the length it was padded to sets its own length again.
void keep_padding_possible(Input& input) {
  for (const Sequence& sequence : input.sequences) {
    if (std::ssize(sequence.tokens) > input.padded_length) input.padded_length = 0;
  }
}

}  // namespace

namespace {

/// Fits what has the shape of the scores to a change of the tokens: a mask by hand keeps its upper left part
/// (or what of it there still is), nothing is hidden in what is new; a target or gradient goes.
void keep_shapes_possible(Document& document) {
  document.loss.given.reset();
  if (document.input.cached >= padded_tokens(document.input) || !document.input.memory.empty())
    document.input.cached = 0;
  TensorPtr& additive = document.masking.additive;
  const bool tensors =
      document.input.given || document.input.vectors.key;  // their sizes do not follow the tokens
  if (!additive || tensors || document.input.sequences.empty()) return;
  const std::int64_t tokens = padded_tokens(document.input), queries = tokens - document.input.cached;
  const std::int64_t keys = document.input.memory.empty() ? tokens : longest_of(document.input.memory);
  const Shape was = additive->shape();
  const std::int64_t batch = std::ssize(document.input.sequences);
  const Shape now{was[0] == 1 ? 1 : batch, was[1] == 1 ? 1 : document.heads, queries, keys};
  if (now == was) return;
  auto fitted = std::make_shared<Tensor>(now);
  for (std::int64_t b = 0; b < std::min(now[0], was[0]); ++b) {
    for (std::int64_t h = 0; h < std::min(now[1], was[1]); ++h) {
      const std::int64_t rows = std::min(now[2], was[2]), columns = std::min(now[3], was[3]);
      fitted->matrix(b, h).topLeftCorner(rows, columns) = additive->matrix(b, h).topLeftCorner(rows, columns);
    }
  }
  additive = fitted;
}

}  // namespace

Document text(Document document, std::size_t index, std::string text) {
  document.input.sequences.at(index) = sequence_of(std::move(text));
  keep_padding_possible(document.input);
  keep_shapes_possible(document);
  return document;
}

Document texts(Document document, const std::vector<std::string>& texts) {
  std::vector<Sequence> sequences;
  for (const std::string& text : texts) sequences.push_back(sequence_of(text));
  document.input.sequences = std::move(sequences);
  if (document.input.memory.size() != document.input.sequences.size() && !document.input.memory.empty())
    document.input.memory.resize(document.input.sequences.size(), Sequence(document.input.memory.front()));
  keep_padding_possible(document.input);
  keep_shapes_possible(document);
  return document;
}

Document memory(Document document, std::string text) {
  document.input.memory.clear();
  if (!text.empty())
    document.input.memory.assign(document.input.sequences.size(), sequence_of(std::move(text)));
  keep_shapes_possible(document);
  return document;
}

Document cached(Document document, int tokens) {
  const int most =
      std::max(0, static_cast<int>(padded_tokens(document.input)) - 1);  // an emptied text has none
  document.input.cached = std::clamp(tokens, 0, most);
  keep_shapes_possible(document);
  return document;
}

Document heads(Document document, int heads) {
  if (heads >= 1 && document.kv_heads > 0 && heads % document.kv_heads != 0) document.kv_heads = 0;
  std::vector<int>& masked = document.masking.heads;
  const bool for_some = !masked.empty();
  std::erase_if(masked, [&](int head) { return head >= heads; });
  if (for_some && masked.empty()) masked = {std::max(heads, 1) - 1};  // empty would mean all of them
  document.heads = heads;
  keep_shapes_possible(document);
  return with_weights(std::move(document));
}

Document kv_heads(Document document, int kv_heads) {
  document.kv_heads = kv_heads == document.heads ? 0 : kv_heads;
  return with_weights(std::move(document));
}

Document d_v(Document document, int d_v) {
  const bool usual = document.heads > 0 && d_v == document.d_model / document.heads;
  document.d_v = usual ? 0 : d_v;
  return with_weights(std::move(document));
}

Document extra_key(Document document, bool on) {
  Weights& weights = document.weights;
  weights.extra_key.reset();
  weights.extra_value.reset();
  if (!on || !weights.w_key || !weights.w_value) return document;
  weights.extra_key = std::make_shared<const Tensor>(Shape{weights.w_key->shape()[1]});
  weights.extra_value = std::make_shared<const Tensor>(Shape{weights.w_value->shape()[1]});
  return with_weights(std::move(document));  // draws the numbers; those of given weights begin at 0
}

Document hidden_cell(Document document, std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key,
                     bool hidden) {
  const Dimensions size = check(document);
  auto additive = std::make_shared<Tensor>(Shape{size.batch, size.heads, size.queries, size.token_keys()});
  if (const TensorPtr& was = document.masking.additive) {
    for (std::int64_t s = 0; s < size.batch; ++s)
      for (std::int64_t head = 0; head < size.heads; ++head)
        additive->matrix(s, head) =
            was->matrix(was->shape()[0] == 1 ? 0 : s, was->shape()[1] == 1 ? 0 : head);
  }
  additive->matrix(b, h)(query, key) = hidden ? -std::numeric_limits<float>::infinity() : 0;
  document.masking.additive = additive;
  return document;
}

Document d_model(Document document, int d_model) {
  document.d_model = d_model;
  document.loss.given.reset();
  return with_weights(std::move(document));
}

Document seed(Document document, std::uint64_t seed) {
  document.weights.seed = seed;
  return with_weights(std::move(document));
}

Document noise(Document document, float noise) {
  document.weights.noise = noise;
  return with_weights(std::move(document));
}

Document biases(Document document, bool on) {
  document.weights.biases = on;
  return with_weights(std::move(document));
}

Document recipe(Document document, Recipe recipe) {
  document.weights.recipe = recipe;
  if (recipe == Recipe::Random) document.embedding = Embedding::Gaussian;
  if (recipe == Recipe::HandBuilt) document.embedding = Embedding::HandBuilt;
  return with_weights(std::move(document));
}

}  // namespace attnscope::edit

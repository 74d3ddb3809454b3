#include "core/edits/edits.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/base/random.hpp"
#include "core/edits/heads.hpp"
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

/// Resets padded_length to 0 if a text is longer.
void keep_padding_possible(Input& input) {
  for (const Sequence& sequence : input.sequences) {
    if (std::ssize(sequence.tokens) > input.padded_length) input.padded_length = 0;
  }
}

}  // namespace

namespace {

/// Drops edited token vectors that do not fit the tokens and the width.
void drop_unfitting(Input& input, std::int64_t d_model) {
  const std::int64_t batch = std::ssize(input.sequences);
  FromText* const text = input.as<FromText>();
  if (text == nullptr) return;
  if (text->edited && text->edited->shape() != Shape{batch, padded_tokens(input), d_model})
    text->edited.reset();
  if (text->edited_memory && text->edited_memory->shape() != Shape{batch, longest_of(input.memory), d_model})
    text->edited_memory.reset();
}

/// Drops edited token vectors: all texts use the embedding again.
void release_edited_vectors(Input& input) {
  if (FromText* const text = input.as<FromText>()) *text = {};
}

/// Restores the recipe of weights edited by hand, so that they are made again.
void drop_hand_edits(Document& document) {
  Weights& weights = document.layer().weights;
  if (weights.recipe == Recipe::Given) weights.recipe = weights.made_by;
}

/// Fits tensors with the shape of the scores to a change of the tokens: a mask by hand is cropped, or
/// extended by cells that hide nothing; a target or gradient of the loss is dropped.
void keep_shapes_possible(Document& document) {
  document.loss.given.reset();
  drop_unfitting(document.input, document.layer().d_model);
  if (document.input.cached >= padded_tokens(document.input) || !document.input.memory.empty())
    document.input.cached = 0;
  fit_interventions(document);
  TensorPtr& additive = document.layer().masking.additive;
  const bool tensors =
      document.input.is_given() || document.input.vectors().key;  // their sizes do not follow the tokens
  if (!additive || tensors || document.input.sequences.empty()) return;
  const std::int64_t tokens = padded_tokens(document.input), queries = tokens - document.input.cached;
  const std::int64_t keys = document.input.memory.empty() ? tokens : longest_of(document.input.memory);
  const Shape was = additive->shape();
  const std::int64_t batch = std::ssize(document.input.sequences);
  const Shape now{was[0] == 1 ? 1 : batch, was[1] == 1 ? 1 : document.layer().heads, queries, keys};
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
  document.input.sequences.change().at(index) = sequence_of(std::move(text));
  if (FromText* const from = document.input.as<FromText>()) from->edited.reset();
  keep_padding_possible(document.input);
  keep_shapes_possible(document);
  return document;
}

Document texts(Document document, const std::vector<std::string>& texts) {
  std::vector<Sequence> sequences;
  for (const std::string& text : texts) sequences.push_back(sequence_of(text));
  document.input.sequences = std::move(sequences);
  if (FromText* const from = document.input.as<FromText>()) from->edited.reset();
  if (document.input.memory.size() != document.input.sequences.size() && !document.input.memory.empty())
    document.input.memory.change().resize(document.input.sequences.size(),
                                          Sequence(document.input.memory.front()));
  keep_padding_possible(document.input);
  keep_shapes_possible(document);
  return document;
}

Document memory(Document document, std::string text) {
  document.input.memory = {};
  if (FromText* const from = document.input.as<FromText>()) from->edited_memory.reset();
  if (!text.empty())
    document.input.memory =
        std::vector<Sequence>(document.input.sequences.size(), sequence_of(std::move(text)));
  keep_shapes_possible(document);
  return document;
}

Document cached(Document document, int tokens) {
  const int most =
      std::max(0, static_cast<int>(padded_tokens(document.input)) - 1);  // an empty text has no tokens
  document.input.cached = std::clamp(tokens, 0, most);
  keep_shapes_possible(document);
  return document;
}

Document heads(Document document, int heads) {
  if (heads >= 1 && document.layer().kv_heads > 0 && heads % document.layer().kv_heads != 0)
    document.layer().kv_heads = 0;
  std::vector<int>& masked = document.layer().masking.heads;
  const bool for_some = !masked.empty();
  std::erase_if(masked, [&](int head) { return head >= heads; });
  if (for_some && masked.empty()) masked = {std::max(heads, 1) - 1};  // empty would mean all of them
  document.layer().heads = heads;
  keep_shapes_possible(document);
  return with_weights(std::move(document));
}

Document kv_heads(Document document, int kv_heads) {
  document.layer().kv_heads = kv_heads == document.layer().heads ? 0 : kv_heads;
  return with_weights(std::move(document));
}

Document d_v(Document document, int d_v) {
  document.layer().d_v = d_v == key_width(document) ? 0 : d_v;
  return with_weights(std::move(document));
}

Document d_k(Document document, int d_k) {
  document.layer().d_k = d_k;
  return with_weights(std::move(document));
}

Document bias_k(Document document, bool on) {
  Weights& weights = document.layer().weights;
  weights[Parameter::BiasK].reset();
  weights[Parameter::BiasV].reset();
  if (!on) fit_interventions(document);
  if (!on || !weights[Parameter::WKey] || !weights[Parameter::WValue]) return document;
  const ParameterSizes sizes = parameter_sizes(document);
  for (const Parameter which : {Parameter::BiasK, Parameter::BiasV})
    weights[which] = std::make_shared<const Tensor>(shape_of(info(which), sizes));
  fit_interventions(document);
  return with_weights(std::move(document));  // draws the numbers; with given weights they stay 0
}

Document qk_norm(Document document, QkNorm::Kind kind) {
  document.layer().qk_norm.kind = kind;
  const ParameterSizes sizes = parameter_sizes(document);
  for (const ParameterInfo& row : parameter_table) {
    if (row.kind != ParameterKind::Norm || document.input.is_given()) continue;
    TensorPtr& block = document.layer().weights[row.parameter];
    auto ones = std::make_shared<Tensor>(shape_of(row, sizes));
    std::ranges::fill(ones->values(), 1.f);
    if (kind != QkNorm::Kind::None && !block) {
      block = std::move(ones);
    } else if (kind == QkNorm::Kind::None && block && *block == *ones) {
      block.reset();
    }
  }
  return document;
}

Document latent(Document document, const Latent& latent) {
  document.layer().latent = latent;
  int& turned = document.layer().position_settings.rope_dims;
  if (latent.width > 0) turned = std::min(turned, latent.shared / 2 * 2);
  const Weights& weights = document.layer().weights;
  const Recipe made = weights.recipe == Recipe::Given ? weights.made_by : weights.recipe;
  if (latent.width > 0 && made == Recipe::HandBuilt) return recipe(std::move(document), Recipe::Random);
  return with_weights(std::move(document));
}

Document d_model(Document document, int d_model) {
  document.layer().d_model = d_model;
  document.loss.given.reset();
  drop_unfitting(document.input, d_model);
  return with_weights(std::move(document));
}

Document seed(Document document, std::uint64_t seed) {
  document.layer().weights.seed = seed;
  return again(std::move(document));
}

Document again(Document document) {
  release_edited_vectors(document.input);
  drop_hand_edits(document);
  return with_weights(std::move(document));
}

Document noise(Document document, float noise) {
  document.layer().weights.noise = noise;
  drop_hand_edits(document);
  return with_weights(std::move(document));
}

Document biases(Document document, bool on) {
  document.layer().weights.biases = on;
  drop_hand_edits(document);
  return with_weights(std::move(document));
}

Document new_seed(Document document) {
  constexpr std::uint64_t readable = 100'000;
  const std::uint64_t was = document.layer().weights.seed;
  const std::uint64_t next = random_bits(was, stream_of("the next seed"), 0) % readable;
  const std::uint64_t chosen = next == was ? (next + 1) % readable : next;
  for (BlockRecipe& block : document.layer().weights.blocks)
    if (block.drawn) block.drawn->seed = chosen;
  return seed(std::move(document), chosen);
}

Document initialiser(Document document, Initialiser initialiser) {
  document.layer().weights.initialiser = initialiser;
  return recipe(std::move(document), Recipe::Random);
}

Document recipe(Document document, Recipe recipe) {
  const Embedding was = document.embedding;
  document.layer().weights.recipe = recipe;
  document.layer().weights.made_by = Recipe::Given;
  if (recipe != Recipe::Given)
    for (BlockRecipe& block : document.layer().weights.blocks) block.drawn.reset();
  if (recipe == Recipe::Random) document.embedding = Embedding::Gaussian;
  if (recipe == Recipe::HandBuilt) document.embedding = Embedding::HandBuilt;
  if (document.embedding != was) release_edited_vectors(document.input);
  return with_weights(std::move(document));
}

Document small_model(Document document) {
  constexpr int width = 8, small_heads = 2;
  if (!document.input.is_text()) return document;
  Weights& weights = document.layer().weights;
  weights.recipe = Recipe::Random;
  weights.blocks = {};
  for (const ParameterInfo& row : parameter_table)  // these belong to the old width and heads
    if (row.kind == ParameterKind::Position) weights[row.parameter].reset();
  document.layer().kv_heads = document.layer().d_k = document.layer().d_v = 0;
  document.layer().d_model = width;
  document.layer().position_settings.rope_dims =
      std::min(document.layer().position_settings.rope_dims, width / small_heads);
  return recipe(heads(std::move(document), small_heads), Recipe::Random);
}

}  // namespace attnscope::edit

#include "core/edits.hpp"

#include <iterator>
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

Document text(Document document, std::size_t index, std::string text) {
  document.input.sequences.at(index) = sequence_of(std::move(text));
  keep_padding_possible(document.input);
  return document;
}

Document texts(Document document, const std::vector<std::string>& texts) {
  std::vector<Sequence> sequences;
  for (const std::string& text : texts) sequences.push_back(sequence_of(text));
  document.input.sequences = std::move(sequences);
  keep_padding_possible(document.input);
  return document;
}

Document heads(Document document, int heads) {
  document.heads = heads;
  return with_weights(std::move(document));
}

Document d_model(Document document, int d_model) {
  document.d_model = d_model;
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

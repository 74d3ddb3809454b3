// core/files/document: the JSON form of a Document; its settings are written by document_settings.cpp.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/document/document_settings.hpp"
#include "core/files/document/model_context_json.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/json_writer.hpp"
#include "core/files/formats/limits.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

template <class E>
std::string json_name(E value) {
  return json_text(std::string(enum_name(value).key));
}

template <class Part>
std::string json_list(const std::vector<Sequence>& sequences, Part part) {
  std::string out = "[";
  for (const Sequence& sequence : sequences) out += (out.size() == 1 ? "" : ", ") + part(sequence);
  return out + "]";
}

std::string texts_of(const std::vector<Sequence>& sequences) {
  return json_list(sequences, [](const Sequence& s) { return json_text(s.text); });
}
std::string tokens_of(const std::vector<Sequence>& sequences) {
  return json_list(sequences, [](const Sequence& s) { return json_texts(texts_of(s.tokens)); });
}

/// Whether tokens and texts follow from each other, so that one of them is enough. `labels`: tokens only
/// label the rows and columns of tensors.
bool is_plain(const std::vector<Sequence>& sequences, bool labels) {
  return std::ranges::all_of(sequences, [&](const Sequence& sequence) {
    if (labels) return sequence.text == joined(sequence.tokens);
    return is_valid_utf8(sequence.text) &&
           std::ranges::equal(sequence.tokens, tokenize(sequence.text), &Token::is_same);
  });
}

void add_given(const Input& input, JsonWriter& writer) {
  const Given& from = input.given();
  JsonWriter given("  ");
  if (!input.sequences.empty()) given.add("tokens", tokens_of(input.sequences));
  if (!input.memory.empty()) given.add("key_tokens", tokens_of(input.memory));
  given.add("query", from.query);
  given.add("key", from.key);
  given.add("value", from.value);
  given.add("past_key", from.past_key);
  given.add("past_value", from.past_value);
  if (!from.lengths.empty()) given.add("lengths", fmt::format("[{}]", fmt::join(from.lengths, ", ")));
  if (from.holds != GivenTensors::QueryKeyValue) given.add("holds", json_name(from.holds));
  if (const Guesses& guesses = from.guesses; guesses.any()) {
    JsonWriter guessed("   ");
    if (!guesses.causal.empty()) guessed.add("causal", json_text(guesses.causal));
    if (!guesses.positions.empty()) guessed.add("positions", json_text(guesses.positions));
    given.add("guessed", guessed.take());
  }
  writer.add("given", given.take());
}

void add_vectors(const Input& input, JsonWriter& writer) {
  const Vectors& from = input.vectors();
  JsonWriter vectors("  ");
  if (!input.sequences.empty()) vectors.add("tokens", tokens_of(input.sequences));
  if (!input.memory.empty()) vectors.add("key_tokens", tokens_of(input.memory));
  vectors.add("query", from.query);
  vectors.add("key", from.key);
  vectors.add("value", from.value);
  writer.add("vectors", vectors.take());
}

void add_input(const Input& input, JsonWriter& writer) {
  const bool tensors = !input.is_text();
  const bool plain = is_plain(input.sequences, tensors);
  if (!tensors || (!plain && !input.sequences.empty())) writer.add("text", texts_of(input.sequences));
  if (!tensors && !plain) writer.add("tokens", tokens_of(input.sequences));
  if (input.is_given()) add_given(input, writer);
  if (input.is_vectors()) add_vectors(input, writer);
  if (!tensors && !input.memory.empty()) {
    writer.add("memory", texts_of(input.memory));
    if (!is_plain(input.memory, false)) writer.add("memory_tokens", tokens_of(input.memory));
  }
  writer.add("edited_vectors", input.from_text().edited);
  writer.add("edited_memory", input.from_text().edited_memory);
}

/// Writes initialiser, seed and gain of blocks that differ from the recipe.
void add_block_recipes(const Weights& weights, JsonWriter& writer) {
  if (weights.blocks == std::array<BlockRecipe, 4>{}) return;
  JsonWriter blocks("  ");
  for (std::size_t i = 0; i < weights.blocks.size(); ++i) {
    const BlockRecipe& own = weights.blocks[i];
    if (own == BlockRecipe{}) continue;
    JsonWriter block("   ");
    if (own.drawn) {
      block.add("initialiser", json_name(own.drawn->initialiser));
      block.add("seed", fmt::to_string(own.drawn->seed));
    }
    if (own.gain != 1) block.add("gain", json_number(own.gain));
    blocks.add(enum_name(static_cast<Projection>(i)).key, block.take());
  }
  writer.add("blocks", blocks.take());
}

void add_weights(const Weights& weights, JsonWriter& writer) {
  if (weights.recipe == Recipe::Given) {
    JsonWriter blocks("  ");
    blocks.add("recipe", std::string_view("\"given\""));
    for (const ParameterInfo& row : parameter_table) blocks.add(row.key, weights[row.parameter]);
    if (!weights.head_names.empty()) blocks.add("head_names", json_texts(weights.head_names));
    if (weights.made_by != Recipe::Given) blocks.add("made_by", json_name(weights.made_by));
    writer.add("weights", blocks.take());
  } else {
    writer.add("weights", json_name(weights.recipe));
  }
  add_block_recipes(weights, writer);
  if (weights[Parameter::BiasK] && weights.recipe != Recipe::Given) writer.add("extra_key", true);
  if (weights.recipe != Recipe::Given) writer.add("sinks", weights[Parameter::SinkLogits]);
}

void add_interventions(const std::vector<Intervention>& intervention, JsonWriter& writer) {
  std::string list;
  for (std::size_t h = 0; h < intervention.size(); ++h) {
    if (intervention[h].kind == Intervention::Kind::None) continue;
    JsonWriter head("   ");
    head.add("head", fmt::to_string(h));
    head.add("kind", json_name(intervention[h].kind));
    head.add("pattern", intervention[h].frozen);
    list += (list.empty() ? "" : ", ") + head.take();
  }
  if (!list.empty()) writer.add("surgery", "[" + list + "]");
}

void add_layer(const Document& document, JsonWriter& writer) {
  add_input(document.input, writer);
  add_weights(document.layer().weights, writer);
  add_settings(document, writer);
  add_interventions(document.layer().interventions, writer);
}

/// Writes the model context; everything else follows from the model.
void add_within(const Document& document, JsonWriter& writer) {
  writer.add("model", model_context_json(document.within.read()));
  if (document.precision != Precision::Float32) writer.add("precision", json_name(document.precision));
}

}  // namespace

std::string to_json(const Document& document) { return session_to_json(document, {}, nullptr); }

std::string session_to_json(const Document& document, std::string_view view, const Document* held) {
  JsonWriter writer(" ");
  writer.add("attnscope", std::string_view("1"));
  if (!view.empty())
    writer.add("session", std::string_view("1"));  // early, so that a cut file is still known as a session
  writer.add("title", json_text(document.title));
  if (!document.within.read().path.empty())
    add_within(document, writer);
  else
    add_layer(document, writer);
  if (!view.empty()) writer.add("view", view);
  if (held != nullptr) writer.add("held", to_json(*held));
  return writer.take() + "\n";
}

void save_document(const Document& document, const std::filesystem::path& path) {
  write_document(to_json(document), path);
}

void write_document(std::string_view text, const std::filesystem::path& path) {
  if (text.size() > max_json_bytes) {
    throw Error(fmt::format("Cannot write {}: the document takes {} bytes, expected at most {}.",
                            in_quotes(path.native()), text.size(), max_json_bytes));
  }
  const std::array<std::string_view, 1> pieces{text};
  write_atomically(path, pieces);
}

}  // namespace attnscope

// core/files/document: a Document from its JSON form. README.md of core/files lists the keys.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/settings_check.hpp"
#include "core/files/document/document_settings.hpp"
#include "core/files/document/model_context_json.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/json_reader.hpp"
#include "core/files/formats/limits.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// The texts under `key`, cut into tokens unless the file lists those under `tokens_key` as well.
std::vector<Sequence> read_sequences(JsonFields& root, const std::string& key, const std::string& tokens_key,
                                     const std::string& where) {
  const std::vector<std::string> texts = root.texts(key);
  const json* listed = root.find(tokens_key);
  const std::vector<std::vector<std::string>> tokens = root.text_lists(tokens_key);
  if (listed != nullptr && tokens.size() != texts.size()) {
    root.fail(tokens_key, fmt::format("a list for each of the {} texts", texts.size()), *listed);
  }
  std::vector<Sequence> sequences;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    if (texts[b].size() > max_text_bytes) {
      throw FieldError(where, key,
                       fmt::format("a text of {} bytes under \"{}\" is too long, expected at most {}.",
                                   texts[b].size(), key, max_text_bytes));
    }
    sequences.push_back({texts[b], listed != nullptr ? label_tokens(tokens[b]) : tokenize(texts[b])});
  }
  return sequences;
}

/// Replaces the numbered labels by those listed in the file; there must be one for each row.
void label(const JsonFields& fields, const json& listed, const std::vector<std::vector<std::string>>& tokens,
           std::vector<Sequence>& sequences) {
  const std::size_t labels = sequences.front().tokens.size();
  bool fits = tokens.size() == sequences.size();
  for (const std::vector<std::string>& list : tokens) fits = fits && list.size() == labels;
  if (!fits) {
    fields.fail(
        "tokens",
        fmt::format("{} lists of {} strings, to label every row and column", sequences.size(), labels),
        listed);
  }
  for (std::size_t b = 0; b < tokens.size(); ++b) {
    sequences[b].tokens = label_tokens(tokens[b]);
    sequences[b].text = joined(sequences[b].tokens);
  }
}

/// Reads "key_tokens": labels for keys that are other tokens than the queries.
void label_keys(JsonFields& fields, std::size_t queries, std::size_t keys, Input& input) {
  const json* listed = fields.find("key_tokens");
  const std::vector<std::vector<std::string>> tokens = fields.text_lists("key_tokens");
  if (listed == nullptr) return;
  bool fits = tokens.size() == input.sequences.size();
  for (const std::vector<std::string>& list : tokens) fits = fits && list.size() == keys;
  if (!fits)
    fields.fail("key_tokens",
                fmt::format("{} lists of {} strings, to label every column", input.sequences.size(), keys),
                *listed);
  std::vector<Sequence> memory;
  for (const std::vector<std::string>& list : tokens) {
    std::vector<Token> labels = label_tokens(list);
    std::string text = joined(labels);
    memory.push_back({std::move(text), std::move(labels)});
  }
  input.memory = std::move(memory);
  for (Sequence& sequence : input.sequences.change()) sequence.tokens.resize(queries);
}

/// Reads tensors given in place of a text; tokens only label their rows and columns.
void label_input(JsonFields& root, JsonFields& fields, const std::vector<std::string>& texts, Input& input) {
  const json* listed = fields.find("tokens");
  const std::vector<std::vector<std::string>> tokens = fields.text_lists("tokens");
  fields.finish();
  if (listed != nullptr) label(fields, *listed, tokens, input.sequences.change());
  if (root.find("text") == nullptr) return;
  if (texts.size() != input.sequences.size()) {
    root.fail("text", fmt::format("{} texts, one for each entry of the batch", input.sequences.size()),
              *root.find("text"));
  }
  for (std::size_t b = 0; b < texts.size(); ++b) input.sequences.change()[b].text = texts[b];
}

/// Reads "vectors": token vectors as numbers.
Input read_vectors(JsonFields& root, const json& value, const std::vector<std::string>& texts,
                   const std::string& where) {
  JsonFields fields(value, "vectors", where);
  Input input;
  Vectors& vectors = input.change<Vectors>();
  vectors = {fields.tensor("query", 3), fields.tensor("key", 3), fields.tensor("value", 3)};
  if (!vectors) throw FieldError(where, "vectors", "\"vectors\" needs \"query\".");
  input.sequences = numbered_sequences(vectors);
  const TensorPtr& keys = vectors.key ? vectors.key : vectors.query;
  label_keys(fields, static_cast<std::size_t>(vectors.query->shape()[1]),
             static_cast<std::size_t>(keys->shape()[1]), input);
  label_input(root, fields, texts, input);
  return input;
}

/// Reads "given": Q, K and V as numbers.
Input read_given(JsonFields& root, const json& value, const std::vector<std::string>& texts,
                 const std::string& where) {
  JsonFields fields(value, "given", where);
  Input input;
  Given& given = input.change<Given>();
  given = {fields.tensor("query", 4),      fields.tensor("key", 4),
           fields.tensor("value", 4),      fields.tensor("past_key", 4),
           fields.tensor("past_value", 4), fields.wholes("lengths", max_padded_length)};
  if (!given) {
    throw FieldError(where, "given", "\"given\" needs \"query\", \"key\" and \"value\".");
  }
  given.holds = fields.one_of("holds", given.holds);
  if (const json* guessed = fields.find("guessed")) {
    JsonFields reasons(*guessed, "given.guessed", where);
    given.guesses = {reasons.text("causal", ""), reasons.text("positions", "")};
    reasons.finish();
  }
  input.sequences = numbered_sequences(given);
  const std::int64_t past = given.past_key ? given.past_key->shape()[2] : 0;
  const auto keys = static_cast<std::size_t>(past + given.key->shape()[2]);
  label_keys(fields, given.lengths.empty() ? static_cast<std::size_t>(past + given.query->shape()[2]) : keys,
             keys, input);
  label_input(root, fields, texts, input);
  return input;
}

/// Reads the texts, and their token vectors if these were edited.
Input read_texts(JsonFields& root, const std::string& where) {
  Input input;
  input.sequences = read_sequences(root, "text", "tokens", where);
  if (root.find("memory") != nullptr) input.memory = read_sequences(root, "memory", "memory_tokens", where);
  input.numbers = FromText{root.tensor("edited_vectors", 3), root.tensor("edited_memory", 3)};
  return input;
}

Input read_input(JsonFields& root, const std::string& where) {
  const std::vector<std::string> texts = root.texts("text");
  const json* given = root.find("given");
  const json* vectors = root.find("vectors");
  if (given == nullptr && vectors == nullptr) return read_texts(root, where);
  if (given != nullptr && vectors != nullptr) {
    throw FieldError(where, "vectors", "\"given\" and \"vectors\" cannot be combined.");
  }
  for (const char* edited : {"edited_vectors", "edited_memory"}) {
    if (root.find(edited) != nullptr)
      throw FieldError(where, edited,
                       "Edited token vectors belong to a text; where numbers are given, those are edited.");
  }
  return given != nullptr ? read_given(root, *given, texts, where)
                          : read_vectors(root, *vectors, texts, where);
}

/// Reads the weight blocks themselves, for weights that no recipe can make again.
void read_blocks(const json& value, const std::string& where, Weights& weights) {
  JsonFields fields(value, "weights", where);
  if (fields.find("recipe") == nullptr || *fields.find("recipe") != "given") {
    throw FieldError(where, "weights", "\"weights.recipe\" must be \"given\" where weights are an object.");
  }
  for (const ParameterInfo& row : parameter_table)
    weights[row.parameter] = fields.tensor(std::string(row.key), row.rank());
  weights.head_names = fields.texts("head_names");
  weights.made_by = fields.one_of("made_by", weights.made_by);
  fields.finish();
}

/// Reads a factor above 0.
float read_gain(JsonFields& fields, const std::string& name) {
  const float gain = fields.number(name, 1);
  if (!(gain > 0)) fields.fail(name, "a number above 0", *fields.find(name));
  return gain;
}

/// Reads initialiser, seed and gain of blocks that differ from the recipe.
void read_block_recipes(JsonFields& root, const std::string& where, Weights& weights) {
  const json* value = root.find("blocks");
  if (value == nullptr) return;
  JsonFields blocks(*value, "blocks", where);
  for (std::size_t i = 0; i < weights.blocks.size(); ++i) {
    const std::string name(enum_name(static_cast<Projection>(i)).key);
    const json* block = blocks.find(name);
    if (block == nullptr) continue;
    JsonFields fields(*block, "blocks." + name, where);
    BlockRecipe& own = weights.blocks[i];
    own.gain = read_gain(fields, "gain");
    const std::uint64_t seed =
        fields.whole("seed", weights.seed, 0, std::numeric_limits<std::uint64_t>::max());
    if (fields.find("initialiser") != nullptr)
      own.drawn = {fields.one_of("initialiser", Initialiser::Xavier), seed};
    fields.finish();
  }
  blocks.finish();
}

Recipe read_recipe(JsonFields& root) {
  const json* value = root.find("weights");
  if (value != nullptr && value->is_object()) return Recipe::Given;
  constexpr auto made = enum_column<Recipe>(&EnumName::key);
  return static_cast<Recipe>(root.choice("weights", 0, std::span(made).first<2>()));
}

/// Reads the weights, except the recipe and the settings of setting_table.hpp, which were read before.
void read_weights(JsonFields& root, const std::string& where, std::int64_t heads, Weights& weights) {
  read_block_recipes(root, where, weights);
  if (root.boolean("extra_key", false))  // with_weights() draws the numbers
    weights[Parameter::BiasK] = weights[Parameter::BiasV] = std::make_shared<const Tensor>(Shape{1});
  if (weights.recipe != Recipe::Given) {  // given weights list them among their blocks
    TensorPtr& sinks = weights[Parameter::SinkLogits];
    sinks = root.tensor("sinks", 1);
    if (sinks && sinks->size() != heads)
      root.fail("sinks", fmt::format("{} numbers, one for each head", heads), *root.find("sinks"));
  }
  if (weights.recipe == Recipe::Given) read_blocks(*root.find("weights"), where, weights);
}

/// The interventions on heads, for a Document whose number of heads is known; empty if there are none.
std::vector<Intervention> read_interventions(JsonFields& root, const std::string& where, int heads) {
  const json* list = root.find("surgery");
  if (list == nullptr) return {};
  if (!list->is_array()) root.fail("surgery", "an array of objects, one for each operated head", *list);
  std::vector<Intervention> intervention(static_cast<std::size_t>(heads));
  bool intervened = false;
  std::set<int> named;
  for (const json& value : *list) {
    JsonFields fields(value, "surgery", where);
    const json* number = fields.find("head");
    if (number == nullptr) throw FieldError(where, "surgery", "\"surgery\" needs \"head\".");
    const int head = fields.integer("head", 0, 0, heads - 1);
    if (!named.insert(head).second) fields.fail("head", "a head that is not named twice", *number);
    Intervention& there = intervention[static_cast<std::size_t>(head)];
    there.kind = fields.one_of("kind", Intervention::Kind::None);
    there.frozen = fields.tensor("pattern", 3);
    fields.finish();
    const bool frozen = there.kind == Intervention::Kind::Frozen;
    if (frozen != static_cast<bool>(there.frozen)) {
      throw FieldError(where, "surgery",
                       "\"surgery.pattern\" belongs to the kind \"frozen\", and that kind needs it.");
    }
    if (frozen) check_pattern(head, *there.frozen);
    intervened = intervened || there.kind != Intervention::Kind::None;
  }
  return intervened ? intervention : std::vector<Intervention>{};
}

}  // namespace

Document document_from_json(std::string_view text, const std::string& where) {
  return document_from_value(parse_strict_json(text, where), where);
}

Document document_from_value(const json& value, const std::string& where) {
  JsonFields root(value, "", where);
  if (root.find("attnscope") == nullptr) {
    throw Error(
        fmt::format("{} is not an AttnScope document: it has no key \"attnscope\".", in_quotes(where)));
  }
  root.whole("attnscope", 1, 1, 1);
  Document document;
  document.title = root.text("title", "");
  if (const json* model = root.find("model")) {
    document.within.change() = read_within(*model, where);
    document.precision = root.one_of("precision", Precision::Float32);
    for (const char* of_session : {"session", "view", "held"}) root.find(of_session);
    root.finish();
    return document;
  }
  document.input = read_input(root, where);
  document.layer().weights.recipe = read_recipe(root);
  document.embedding = usual_embedding(document.layer().weights.recipe);
  read_settings(root, where, document);
  read_weights(root, where, query_heads(document), document.layer().weights);
  document.layer().interventions = read_interventions(root, where, query_heads(document));
  for (const char* of_session : {"session", "view", "held"}) root.find(of_session);  // see session_file.hpp
  root.finish();
  if (document.layer().weights.recipe == Recipe::Given)
    return document;  // given blocks stay as they are, even if they do not fit
  return with_weights(std::move(document));
}

}  // namespace attnscope

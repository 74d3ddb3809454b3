// core/files: a Document from its JSON form. The keys are listed in README, "File formats".
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/files/document_names.hpp"
#include "core/files/json_reader.hpp"
#include "core/files/limits.hpp"
#include "core/files/open.hpp"
#include "core/settings_check.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

std::string joined(const std::vector<std::string>& tokens) {
  return fmt::format("{}", fmt::join(tokens, " "));
}

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
    sequences.push_back({texts[b], listed != nullptr ? tokens[b] : tokenize(texts[b])});
  }
  return sequences;
}

/// Puts labels in the place of the numbers; there must be as many.
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
  for (std::size_t b = 0; b < tokens.size(); ++b) sequences[b] = {joined(tokens[b]), tokens[b]};
}

/// Tensors that replace a text, with tokens that only label their rows and columns.
void label_input(JsonFields& root, JsonFields& fields, const std::vector<std::string>& texts, Input& input) {
  const json* listed = fields.find("tokens");
  const std::vector<std::vector<std::string>> tokens = fields.text_lists("tokens");
  fields.finish();
  if (listed != nullptr) label(fields, *listed, tokens, input.sequences);
  if (root.find("text") == nullptr) return;
  if (texts.size() != input.sequences.size()) {
    root.fail("text", fmt::format("{} texts, one for each entry of the batch", input.sequences.size()),
              *root.find("text"));
  }
  for (std::size_t b = 0; b < texts.size(); ++b) input.sequences[b].text = texts[b];
}

/// Token vectors as numbers.
Input read_vectors(JsonFields& root, const json& value, const std::vector<std::string>& texts,
                   const std::string& where) {
  JsonFields fields(value, "vectors", where);
  Input input;
  input.vectors = {fields.tensor("query", 3), fields.tensor("key", 3), fields.tensor("value", 3)};
  if (!input.vectors) throw FieldError(where, "vectors", "\"vectors\" needs \"query\".");
  input.sequences = numbered_sequences(input.vectors);
  label_input(root, fields, texts, input);
  return input;
}

/// Q, K and V as numbers.
Input read_given(JsonFields& root, const json& value, const std::vector<std::string>& texts,
                 const std::string& where) {
  JsonFields fields(value, "given", where);
  Input input;
  input.given = {fields.tensor("query", 4),      fields.tensor("key", 4),
                 fields.tensor("value", 4),      fields.tensor("past_key", 4),
                 fields.tensor("past_value", 4), fields.wholes("lengths", max_padded_length)};
  if (!input.given) {
    throw FieldError(where, "given", "\"given\" needs \"query\", \"key\" and \"value\".");
  }
  input.given.holds = fields.one_of("holds", input.given.holds, names::holds);
  if (const json* guessed = fields.find("guessed")) {
    JsonFields reasons(*guessed, "given.guessed", where);
    input.given.guesses = {reasons.text("causal", ""), reasons.text("positions", "")};
    reasons.finish();
  }
  input.sequences = numbered_sequences(input.given);
  label_input(root, fields, texts, input);
  return input;
}

Input read_input(JsonFields& root, const std::string& where) {
  const std::vector<std::string> texts = root.texts("text");
  const json* given = root.find("given");
  const json* vectors = root.find("vectors");
  Input input;
  if (given != nullptr && vectors != nullptr) {
    throw FieldError(where, "vectors", "\"given\" and \"vectors\" cannot be combined.");
  }
  if (given != nullptr) {
    input = read_given(root, *given, texts, where);
  } else if (vectors != nullptr) {
    input = read_vectors(root, *vectors, texts, where);
  } else {
    input.sequences = read_sequences(root, "text", "tokens", where);
    if (root.find("memory") != nullptr) input.memory = read_sequences(root, "memory", "memory_tokens", where);
    input.edited = root.tensor("edited_vectors", 3);
    input.edited_memory = root.tensor("edited_memory", 3);
  }
  input.cached = root.integer("cached", 0, 0, static_cast<int>(max_padded_length));
  input.padded_length = static_cast<int>(root.whole("padded_length", 0, 0, max_padded_length));
  return input;
}

/// The blocks themselves, for weights that no recipe can make again.
void read_blocks(const json& value, const std::string& where, Weights& weights) {
  JsonFields fields(value, "weights", where);
  if (fields.find("recipe") == nullptr || *fields.find("recipe") != "given") {
    throw FieldError(where, "weights", "\"weights.recipe\" must be \"given\" where weights are an object.");
  }
  weights.recipe = Recipe::Given;
  for (const ParameterInfo& row : parameter_table)
    weights[row.parameter] = fields.tensor(std::string(row.key), row.rank());
  weights.head_names = fields.texts("head_names");
  weights.made_by = fields.one_of("made_by", weights.made_by, names::recipe);
  fields.finish();
}

/// A factor above 0.
float read_gain(JsonFields& fields, const std::string& name) {
  const float gain = fields.number(name, 1);
  if (!(gain > 0)) fields.fail(name, "a number above 0", *fields.find(name));
  return gain;
}

/// What single blocks do differently from the recipe.
void read_block_recipes(JsonFields& root, const std::string& where, Weights& weights) {
  const json* value = root.find("blocks");
  if (value == nullptr) return;
  JsonFields blocks(*value, "blocks", where);
  for (std::size_t i = 0; i < weights.blocks.size(); ++i) {
    const std::string name(names::projection[i]);
    const json* block = blocks.find(name);
    if (block == nullptr) continue;
    JsonFields fields(*block, "blocks." + name, where);
    BlockRecipe& own = weights.blocks[i];
    own.gain = read_gain(fields, "gain");
    const std::uint64_t seed =
        fields.whole("seed", weights.seed, 0, std::numeric_limits<std::uint64_t>::max());
    if (fields.find("initialiser") != nullptr)
      own.drawn = {fields.one_of("initialiser", Initialiser::Xavier, names::initialiser), seed};
    fields.finish();
  }
  blocks.finish();
}

Weights read_weights(JsonFields& root, const std::string& where) {
  Weights weights;
  weights.seed = root.whole("seed", weights.seed, 0, std::numeric_limits<std::uint64_t>::max());
  weights.noise = root.number("noise", weights.noise);
  if (weights.noise < 0) root.fail("noise", "a number from 0 on", *root.find("noise"));
  weights.biases = root.boolean("biases", weights.biases);
  weights.fused = root.boolean("fused", weights.fused);
  weights.initialiser = root.one_of("initialiser", weights.initialiser, names::initialiser);
  read_block_recipes(root, where, weights);
  if (root.boolean("extra_key", false))  // with_weights() draws the numbers
    weights[Parameter::ExtraKey] = weights[Parameter::ExtraValue] = std::make_shared<const Tensor>(Shape{1});
  const json* value = root.find("weights");
  if (value != nullptr && value->is_object()) {
    read_blocks(*value, where, weights);
  } else {
    weights.recipe = root.choice("weights", 0, std::span(names::recipe).first<2>()) == 0 ? Recipe::Random
                                                                                         : Recipe::HandBuilt;
  }
  return weights;
}

Scaling read_scaling(JsonFields& root) {
  Scaling scaling;
  const json* value = root.find("scale");
  if (value != nullptr && value->is_number()) {
    scaling.kind = Scaling::Kind::Factor;
    scaling.factor = root.number("scale", 1);
    return scaling;
  }
  if (value != nullptr && !value->is_string()) {
    root.fail("scale", "\"1/sqrt(d_k)\", \"off\" or a number", *value);
  }
  scaling.kind = root.choice("scale", 0, {"1/sqrt(d_k)", "off"}) == 0 ? Scaling::Kind::InverseSqrtDk
                                                                      : Scaling::Kind::Off;
  scaling.factor = root.number("scale_factor", scaling.factor);  // what the switch would go back to
  return scaling;
}

Window read_window(JsonFields& mask, const std::string& where) {
  const json* value = mask.find("window");
  if (value == nullptr) return {};
  JsonFields fields(*value, "mask.window", where);
  Window window;
  if (fields.find("left") != nullptr) window.left = fields.integer("left", 0, 0, 1 << 30);
  if (fields.find("right") != nullptr) window.right = fields.integer("right", 0, 0, 1 << 30);
  fields.finish();
  return window;
}

Sparsity read_sparsity(JsonFields& mask, const std::string& where) {
  const json* value = mask.find("sparsity");
  Sparsity sparsity;
  if (value == nullptr) return sparsity;
  JsonFields fields(*value, "mask.sparsity", where);
  sparsity.kind = fields.one_of("kind", sparsity.kind, names::sparsity);
  sparsity.stride = fields.integer("stride", sparsity.stride, 1, 1 << 24);
  sparsity.block = fields.integer("block", sparsity.block, 1, 1 << 24);
  sparsity.globals = fields.integer("globals", sparsity.globals, 0, 1 << 24);
  sparsity.lsh_buckets = fields.integer("lsh_buckets", sparsity.lsh_buckets, 2, 1024);
  sparsity.lsh_rounds = fields.integer("lsh_rounds", sparsity.lsh_rounds, 1, 16);
  sparsity.seed = fields.whole("seed", sparsity.seed, 0, std::numeric_limits<std::uint64_t>::max());
  fields.finish();
  return sparsity;
}

Masking read_masking(JsonFields& root, const std::string& where) {
  Masking masking;
  const json* value = root.find("mask");
  if (value == nullptr) return masking;
  JsonFields fields(*value, "mask", where);
  masking.causal = fields.boolean("causal", masking.causal);
  masking.padding = fields.boolean("padding", masking.padding);
  masking.window = read_window(fields, where);
  masking.sparsity = read_sparsity(fields, where);
  for (const std::int64_t head : fields.wholes("heads", max_d_model))
    masking.heads.push_back(static_cast<int>(head));
  masking.additive = fields.tensor("additive", 4, true);
  masking.hidden = fields.one_of("hidden", masking.hidden, names::hidden);
  masking.mistake = fields.one_of("mistake", masking.mistake, names::mistake);
  fields.finish();
  return masking;
}

PositionSettings read_position_settings(JsonFields& root, const std::string& where) {
  PositionSettings settings;
  const json* value = root.find("position_settings");
  if (value == nullptr) return settings;
  JsonFields fields(*value, "position_settings", where);
  settings.rope_base = fields.number("rope_base", settings.rope_base);
  settings.rope_dims = fields.integer("rope_dims", settings.rope_dims, 0, max_d_model);
  settings.buckets = fields.integer("buckets", settings.buckets, 2, 4096);
  settings.bucket_distance = fields.integer("bucket_distance", settings.bucket_distance, 2, 1 << 24);
  settings.buckets_two_sided = fields.boolean("buckets_two_sided", settings.buckets_two_sided);
  fields.finish();
  return settings;
}

Dropout read_dropout(JsonFields& root, const std::string& where) {
  Dropout dropout;
  const json* value = root.find("dropout");
  if (value == nullptr) return dropout;
  JsonFields fields(*value, "dropout", where);
  dropout.rate = fields.number("rate", dropout.rate);
  dropout.seed = fields.whole("seed", dropout.seed, 0, std::numeric_limits<std::uint64_t>::max());
  fields.finish();
  return dropout;
}

Loss read_loss(JsonFields& root, const std::string& where) {
  Loss loss;
  const json* value = root.find("loss");
  if (value == nullptr) return loss;
  JsonFields fields(*value, "loss", where);
  loss.kind = fields.one_of("kind", loss.kind, names::loss);
  loss.given = fields.tensor("given", 3);
  fields.finish();
  return loss;
}

/// The list of operated heads, for a Document whose heads are known; empty when none is.
std::vector<HeadSurgery> read_surgery(JsonFields& root, const std::string& where, int heads) {
  const json* list = root.find("surgery");
  if (list == nullptr) return {};
  if (!list->is_array()) root.fail("surgery", "an array of objects, one for each operated head", *list);
  std::vector<HeadSurgery> surgery(static_cast<std::size_t>(heads));
  bool operated = false;
  std::set<int> named;
  for (const json& value : *list) {
    JsonFields fields(value, "surgery", where);
    const json* number = fields.find("head");
    if (number == nullptr) throw FieldError(where, "surgery", "\"surgery\" needs \"head\".");
    const int head = fields.integer("head", 0, 0, heads - 1);
    if (!named.insert(head).second) fields.fail("head", "a head that is not named twice", *number);
    HeadSurgery& there = surgery[static_cast<std::size_t>(head)];
    there.kind = fields.one_of("kind", HeadSurgery::Kind::None, names::surgery);
    there.frozen = fields.tensor("pattern", 3);
    fields.finish();
    const bool frozen = there.kind == HeadSurgery::Kind::Frozen;
    if (frozen != static_cast<bool>(there.frozen)) {
      throw FieldError(where, "surgery",
                       "\"surgery.pattern\" belongs to the kind \"frozen\", and that kind needs it.");
    }
    if (frozen) check_pattern(head, *there.frozen);
    operated = operated || there.kind != HeadSurgery::Kind::None;
  }
  return operated ? surgery : std::vector<HeadSurgery>{};
}

/// How masked scores become weights.
void read_softmax(JsonFields& root, const std::string& where, Document& document) {
  document.softmax = root.one_of("softmax", document.softmax, names::softmax);
  document.empty_row = root.one_of("empty_row", document.empty_row, names::empty_row);
  document.temperature = root.number("temperature", 1);
  if (!(document.temperature > 0)) root.fail("temperature", "a number above 0", *root.find("temperature"));
  document.linear = root.boolean("linear", document.linear);
  document.dropout = read_dropout(root, where);
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
  document.d_model = static_cast<int>(root.whole("d_model", 64, 1, max_d_model));
  document.heads = static_cast<int>(root.whole("heads", 8, 1, max_d_model));
  document.kv_heads = root.integer("kv_heads", 0, 0, max_d_model);
  document.d_k = root.integer("d_k", 0, 0, max_d_model);
  document.d_v = root.integer("d_v", 0, 0, max_d_model);
  document.input = read_input(root, where);
  document.weights = read_weights(root, where);
  document.zero_key = root.boolean("zero_key", document.zero_key);
  const bool hand_built = document.weights.recipe == Recipe::HandBuilt;
  document.embedding =
      root.one_of("embedding", hand_built ? Embedding::HandBuilt : Embedding::Gaussian, names::embedding);
  document.embedding_gain = read_gain(root, "embedding_gain");
  document.positions = root.one_of("positions", Positions::Sinusoidal, names::positions);
  document.position_settings = read_position_settings(root, where);
  document.scaling = read_scaling(root);
  document.soft_cap = root.number("soft_cap", 0);
  if (!(document.soft_cap >= 0)) root.fail("soft_cap", "a number of at least 0", *root.find("soft_cap"));
  document.masking = read_masking(root, where);
  read_softmax(root, where, document);
  document.surgery = read_surgery(root, where, query_heads(document));
  document.precision = root.one_of("precision", document.precision, names::precision);
  document.loss = read_loss(root, where);
  for (const char* of_session : {"session", "view", "held"}) root.find(of_session);  // see session_file.hpp
  root.finish();
  if (document.weights.recipe == Recipe::Given) return document;  // the file's own blocks, fitting or not
  return with_weights(std::move(document));
}

}  // namespace attnscope

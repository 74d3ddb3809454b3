// core/files: the JSON form of a Document. Every float is printed so that it reads back to the same bits.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/files/atomic_write.hpp"
#include "core/files/document_names.hpp"
#include "core/files/limits.hpp"
#include "core/files/open.hpp"
#include "core/files/session_file.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The shortest decimal that names this float alone. Readers go through double, which may round a second
/// time: where that would end at another float, the double's own digits are printed.
std::string json_number(float value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  const std::string shortest = fmt::format("{}", value);
  double back = 0;
  std::from_chars(shortest.data(), shortest.data() + shortest.size(), back);
  return static_cast<float>(back) == value ? shortest : fmt::format("{}", static_cast<double>(value));
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() == 1 ? "" : ", ") + json_text(text);
  return out + "]";
}

/// Nested arrays with one row of numbers per line.
void append_tensor(const Tensor& tensor, bool null_hides, std::string& out) {
  if (tensor.size() == 0) {
    out += "[]";
    return;
  }
  const int rank = tensor.shape().rank();
  const std::int64_t columns = rank == 0 ? 1 : tensor.shape()[rank - 1];
  // How many levels open or close at element i: all axes whose block starts or ends there.
  const auto levels = [&](std::int64_t i) {
    int count = 0;
    std::int64_t block = 1;
    for (int axis = rank - 1; axis >= 0; --axis) {
      block *= tensor.shape()[axis];
      if (i % block == 0) ++count;
    }
    return static_cast<std::size_t>(count);
  };
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) out += i % columns == 0 ? ",\n   " : ", ";
    if (i % columns == 0) out.append(levels(i), '[');
    const float value = tensor.values()[static_cast<std::size_t>(i)];
    out += null_hides && std::isinf(value) && value < 0 ? "null" : json_number(value);
    if ((i + 1) % columns == 0) out.append(levels(i + 1), ']');
  }
}

/// An object that is written key by key.
class JsonWriter {
 public:
  explicit JsonWriter(std::string_view indent) : indent_(indent) {}

  void add(std::string_view key, std::string_view value) {
    out_ += fmt::format("{}\n{}\"{}\": {}", out_.size() == 1 ? "" : ",", indent_, key, value);
  }
  void add(std::string_view key, bool value) { add(key, std::string_view(value ? "true" : "false")); }
  void add(std::string_view key, const TensorPtr& tensor, bool null_hides = false) {
    if (!tensor) return;
    std::string text;
    append_tensor(*tensor, null_hides, text);
    add(key, text);
  }
  std::string take() { return out_ + "}"; }

 private:
  std::string_view indent_;
  std::string out_ = "{";
};

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
  return json_list(sequences, [](const Sequence& s) { return json_texts(s.tokens); });
}

/// Whether tokens and texts follow from each other; `labels`: they only label the rows and columns of
/// tensors.
bool is_plain(const std::vector<Sequence>& sequences, bool labels) {
  return std::ranges::all_of(sequences, [&](const Sequence& sequence) {
    if (labels) return sequence.text == fmt::format("{}", fmt::join(sequence.tokens, " "));
    return is_valid_utf8(sequence.text) && sequence.tokens == tokenize(sequence.text);
  });
}

std::string json_wholes(const auto& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

/// The name of an enumerator.
template <class E, std::size_t N>
std::string json_name(E value, const std::array<names::Name, N>& of) {
  return json_text(std::string(of[static_cast<std::size_t>(value)]));
}

void add_given(const Input& input, JsonWriter& writer) {
  JsonWriter given("  ");
  if (!input.sequences.empty()) given.add("tokens", tokens_of(input.sequences));
  given.add("query", input.given.query);
  given.add("key", input.given.key);
  given.add("value", input.given.value);
  given.add("past_key", input.given.past_key);
  given.add("past_value", input.given.past_value);
  if (!input.given.lengths.empty()) given.add("lengths", json_wholes(input.given.lengths));
  if (input.given.holds != Holds::QueryKeyValue)
    given.add("holds", json_name(input.given.holds, names::holds));
  if (const Guesses& guesses = input.given.guesses; guesses.any()) {
    JsonWriter guessed("   ");
    if (!guesses.causal.empty()) guessed.add("causal", json_text(guesses.causal));
    if (!guesses.positions.empty()) guessed.add("positions", json_text(guesses.positions));
    given.add("guessed", guessed.take());
  }
  writer.add("given", given.take());
}

void add_vectors(const Input& input, JsonWriter& writer) {
  JsonWriter vectors("  ");
  if (!input.sequences.empty()) vectors.add("tokens", tokens_of(input.sequences));
  vectors.add("query", input.vectors.query);
  vectors.add("key", input.vectors.key);
  vectors.add("value", input.vectors.value);
  writer.add("vectors", vectors.take());
}

void add_input(const Input& input, JsonWriter& writer) {
  const bool tensors = input.given || input.vectors;
  const bool plain = is_plain(input.sequences, tensors);
  if (!tensors || (!plain && !input.sequences.empty())) writer.add("text", texts_of(input.sequences));
  if (!tensors && !plain) writer.add("tokens", tokens_of(input.sequences));
  if (input.given) add_given(input, writer);
  if (!input.given && input.vectors) add_vectors(input, writer);
  if (!tensors && !input.memory.empty()) {
    writer.add("memory", texts_of(input.memory));
    if (!is_plain(input.memory, false)) writer.add("memory_tokens", tokens_of(input.memory));
  }
  if (!tensors) {
    writer.add("edited_vectors", input.edited);
    writer.add("edited_memory", input.edited_memory);
  }
  if (input.cached != 0) writer.add("cached", fmt::to_string(input.cached));
  writer.add("padded_length", fmt::to_string(input.padded_length));
}

/// What single blocks do differently from the recipe.
void add_block_recipes(const Weights& weights, JsonWriter& writer) {
  if (weights.blocks == std::array<BlockRecipe, 4>{}) return;
  JsonWriter blocks("  ");
  for (std::size_t i = 0; i < weights.blocks.size(); ++i) {
    const BlockRecipe& own = weights.blocks[i];
    if (own == BlockRecipe{}) continue;
    JsonWriter block("   ");
    if (own.drawn) {
      block.add("initialiser", json_name(own.drawn->initialiser, names::initialiser));
      block.add("seed", fmt::to_string(own.drawn->seed));
    }
    if (own.gain != 1) block.add("gain", json_number(own.gain));
    blocks.add(names::projection[i], block.take());
  }
  writer.add("blocks", blocks.take());
}

void add_weights(const Weights& weights, Embedding embedding, JsonWriter& writer) {
  writer.add("seed", fmt::to_string(weights.seed));
  if (weights.recipe == Recipe::Given) {
    JsonWriter blocks("  ");
    blocks.add("recipe", std::string_view("\"given\""));
    for (const ParameterInfo& row : parameter_table) blocks.add(row.key, weights[row.parameter]);
    if (!weights.head_names.empty()) blocks.add("head_names", json_texts(weights.head_names));
    if (weights.made_by != Recipe::Given) blocks.add("made_by", json_name(weights.made_by, names::recipe));
    writer.add("weights", blocks.take());
  } else {
    writer.add("weights",
               std::string_view(weights.recipe == Recipe::HandBuilt ? "\"hand-built\"" : "\"random\""));
  }
  const Embedding implied = weights.recipe == Recipe::HandBuilt ? Embedding::HandBuilt : Embedding::Gaussian;
  if (embedding != implied) {
    writer.add("embedding",
               std::string_view(embedding == Embedding::HandBuilt ? "\"hand-built\"" : "\"gaussian\""));
  }
  writer.add("noise", json_number(weights.noise));
  writer.add("biases", weights.biases);
  if (weights.fused) writer.add("fused", true);
  if (weights.initialiser != Initialiser::Xavier)
    writer.add("initialiser", json_name(weights.initialiser, names::initialiser));
  add_block_recipes(weights, writer);
  if (weights[Parameter::ExtraKey] && weights.recipe != Recipe::Given) writer.add("extra_key", true);
}

void add_scaling(const Scaling& scaling, JsonWriter& writer) {
  switch (scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: writer.add("scale", std::string_view("\"1/sqrt(d_k)\"")); break;
    case Scaling::Kind::Off: writer.add("scale", std::string_view("\"off\"")); break;
    case Scaling::Kind::Factor: writer.add("scale", json_number(scaling.factor)); return;
  }
  if (scaling.factor != 1) writer.add("scale_factor", json_number(scaling.factor));
}

void add_positions(const Document& document, JsonWriter& writer) {
  writer.add("positions", json_name(document.positions, names::positions));
  const PositionSettings& settings = document.position_settings;
  if (settings == PositionSettings{}) return;
  JsonWriter fields("  ");
  fields.add("rope_base", json_number(settings.rope_base));
  fields.add("rope_dims", fmt::to_string(settings.rope_dims));
  fields.add("buckets", fmt::to_string(settings.buckets));
  fields.add("bucket_distance", fmt::to_string(settings.bucket_distance));
  fields.add("buckets_two_sided", settings.buckets_two_sided);
  writer.add("position_settings", fields.take());
}

void add_masking(const Masking& masking, JsonWriter& writer) {
  JsonWriter mask("  ");
  mask.add("causal", masking.causal);
  mask.add("padding", masking.padding);
  if (!masking.window.open()) {
    JsonWriter window("   ");
    if (masking.window.left >= 0) window.add("left", fmt::to_string(masking.window.left));
    if (masking.window.right >= 0) window.add("right", fmt::to_string(masking.window.right));
    mask.add("window", window.take());
  }
  const Sparsity& sparsity = masking.sparsity;
  if (sparsity != Sparsity{}) {
    JsonWriter fields("   ");
    fields.add("kind", json_name(sparsity.kind, names::sparsity));
    fields.add("stride", fmt::to_string(sparsity.stride));
    fields.add("block", fmt::to_string(sparsity.block));
    fields.add("globals", fmt::to_string(sparsity.globals));
    fields.add("lsh_buckets", fmt::to_string(sparsity.lsh_buckets));
    fields.add("lsh_rounds", fmt::to_string(sparsity.lsh_rounds));
    fields.add("seed", fmt::to_string(sparsity.seed));
    mask.add("sparsity", fields.take());
  }
  if (!masking.heads.empty()) mask.add("heads", json_wholes(masking.heads));
  mask.add("additive", masking.additive, true);
  if (masking.hidden != Masking::Hidden::MinusInfinity)
    mask.add("hidden", json_name(masking.hidden, names::hidden));
  if (masking.mistake != MaskMistake::None) mask.add("mistake", json_name(masking.mistake, names::mistake));
  writer.add("mask", mask.take());
}

void add_softmax(const Document& document, JsonWriter& writer) {
  if (document.softmax != SoftmaxKind::Stable)
    writer.add("softmax", json_name(document.softmax, names::softmax));
  if (document.empty_row != EmptyRow::Zeros)
    writer.add("empty_row", json_name(document.empty_row, names::empty_row));
  writer.add("temperature", json_number(document.temperature));
  if (document.linear) writer.add("linear", true);
  if (document.dropout == Dropout{}) return;
  JsonWriter dropout("  ");
  dropout.add("rate", json_number(document.dropout.rate));
  dropout.add("seed", fmt::to_string(document.dropout.seed));
  writer.add("dropout", dropout.take());
}

void add_surgery(const std::vector<HeadSurgery>& surgery, JsonWriter& writer) {
  std::string list;
  for (std::size_t h = 0; h < surgery.size(); ++h) {
    if (surgery[h].kind == HeadSurgery::Kind::None) continue;
    JsonWriter head("   ");
    head.add("head", fmt::to_string(h));
    head.add("kind", json_name(surgery[h].kind, names::surgery));
    head.add("pattern", surgery[h].frozen);
    list += (list.empty() ? "" : ", ") + head.take();
  }
  if (!list.empty()) writer.add("surgery", "[" + list + "]");
}

}  // namespace

std::string to_json(const Document& document) { return session_to_json(document, {}, nullptr); }

std::string session_to_json(const Document& document, std::string_view view, const Document* held) {
  JsonWriter writer(" ");
  writer.add("attnscope", std::string_view("1"));
  if (!view.empty())
    writer.add("session", std::string_view("1"));  // early: a file that was cut is known by it
  writer.add("title", json_text(document.title));
  add_input(document.input, writer);
  writer.add("d_model", fmt::to_string(document.d_model));
  writer.add("heads", fmt::to_string(document.heads));
  if (document.kv_heads != 0) writer.add("kv_heads", fmt::to_string(document.kv_heads));
  if (document.d_k != 0) writer.add("d_k", fmt::to_string(document.d_k));
  if (document.d_v != 0) writer.add("d_v", fmt::to_string(document.d_v));
  add_weights(document.weights, document.embedding, writer);
  if (document.embedding_gain != 1) writer.add("embedding_gain", json_number(document.embedding_gain));
  if (document.zero_key) writer.add("zero_key", true);
  add_positions(document, writer);
  add_scaling(document.scaling, writer);
  if (document.soft_cap != 0) writer.add("soft_cap", json_number(document.soft_cap));
  add_masking(document.masking, writer);
  add_softmax(document, writer);
  add_surgery(document.surgery, writer);
  if (document.precision != Precision::Float32)
    writer.add("precision", json_name(document.precision, names::precision));
  if (document.loss != Loss{}) {
    JsonWriter loss("  ");
    loss.add("kind", json_name(document.loss.kind, names::loss));
    loss.add("given", document.loss.given);
    writer.add("loss", loss.take());
  }
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

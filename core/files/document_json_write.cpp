// core/files: the JSON form of a Document. Every float is printed so that it reads back to the same bits.
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/files/atomic_write.hpp"
#include "core/files/limits.hpp"
#include "core/files/open.hpp"
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

void add_input(const Input& input, JsonWriter& writer) {
  const std::string texts = json_list(input.sequences, [](const Sequence& s) { return json_text(s.text); });
  const std::string tokens =
      json_list(input.sequences, [](const Sequence& s) { return json_texts(s.tokens); });
  bool plain = true;  // tokens and texts follow from each other
  for (const Sequence& sequence : input.sequences) {
    plain =
        plain && (input.given ? sequence.text == fmt::format("{}", fmt::join(sequence.tokens, " "))
                              : is_valid_utf8(sequence.text) && sequence.tokens == tokenize(sequence.text));
  }
  if (input.given) {
    if (!plain && !input.sequences.empty()) writer.add("text", texts);
    JsonWriter given("  ");
    if (!input.sequences.empty()) given.add("tokens", tokens);
    given.add("query", input.given.query);
    given.add("key", input.given.key);
    given.add("value", input.given.value);
    writer.add("given", given.take());
  } else {
    writer.add("text", texts);
    if (!plain) writer.add("tokens", tokens);
  }
  writer.add("padded_length", fmt::to_string(input.padded_length));
}

void add_weights(const Weights& weights, Embedding embedding, JsonWriter& writer) {
  writer.add("seed", fmt::to_string(weights.seed));
  if (weights.recipe == Recipe::Given) {
    JsonWriter blocks("  ");
    blocks.add("recipe", std::string_view("\"given\""));
    blocks.add("query", weights.w_query);
    blocks.add("key", weights.w_key);
    blocks.add("value", weights.w_value);
    blocks.add("output", weights.w_output);
    blocks.add("query_bias", weights.b_query);
    blocks.add("key_bias", weights.b_key);
    blocks.add("value_bias", weights.b_value);
    blocks.add("output_bias", weights.b_output);
    if (!weights.head_names.empty()) blocks.add("head_names", json_texts(weights.head_names));
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
}

void add_scaling(const Scaling& scaling, JsonWriter& writer) {
  switch (scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: writer.add("scale", std::string_view("\"1/sqrt(d_k)\"")); break;
    case Scaling::Kind::Off: writer.add("scale", std::string_view("\"off\"")); break;
    case Scaling::Kind::Factor: writer.add("scale", json_number(scaling.factor)); return;
  }
  if (scaling.factor != 1) writer.add("scale_factor", json_number(scaling.factor));
}

}  // namespace

std::string to_json(const Document& document) {
  JsonWriter writer(" ");
  writer.add("attnscope", std::string_view("1"));
  writer.add("title", json_text(document.title));
  add_input(document.input, writer);
  writer.add("d_model", fmt::to_string(document.d_model));
  writer.add("heads", fmt::to_string(document.heads));
  add_weights(document.weights, document.embedding, writer);
  writer.add("positions",
             std::string_view(document.positions == Positions::Sinusoidal ? "\"sinusoidal\"" : "\"none\""));
  add_scaling(document.scaling, writer);
  if (document.soft_cap != 0) writer.add("soft_cap", json_number(document.soft_cap));
  writer.add("temperature", json_number(document.temperature));
  JsonWriter mask("  ");
  mask.add("causal", document.masking.causal);
  mask.add("padding", document.masking.padding);
  mask.add("additive", document.masking.additive, true);
  writer.add("mask", mask.take());
  return writer.take() + "\n";
}

void save_document(const Document& document, const std::filesystem::path& path) {
  const std::string text = to_json(document);
  if (text.size() > max_json_bytes) {
    throw Error(fmt::format("Cannot write {}: the document takes {} bytes, expected at most {}.",
                            in_quotes(path.native()), text.size(), max_json_bytes));
  }
  const std::array<std::string_view, 1> pieces{text};
  write_atomically(path, pieces);
}

}  // namespace attnscope

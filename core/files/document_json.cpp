// core/files: a Document from its JSON form. The keys are listed in README, "File formats".
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/files/json_reader.hpp"
#include "core/files/limits.hpp"
#include "core/files/open.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"
#include "core/weights/make_weights.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

std::string joined(const std::vector<std::string>& tokens) {
  return fmt::format("{}", fmt::join(tokens, " "));
}

/// The texts of the batch, cut into tokens unless the file lists those as well.
std::vector<Sequence> read_sequences(JsonFields& root, const std::vector<std::string>& texts,
                                     const std::string& where) {
  const json* listed = root.find("tokens");
  const std::vector<std::vector<std::string>> tokens = root.text_lists("tokens");
  if (listed != nullptr && tokens.size() != texts.size()) {
    root.fail("tokens", fmt::format("a list for each of the {} texts", texts.size()), *listed);
  }
  std::vector<Sequence> sequences;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    if (texts[b].size() > max_text_bytes) {
      throw Error(fmt::format("{}: a text of {} bytes under \"text\" is too long, expected at most {}.",
                              in_quotes(where), texts[b].size(), max_text_bytes));
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

/// Q, K and V as numbers, with tokens that only label them.
Input read_given(JsonFields& root, const json& value, const std::vector<std::string>& texts,
                 const std::string& where) {
  JsonFields fields(value, "given", where);
  Input input;
  input.given = {fields.tensor("query", 4), fields.tensor("key", 4), fields.tensor("value", 4)};
  if (!input.given) {
    throw Error(fmt::format("{}: \"given\" needs \"query\", \"key\" and \"value\".", in_quotes(where)));
  }
  const json* listed = fields.find("tokens");
  const std::vector<std::vector<std::string>> tokens = fields.text_lists("tokens");
  fields.finish();
  input.sequences = numbered_sequences(input.given);
  if (listed != nullptr) label(fields, *listed, tokens, input.sequences);
  if (root.find("text") != nullptr) {
    if (texts.size() != input.sequences.size()) {
      root.fail("text", fmt::format("{} texts, one for each entry of the batch", input.sequences.size()),
                *root.find("text"));
    }
    for (std::size_t b = 0; b < texts.size(); ++b) input.sequences[b].text = texts[b];
  }
  return input;
}

Input read_input(JsonFields& root, const std::string& where) {
  const std::vector<std::string> texts = root.texts("text");
  const json* given = root.find("given");
  Input input;
  if (given != nullptr) {
    input = read_given(root, *given, texts, where);
  } else {
    input.sequences = read_sequences(root, texts, where);
  }
  input.padded_length = static_cast<int>(root.whole("padded_length", 0, 0, max_padded_length));
  return input;
}

/// The blocks themselves, for weights that no recipe can make again.
void read_blocks(const json& value, const std::string& where, Weights& weights) {
  JsonFields fields(value, "weights", where);
  if (fields.find("recipe") == nullptr || *fields.find("recipe") != "given") {
    throw Error(fmt::format("{}: \"weights.recipe\" must be \"given\" where weights are an object.",
                            in_quotes(where)));
  }
  weights.recipe = Recipe::Given;
  weights.w_query = fields.tensor("query", 2);
  weights.w_key = fields.tensor("key", 2);
  weights.w_value = fields.tensor("value", 2);
  weights.w_output = fields.tensor("output", 2);
  weights.b_query = fields.tensor("query_bias", 1);
  weights.b_key = fields.tensor("key_bias", 1);
  weights.b_value = fields.tensor("value_bias", 1);
  weights.b_output = fields.tensor("output_bias", 1);
  weights.head_names = fields.texts("head_names");
  fields.finish();
}

Weights read_weights(JsonFields& root, const std::string& where) {
  Weights weights;
  weights.seed = root.whole("seed", weights.seed, 0, std::numeric_limits<std::uint64_t>::max());
  weights.noise = root.number("noise", weights.noise);
  if (weights.noise < 0) root.fail("noise", "a number from 0 on", *root.find("noise"));
  weights.biases = root.boolean("biases", weights.biases);
  const json* value = root.find("weights");
  if (value != nullptr && value->is_object()) {
    read_blocks(*value, where, weights);
  } else {
    weights.recipe =
        root.choice("weights", 0, {"random", "hand-built"}) == 0 ? Recipe::Random : Recipe::HandBuilt;
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

Masking read_masking(JsonFields& root, const std::string& where) {
  Masking masking;
  const json* value = root.find("mask");
  if (value == nullptr) return masking;
  JsonFields fields(*value, "mask", where);
  masking.causal = fields.boolean("causal", masking.causal);
  masking.padding = fields.boolean("padding", masking.padding);
  masking.additive = fields.tensor("additive", 4, true);
  fields.finish();
  return masking;
}

}  // namespace

Document document_from_json(std::string_view text, const std::string& where) {
  const json value = parse_strict_json(text, where);
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
  document.input = read_input(root, where);
  document.weights = read_weights(root, where);
  const bool hand_built = document.weights.recipe == Recipe::HandBuilt;
  document.embedding = root.choice("embedding", hand_built ? 1 : 0, {"gaussian", "hand-built"}) == 0
                           ? Embedding::Gaussian
                           : Embedding::HandBuilt;
  document.positions =
      root.choice("positions", 0, {"sinusoidal", "none"}) == 0 ? Positions::Sinusoidal : Positions::None;
  document.scaling = read_scaling(root);
  document.soft_cap = root.number("soft_cap", 0);
  if (!(document.soft_cap >= 0)) root.fail("soft_cap", "a number of at least 0", *root.find("soft_cap"));
  document.masking = read_masking(root, where);
  document.temperature = root.number("temperature", 1);
  if (!(document.temperature > 0)) root.fail("temperature", "a number above 0", *root.find("temperature"));
  root.finish();
  return with_weights(std::move(document));
}

}  // namespace attnscope

#include "core/edits/dump.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/known.hpp"
#include "core/files/formats/limits.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {

bool is_causal_guessed(const Document& document) {
  return document.input.is_given() && !document.input.given().guesses.causal.empty();
}

bool are_positions_guessed(const Document& document) {
  return document.input.is_given() && knows_scores(document) &&
         !document.input.given().guesses.positions.empty();
}

std::string weights_note(const Document& document) {
  return document.input.is_given() && !knows_scores(document) ? document.input.given().guesses.positions : "";
}

void align_causal(Document& document) {
  Given* const found = document.input.as<Given>();
  if (found == nullptr || found->past_key) return;
  Given& given = *found;
  const std::int64_t batch = given.query->shape()[0], queries = given.query->shape()[2],
                     keys = given.key->shape()[2];
  const std::vector<std::int64_t> all(static_cast<std::size_t>(batch), keys);
  if (keys <= queries || (!given.lengths.empty() && given.lengths != all)) return;
  given.lengths = document.layer().masking.causal ? all : std::vector<std::int64_t>{};
}

}  // namespace attnscope

namespace attnscope::edit {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_blank) - text.begin());
    words.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

/// The strings of a JSON array; nullopt if the text is not one.
std::optional<std::vector<std::string>> strings_of(std::string_view text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return std::nullopt;
  std::vector<std::string> strings;
  for (const nlohmann::json& entry : list) {
    if (!entry.is_string() || entry.get_ref<const std::string&>().empty()) return std::nullopt;
    strings.push_back(entry.get<std::string>());
  }
  return strings;
}

}  // namespace

Document causal(Document document, bool causal) {
  document.layer().masking.causal = causal;
  if (Given* const given = document.input.as<Given>()) given->guesses.causal.clear();
  align_causal(document);
  return document;
}

Document positions(Document document, Positions positions) {
  document.layer().positions = positions;
  if (Given* const given = document.input.as<Given>()) given->guesses.positions.clear();
  return document;
}

Document answered(Document document, const Answers& answers) {
  if (answers.causal) document = causal(std::move(document), *answers.causal);
  if (answers.positions) document = positions(std::move(document), *answers.positions);
  return document;
}

std::vector<std::string> labels_of(std::string_view text, std::size_t expected, std::size_t& found) {
  std::vector<std::string> labels = strings_of(text).value_or(words_of(text));
  found = labels.size();
  return found == expected ? labels : std::vector<std::string>{};
}

Document labels(Document document, std::size_t b, std::string text) {
  if (!is_valid_utf8(text)) throw Error("The labels are not valid UTF-8.");
  Input& input = document.input;
  if (!input.is_given() || b >= input.sequences.size()) return document;
  Sequence& sequence = input.sequences.change()[b];
  std::size_t found = 0;
  std::vector<std::string> typed = labels_of(text, sequence.tokens.size(), found);
  if (!typed.empty()) sequence.tokens = label_tokens(typed);
  if (found == 0) sequence.tokens = numbered_sequences(input.given())[b].tokens;
  sequence.text = std::move(text);
  return document;
}

std::string numbered_text(const Document& document, std::size_t b) {
  std::string text;
  for (std::size_t i = 0; i < document.input.sequences[b].tokens.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(i);
  }
  return text;
}

std::string joined_labels(const Sequence& sequence) { return joined(sequence.tokens); }

Document with_settings_of(Document next, const Document& shown) {
  const LayerSpec& from = shown.layer();
  LayerSpec& to = next.layer();
  const Guesses known = next.input.given().guesses;  // of this layer
  const bool weights_now = !knows_scores(next), weights_before = !knows_scores(shown);
  const TensorPtr own_mask = to.masking.additive;
  const bool own_causal = to.masking.causal;
  to.masking = from.masking;
  to.masking.additive = own_mask;
  if (!own_mask && !weights_before && from.masking.additive) to.masking.additive = from.masking.additive;
  if (Given* const given = next.input.as<Given>()) {
    given->guesses = shown.input.given().guesses;
    if (weights_now || weights_before) given->guesses.positions = known.positions;
    if (!given->guesses.causal.empty()) {  // still a guess: prefer what the file states for this layer
      given->guesses.causal = known.causal;
      to.masking.causal = own_causal;
    }
  }
  to.scaling = from.scaling;
  to.soft_cap = from.soft_cap;
  to.softmax = from.softmax;
  to.temperature = from.temperature;
  to.dropout = from.dropout;
  next.precision = shown.precision;
  to.position_settings = from.position_settings;
  to.positions = from.positions;
  if (weights_now) {  // nothing is computed from queries and keys
    if (is_added_to_scores(to.positions) && !weights_before) to.positions = Positions::None;
    if (to.masking.sparsity.kind == Sparsity::Kind::Lsh) to.masking.sparsity = {};
  } else {
    to.linear = from.linear;
    to.qk_norm = from.qk_norm;  // its weights and sinks belong to their layer
    to.add_zero_attn = from.add_zero_attn;
  }
  next.loss.kind = knows_values(next) ? shown.loss.kind : Loss::Kind::Off;
  std::erase_if(to.masking.heads, [&](int head) { return head >= query_heads(next); });
  const auto counts = [](const Document& document) {
    std::vector<std::size_t> tokens;
    for (const Sequence& sequence : document.input.sequences) tokens.push_back(sequence.tokens.size());
    return tokens;
  };
  if (counts(next) == counts(shown)) next.input.sequences = shown.input.sequences;
  align_causal(next);
  if (!own_mask) {  // the mask may have been painted on a layer of other sizes
    try {
      check_any_length(next);
    } catch (const Error&) {
      to.masking.additive.reset();
    }
  }
  return next;
}

}  // namespace attnscope::edit

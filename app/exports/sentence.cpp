#include "app/exports/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/exports/words/pattern_words.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/scene/scene.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/mask.hpp"
#include "core/edits/model.hpp"

namespace attnscope {
namespace {

/// Three significant digits, or "not measured" for NaN.
std::string said_number(double value) {
  if (std::isnan(value)) return "not measured";
  return std::abs(value) < 1e-3 && value != 0 ? fmt::format("{:.1e}", value) : fmt::format("{:.3g}", value);
}

/// "0.44 nats (uniform attention 1.45)", "not measured (uniform attention 1.45)".
std::string beside_uniform(double value, double uniform, std::string_view unit = "") {
  if (std::isnan(value)) unit = "";
  return fmt::format("{}{} (uniform attention {})", said_number(value), unit, said_number(uniform));
}

/// "\"sat\" (3)", or "3" without tokens.
std::string token_said(const std::string& label, std::int64_t index) {
  const std::string text = plain(label);
  return text == fmt::format("{}", index) ? text : fmt::format("\"{}\" ({})", text, index);
}

/// "sat (3)", or "3" without tokens.
std::string place_said(const std::string& label, std::int64_t index) {
  const std::string text = plain(label);
  return text == fmt::format("{}", index) ? text : fmt::format("{} ({})", text, index);
}

std::string place_of(const LayerResult& layer, const LookedAt& at) {
  const Dimensions& size = layer.dimensions;
  const HeadRole role = role_of(layer, at.head);
  std::string text = layer.document.title.empty() ? "" : fmt::format("{}: ", layer.document.title);
  text += fmt::format("head {} of {}", at.head, size.heads);
  if (!role.does.empty())
    text +=
        fmt::format(", {}, with {}", role.does, beside_uniform(role.score, role.uniform, " of its weight"));
  if (size.batch > 1) text += fmt::format(", sequence {} of {}", at.sequence, size.batch);
  return fmt::format("{}; {} {}, {} {}.", text, size.queries, size.queries == 1 ? "query" : "queries",
                     size.keys, size.keys == 1 ? "key" : "keys");
}

std::string head_said(const HeadMeasures& head) {
  if (std::isnan(head.uniform.entropy))
    return "No query has a choice of keys, so the head has no mean entropy.";
  return fmt::format(
      "Over its rows the mean entropy is {}, the mean of the largest weight {}, the mean distance {}.",
      beside_uniform(head.entropy, head.uniform.entropy, " nats"),
      beside_uniform(head.mean_largest, head.uniform.mean_largest),
      beside_uniform(head.distance, head.uniform.distance, " tokens"));
}

std::string cell_said(const LayerResult& layer, const LookedAt& at) {
  const auto [query, key] = *at.cell;
  const RowMeasures& row = layer.measures.row(at.sequence, at.head, query);
  const HeadMeasures& head = layer.measures.head(at.sequence, at.head);
  const auto key_said = [&](std::int64_t k) { return token_said(key_label(layer, at.sequence, k), k); };
  const std::string asks = query_label(layer, at.sequence, query);
  if (row.allowed == 0) return fmt::format("Query {} sees no key.", token_said(asks, query));
  PatternCell cell{
      .layer = {},
      .head = at.head,
      .query = place_said(asks, query),
      .key = place_said(key_label(layer, at.sequence, key), key),
      .weight = {},
      .is_hidden = !MaskRule(layer.document, layer.trace).allows(at.sequence, at.head, query, key),
      .allowed = row.allowed,
      .entropy = row.entropy};
  std::vector<std::string> all;
  if (const TensorPtr& weights = layer.trace[weights_stage(layer.document)]) {
    const auto weight = static_cast<double>(weights->matrix(at.sequence, at.head)(query, key));
    cell.weight = std::isnan(weight) ? "NaN" : said_number(weight);
    all.push_back(plain(pattern_sentence(cell)));
  }
  if (const std::string entropy = plain(row_sentence(cell)); !entropy.empty()) all.push_back(entropy);
  std::string sees = row.allowed == 1
                         ? "1 key, which uniform attention gives 1"
                         : fmt::format("{} keys, of which uniform attention gives each {}", row.allowed,
                                       said_number(1 / static_cast<double>(row.allowed)));
  if (std::isnan(row.largest))
    sees += "; there is NaN among its weights";
  else if (row.strongest < 0)
    sees += "; no weight is above 0";
  else
    sees +=
        fmt::format("; the largest weight is {} on {}", said_number(row.largest), key_said(row.strongest));
  all.push_back(fmt::format("Query {} sees {}.", token_said(asks, query), sees));
  const auto index = static_cast<std::size_t>(key);
  if (index < head.received.size() && index < head.received_uniform.size()) {
    const double received = head.received[index];
    all.push_back(std::isnan(received)
                      ? fmt::format("What key {} receives from all queries is NaN.", key_said(key))
                      : fmt::format("Key {} receives {} from all queries.", key_said(key),
                                    beside_uniform(received, head.received_uniform[index])));
  }
  return fmt::format("{}", fmt::join(all, " "));
}

/// Whether a query of the head sees a token behind its own; of a long result whether it has no causal mask.
bool sees_later(const LayerResult& result, const LookedAt& at) {
  if (result.is_long()) return !result.document.layer().masking.causal;
  const MaskRule rule(result.document, result.trace);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(result.dimensions.keys));
  for (std::int64_t query = 0; query < result.dimensions.queries; ++query) {
    rule.see(at.sequence, at.head, query, seen);
    for (std::int64_t key = std::max<std::int64_t>(0, rule.position(at.sequence, query) + 1);
         key < rule.token_keys(); ++key)
      if (seen[static_cast<std::size_t>(key)] != 0) return true;
  }
  return false;
}

std::string settings_said(const LayerResult& result, const LookedAt& at) {
  const LayerSpec& layer = result.document.layer();
  std::string text = layer.linear ? "Attention is linear, without softmax and division by √dₖ"
                     : layer.scaling.kind == Scaling::Kind::InverseSqrtDk ? "Scores are divided by √dₖ"
                     : layer.scaling.kind == Scaling::Kind::Off
                         ? "The division by √dₖ is off"
                         : fmt::format("Scores are multiplied with {}", said_number(layer.scaling.factor));
  text += sees_later(result, at) ? "; a query sees later keys too" : "; no query sees a later key";
  if (layer.temperature != 1 && !layer.linear)
    text += fmt::format("; the temperature is {}", said_number(layer.temperature));
  return text + ".";
}

/// The changes inside the model; empty if there are none.
std::string changes_said(const Document& document) {
  const ModelContext within = document.within.read();
  if (!within) return {};
  std::vector<std::string> lines;
  for (const edit::ChangeWords& change : edit::list_of_changes(within)) lines.push_back(change.line());
  return lines.empty() ? "" : fmt::format(" Changed in the model: {}.", fmt::join(lines, "; "));
}

}  // namespace

std::string sentences_of(const LayerResult& layer, const LookedAt& at) {
  std::string text = place_of(layer, at);
  text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
  if (layer.is_long()) {
    text += fmt::format(
        " Measures of heads and rows are not told of it: that ends at {} scores of all heads together.",
        grouped(max_cells));
  } else {
    text += " " + head_said(layer.measures.head(at.sequence, at.head));
    if (at.cell) text += " " + cell_said(layer, at);
  }
  return text + " " + settings_said(layer, at) + changes_said(layer.document);
}

}  // namespace attnscope

// Labels for the rows and columns of a dump.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/files/formats/limits.hpp"
#include "core/files/import/dump.hpp"
#include "core/text/tokenize.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The list for sequence `b`; a single list serves all sequences.
const std::vector<std::string>& list_of(const std::vector<std::vector<std::string>>& lists, std::size_t b) {
  return lists[lists.size() > 1 ? b : 0];
}

/// For a dump of an encoder-decoder, which lists the tokens of both: whether the layer is the self-attention
/// of `stack`, judged by its name and by equal numbers of queries and keys. "cross_attentions.0" and
/// "decoder.0.encoder_attn" are not.
bool is_within(const Given& given, const std::string& layer, std::string_view stack, std::string_view other) {
  const auto has = [&](std::string_view word) { return layer.find(word) != std::string::npos; };
  return given.query->shape()[2] == given.key->shape()[2] && has(stack) && !has(other) && !has("cross");
}

Sequence labelled(std::vector<Token> tokens) {
  std::string text = joined(tokens);
  return {std::move(text), std::move(tokens)};
}

}  // namespace

void Dump::take_labels(Document& document, const LayerNames& layer) const {
  std::vector<Sequence>& sequences = document.input.sequences.change();
  const std::size_t expected = sequences.front().tokens.size();
  const std::string tensor = in_quotes(layer.weights.empty() ? layer.query : layer.weights);
  const auto fits = [&](const std::string& key, const std::string& what, std::size_t found) {
    if (found == expected) return;
    refuse_fact(
        key, fmt::format("{} {}, expected {}: one for each position of {}", what, found, expected, tensor));
  };
  const bool in_decoder =
      !facts_.query_tokens.empty() && is_within(document.input.given(), layer.name, "decoder", "encoder");
  const auto& lists = in_decoder ? facts_.query_tokens : facts_.tokens;
  const std::string key = in_decoder ? "query_tokens" : "tokens";
  if (lists.size() > 1 && lists.size() != sequences.size())
    refuse_fact(key, fmt::format("has {} lists, expected {}: one for each sequence of {}", lists.size(),
                                 sequences.size(), tensor));
  for (std::size_t b = 0; b < sequences.size(); ++b) {
    Sequence& sequence = sequences[b];
    if (!lists.empty()) {
      sequence = labelled(label_tokens(list_of(lists, b)));
      fits(key, "lists", sequence.tokens.size());
    } else if (!facts_.text.empty()) {
      sequence = {facts_.text, tokenize(facts_.text)};
      fits("text", "(\"tokens\" would name them) has as many words and marks as", sequence.tokens.size());
    }
  }
}

/// For cross-attention: the labels set so far become those of the keys; the queries get their own list, else
/// their numbers.
void Dump::take_key_labels(Document& document, const LayerNames& layer) const {
  const Given& given = document.input.given();
  const std::int64_t queries = given.query->shape()[2],
                     keys = given.key->shape()[2] + (given.past_key ? given.past_key->shape()[2] : 0);
  const bool has_labels = !facts_.tokens.empty() || !facts_.text.empty();
  const bool is_cross = queries != keys && given.lengths.empty() && !given.past_key;
  const auto& lists = facts_.query_tokens;
  if (lists.empty() && !(is_cross && has_labels)) return;
  if (is_within(given, layer.name, "decoder", "encoder") ||
      is_within(given, layer.name, "encoder", "decoder"))
    return;
  const std::string tensor = in_quotes(layer.weights.empty() ? layer.query : layer.weights);
  std::vector<Sequence> of_keys = document.input.sequences, of_queries = of_keys;
  if (lists.size() > 1 && lists.size() != of_queries.size())
    refuse_fact("query_tokens", fmt::format("has {} lists, expected {}: one for each sequence of {}",
                                            lists.size(), of_queries.size(), tensor));
  for (std::size_t b = 0; b < of_queries.size(); ++b) {
    std::vector<Token> tokens = of_queries[b].tokens;
    // With a cache, the tokens before the queries keep their labels; else the queries begin at 0.
    tokens.resize(static_cast<std::size_t>(given.lengths.empty() && !given.past_key ? 0 : keys - queries));
    if (lists.empty())
      for (std::int64_t i = 0; i < queries; ++i) tokens.emplace_back(std::to_string(i));
    const std::vector<Token> own = lists.empty() ? std::vector<Token>() : label_tokens(list_of(lists, b));
    if (!lists.empty() && std::ssize(own) != queries)
      refuse_fact("query_tokens", fmt::format("lists {}, expected {}: one for each query of {}", own.size(),
                                              queries, tensor));
    tokens.insert(tokens.end(), own.begin(), own.end());
    of_queries[b] = labelled(std::move(tokens));
  }
  document.input.sequences = std::move(of_queries);
  document.input.memory = std::move(of_keys);
}

}  // namespace attnscope

#include "core/analysis/mask_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/text/function_words.hpp"

namespace attnscope {

TokenClasses::TokenClasses(const Document& document, const Dimensions& size, std::int64_t b)
    : special_(static_cast<std::size_t>(size.keys)) {
  const Input& input = document.input;
  if (!input.is_text()) return;  // tokens of given vectors are labels only
  const auto at = static_cast<std::size_t>(b);
  const auto& of_queries = input.sequences[at].tokens;
  const auto& of_keys = input.memory.empty() ? of_queries : input.memory[at].tokens;
  std::map<std::string, std::int32_t> classes;
  for (std::size_t key = 0; key < of_keys.size(); ++key) {
    const auto number = static_cast<std::int32_t>(key);
    special_[key] = of_keys[key].special ? 1 : 0;
    (is_function_word(of_keys[key].text) ? function_words_ : content_).push_back(number);
    const auto [found, added] = classes.try_emplace(folded(of_keys[key].text), std::ssize(same_));
    if (added) same_.emplace_back();
    same_[static_cast<std::size_t>(found->second)].push_back(number);
  }
  for (auto query = static_cast<std::size_t>(size.past); query < of_queries.size(); ++query) {
    const auto found = classes.find(folded(of_queries[query].text));
    class_of_query_.push_back(found == classes.end() ? -1 : found->second);
  }
}

std::span<const std::int32_t> TokenClasses::same_as(std::int64_t query) const {
  if (query >= std::ssize(class_of_query_)) return {};
  const std::int32_t found = class_of_query_[static_cast<std::size_t>(query)];
  if (found < 0) return {};
  return same_[static_cast<std::size_t>(found)];
}

std::vector<std::int32_t> TokenClasses::class_of_key() const {
  std::vector<std::int32_t> classes(special_.size(), -1);
  for (std::size_t i = 0; i < same_.size(); ++i)
    for (const std::int32_t key : same_[i])
      classes[static_cast<std::size_t>(key)] = static_cast<std::int32_t>(i);
  return classes;
}

namespace {

/// Calls visit(pattern, keys) for each positional or token pattern; keys may be out of range.
template <class Visit>
void each_pattern(const MeasuredRow& place, const TokenClasses& tokens, const Visit& visit) {
  const std::int64_t p = place.position;
  visit(HeadPattern::First, std::array<std::int64_t, 1>{0});
  if (!place.cross) {
    visit(HeadPattern::Previous, std::array<std::int64_t, 1>{p - 1});
    visit(HeadPattern::Next, std::array<std::int64_t, 1>{p + 1});
    visit(HeadPattern::SkipAndFirst, std::array<std::int64_t, 2>{p - 2, p == 2 ? -1 : 0});
    visit(HeadPattern::Local, std::array<std::int64_t, 5>{p - 2, p - 1, p, p + 1, p + 2});
  }
  visit(HeadPattern::SameToken, tokens.same_as(place.query));
  visit(HeadPattern::Content, tokens.content());
  visit(HeadPattern::FunctionWord, tokens.function_words());
}

void set(std::uint16_t& counted, HeadPattern pattern) {
  counted = static_cast<std::uint16_t>(counted | 1u << static_cast<unsigned>(pattern));
}

/// Marks the patterns that a row with a choice counts for, and adds the share of uniform weights on them.
void count_patterns(const MeasuredRow& place, const TokenClasses& tokens, std::span<const std::uint8_t> seen,
                    RowFacts& row, PatternScores& sums) {
  each_pattern(place, tokens, [&](HeadPattern pattern, const auto& keys) {
    std::int64_t count = 0;
    for (const auto key : keys)
      if (key >= 0 && key < place.token_keys && seen[static_cast<std::size_t>(key)] != 0) ++count;
    if (count == 0 || count == row.allowed) return;
    set(row.counted, pattern);
    PatternScore& sum = sums[static_cast<std::size_t>(pattern)];
    sum.uniform += static_cast<double>(count) / static_cast<double>(row.allowed);
    ++sum.rows;
  });
  set(row.counted, HeadPattern::Even);
  PatternScore& even = sums[static_cast<std::size_t>(HeadPattern::Even)];
  even.uniform += 1;
  ++even.rows;
}

/// The measures of uniform attention over the allowed keys, from the rows of one head.
class UniformSums {
 public:
  explicit UniformSums(std::int64_t keys) : received_(static_cast<std::size_t>(keys)) {}

  /// The row must not be padding.
  void add(const MeasuredRow& row, const TokenClasses& tokens, std::int64_t n,
           std::span<const std::uint8_t> marks) {
    const std::int64_t p = row.position;
    if (n == 0) return;
    const double share = 1 / static_cast<double>(n);
    for (std::size_t key = 0; key < received_.size(); ++key) received_[key] += marks[key] != 0 ? share : 0;
    if (n < 2) return;
    std::int64_t distances = 0, special = 0, on_tokens = 0;
    for (std::int64_t key = 0; key < row.token_keys; ++key) {
      const auto at = static_cast<std::size_t>(key);
      const std::int64_t seen = marks[at];
      distances += seen * std::abs(p - key);
      special += seen * tokens.special()[at];
      on_tokens += seen;
    }
    const auto mass = [&](std::int64_t key) {
      return key >= 0 && key < row.token_keys && marks[static_cast<std::size_t>(key)] != 0 ? share : 0;
    };
    sums_.entropy += std::log(static_cast<double>(n));
    sums_.effective += static_cast<double>(n);
    sums_.mean_largest += share;
    sums_.first += mass(0);
    if (!row.cross) {
      sums_.self += mass(p);
      sums_.previous += mass(p - 1);
      sums_.next += mass(p + 1);
    }
    sums_.special += static_cast<double>(special) * share;
    sums_.extra += static_cast<double>(n - on_tokens) * share;
    if (on_tokens > 0) sums_.distance += static_cast<double>(distances) / static_cast<double>(on_tokens);
    ++rows_;
  }
  void finish(HeadFacts& head) && {
    const double rows = rows_ == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(rows_);
    head.uniform = sums_;
    for (double RowMeans::*mean : {&RowMeans::entropy, &RowMeans::effective, &RowMeans::mean_largest,
                                   &RowMeans::self, &RowMeans::previous, &RowMeans::next, &RowMeans::first,
                                   &RowMeans::special, &RowMeans::extra, &RowMeans::distance})
      head.uniform.*mean /= rows;
    head.received_uniform = std::move(received_);
  }

 private:
  RowMeans sums_;
  std::int64_t rows_ = 0;
  std::vector<double> received_;
};

}  // namespace

RowFacts row_facts(const Document& document, const Dimensions& size, std::int64_t b, std::int64_t query,
                   std::span<const std::uint8_t> seen) {
  RowFacts row;
  row.allowed = static_cast<std::int32_t>(std::count(seen.begin(), seen.end(), std::uint8_t{1}));
  row.padding = document.input.is_text() && size.past + query >= sequence_length(document, b);
  return row;
}

MaskFactsPtr mask_facts(const Work& work, const Document& document, const Trace& trace) {
  const Dimensions size = check(document);
  const MaskRule rule(document, trace);
  const bool cross = has_other_keys(document);
  auto facts = std::make_shared<MaskFacts>();
  facts->heads = size.heads;
  facts->queries = size.queries;
  for (std::int64_t b = 0; b < size.batch; ++b) facts->tokens.emplace_back(document, size, b);
  facts->rows.resize(static_cast<std::size_t>(size.batch * size.heads * size.queries));
  facts->head_facts.resize(static_cast<std::size_t>(size.batch * size.heads));
  const double head_ns = static_cast<double>(size.queries * size.keys) * 3;
  work.for_each(size.batch * size.heads, head_ns, [&](std::int64_t block) {
    const std::int64_t b = block / size.heads, h = block % size.heads;
    const TokenClasses& tokens = facts->tokens[static_cast<std::size_t>(b)];
    HeadFacts& head = facts->head_facts[static_cast<std::size_t>(block)];
    UniformSums uniform(size.keys);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(size.keys));
    for (std::int64_t query = 0; query < size.queries; ++query) {
      if (query % 64 == 0 && work.stop.stop_requested()) throw Cancelled();
      rule.see(b, h, query, seen);
      RowFacts& row = facts->rows[static_cast<std::size_t>(block * size.queries + query)];
      row = row_facts(document, size, b, query, seen);
      if (row.allowed == 0) ++head.rows_without_key;
      if (row.padding) continue;
      const MeasuredRow place{query, rule.position(b, query), size.token_keys(), cross};
      uniform.add(place, tokens, row.allowed, seen);
      if (row.has_choice()) count_patterns(place, tokens, seen, row, head.patterns);
    }
    std::move(uniform).finish(head);
  });
  return facts;
}

PatternMasses pattern_masses(const MeasuredRow& place, const RowFacts& facts, const TokenClasses& tokens,
                             std::span<const float> weights, std::span<const std::uint8_t> seen) {
  PatternMasses masses{};
  each_pattern(place, tokens, [&](HeadPattern pattern, const auto& keys) {
    if (!facts.counts_for(pattern)) return;
    double mass = 0;
    for (const auto key : keys) {
      if (key < 0 || key >= place.token_keys) continue;
      const auto at = static_cast<std::size_t>(key);
      if (seen.empty() || seen[at] != 0) mass += static_cast<double>(weights[at]);
    }
    masses[static_cast<std::size_t>(pattern)] = mass;
  });
  return masses;
}

}  // namespace attnscope

#include "core/analysis/measure_patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/text/function_words.hpp"

namespace attnscope {

TokenClasses::TokenClasses(const Document& document, const Dimensions& size, std::int64_t b)
    : special_(static_cast<std::size_t>(size.keys)) {
  const Input& input = document.input;
  if (!input.is_text()) return;  // their tokens only label
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

void PatternSums::add(const PatternRow& row, const TokenClasses& tokens) {
  const std::int64_t allowed = row.measures.allowed, p = row.position;
  const auto count = [&](HeadPattern pattern, auto keys) {
    double mass = 0;
    std::int64_t seen = 0;
    for (const auto key : keys) {
      if (key < 0 || key >= row.token_keys || row.seen[static_cast<std::size_t>(key)] == 0) continue;
      mass += static_cast<double>(row.weights[static_cast<std::size_t>(key)]);
      ++seen;
    }
    if (seen == 0 || seen == allowed) return;
    PatternScore& sum = sums_[static_cast<std::size_t>(pattern)];
    sum.score += mass;
    sum.uniform += static_cast<double>(seen) / static_cast<double>(allowed);
    ++sum.rows;
  };
  using Places = std::array<std::int64_t, 1>;
  count(HeadPattern::First, Places{0});
  if (!row.cross) {
    count(HeadPattern::Previous, Places{p - 1});
    count(HeadPattern::Next, Places{p + 1});
    count(HeadPattern::SkipAndFirst, std::array<std::int64_t, 2>{p - 2, p == 2 ? -1 : 0});
    count(HeadPattern::Local, std::array<std::int64_t, 5>{p - 2, p - 1, p, p + 1, p + 2});
  }
  count(HeadPattern::SameToken, tokens.same_as(row.query));
  count(HeadPattern::Content, tokens.content());
  count(HeadPattern::FunctionWord, tokens.function_words());
  PatternScore& even = sums_[static_cast<std::size_t>(HeadPattern::Even)];
  even.score += row.measures.normalised;
  even.uniform += 1;
  ++even.rows;
}

PatternScores PatternSums::scores() const {
  PatternScores means = sums_;
  for (PatternScore& mean : means) {
    const double rows =
        mean.rows == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(mean.rows);
    mean.score /= rows;
    mean.uniform /= rows;
  }
  return means;
}

void UniformSums::add(const PatternRow& row, const TokenClasses& tokens) {
  const std::int64_t n = row.measures.allowed, p = row.position;
  if (n == 0) return;
  const double share = 1 / static_cast<double>(n);
  for (std::size_t key = 0; key < received_.size(); ++key) received_[key] += row.seen[key] != 0 ? share : 0;
  if (n < 2) return;
  std::int64_t distances = 0, special = 0, on_tokens = 0;
  for (std::int64_t key = 0; key < row.token_keys; ++key) {
    const auto at = static_cast<std::size_t>(key);
    const std::int64_t seen = row.seen[at];
    distances += seen * std::abs(p - key);
    special += seen * tokens.special()[at];
    on_tokens += seen;
  }
  const auto mass = [&](std::int64_t key) {
    return key >= 0 && key < row.token_keys && row.seen[static_cast<std::size_t>(key)] != 0 ? share : 0;
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

void UniformSums::finish(HeadMeasures& head) const {
  const double rows = rows_ == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(rows_);
  head.uniform = sums_;
  for (double RowMeans::*mean : {&RowMeans::entropy, &RowMeans::effective, &RowMeans::mean_largest,
                                 &RowMeans::self, &RowMeans::previous, &RowMeans::next, &RowMeans::first,
                                 &RowMeans::special, &RowMeans::extra, &RowMeans::distance})
    head.uniform.*mean /= rows;
  head.received_uniform = received_;
}

}  // namespace attnscope

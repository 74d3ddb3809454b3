#include "core/readouts/pairs/head_difference.hpp"

#include <algorithm>
#include <cmath>

#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t rows_at_a_time = 128;

/// What is known about a head's rows besides their weights.
class ComparedSide {
 public:
  explicit ComparedSide(const HeadOfRun& at)
      : at_(at),
        made_(problem_of(at.model, at.run, at.of, at.block)),
        mask_(key_mask(at.model.spec, at.run, at.of)) {}

  Tensor weights(std::int64_t begin, std::int64_t end, const Work& work) const {
    return head_weight_rows(at_.model, at_.run, at_.of, at_.block, at_.head, {.begin = begin, .end = end},
                            work);
  }
  bool is_hidden_query(std::int64_t query) const {
    // Queries of cross-attention are tokens of the other text, so the mask does not apply.
    const auto i = static_cast<std::size_t>(query);
    return at_.of != AttentionOf::Cross && i < mask_.size() && mask_[i] == 0;
  }
  bool allows(std::int64_t query, std::int64_t key) const {
    return !is_hidden(made_.problem, at_.head, query, key);
  }
  std::int64_t allowed(std::int64_t query) const { return allowed_keys(made_.problem, at_.head, query); }

 private:
  const HeadOfRun& at_;
  const BlockProblem made_;
  const std::span<const std::uint8_t> mask_;
};

/// Compares one pair of heads.
class HeadComparison {
 public:
  HeadComparison(const HeadOfRun& a, const HeadOfRun& b, const TokenMatch& queries, const TokenMatch& keys,
                 const Work& work)
      : a_(a), b_(b), queries_(queries), keys_(keys), work_(work) {}

  HeadDifference run() {
    made_.rows.assign(static_cast<std::size_t>(queries_.count()), std::numeric_limits<float>::quiet_NaN());
    pairs(0, queries_.first);
    pairs(queries_.first, queries_.count());
    if (counted_ > 0) {
      made_.distance = sum_ / static_cast<double>(counted_);
      made_.uniform = uniform_ / static_cast<double>(counted_);
    }
    return std::move(made_);
  }

 private:
  /// Compares pairs of rows that are consecutive in both texts.
  void pairs(std::int64_t from, std::int64_t to) {
    for (std::int64_t begin = from; begin < to; begin += rows_at_a_time) {
      const std::int64_t end = std::min(begin + rows_at_a_time, to);
      const std::int64_t in_a = queries_.in_a(begin), in_b = queries_.in_b(begin), count = end - begin;
      const Tensor a = a_.weights(in_a, in_a + count, work_), b = b_.weights(in_b, in_b + count, work_);
      for (std::int64_t r = 0; r < count; ++r)
        row(begin + r, a.matrix().row(r).data(), b.matrix().row(r).data());
    }
  }

  void row(std::int64_t pair, const float* a, const float* b) {
    const std::int64_t query = queries_.in_a(pair), other = queries_.in_b(pair);
    if (a_.is_hidden_query(query) || b_.is_hidden_query(other)) return;
    const std::int64_t allowed = a_.allowed(query);
    if (allowed < 2 && b_.allowed(other) < 2) return;
    double sum = 0, from_uniform = 0;
    for (std::int64_t i = 0; i < keys_.count(); ++i) {
      const std::int64_t key = keys_.in_a(i);
      const auto weight = static_cast<double>(a[key]);
      const double change = weight - static_cast<double>(b[keys_.in_b(i)]);
      sum += std::abs(change);
      from_uniform += std::abs(weight - (a_.allows(query, key) ? 1 / static_cast<double>(allowed) : 0));
      if (std::abs(change) <= std::abs(static_cast<double>(made_.largest))) continue;
      made_.largest = static_cast<float>(change);
      made_.query = query;
      made_.key = key;
    }
    made_.rows[static_cast<std::size_t>(pair)] = static_cast<float>(sum / 2);
    sum_ += sum / 2;
    uniform_ += from_uniform / 2;
    ++counted_;
  }

  const ComparedSide a_, b_;
  const TokenMatch &queries_, &keys_;
  const Work& work_;
  HeadDifference made_;
  double sum_ = 0, uniform_ = 0;
  std::int64_t counted_ = 0;
};

}  // namespace

std::optional<std::int64_t> TokenMatch::b_of(std::int64_t row_a) const {
  if (row_a >= 0 && row_a < first) return row_a;
  if (row_a >= rows_a - last && row_a < rows_a) return rows_b - rows_a + row_a;
  return std::nullopt;
}

std::optional<std::int64_t> TokenMatch::a_of(std::int64_t row_b) const {
  const TokenMatch turned{kind, rows_b, rows_a, first, last};
  return turned.b_of(row_b);
}

TokenMatch match_tokens(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  TokenMatch match{TokenMatch::Kind::Same, std::ssize(a), std::ssize(b), std::ssize(a), 0};
  if (std::ranges::equal(a, b)) return match;
  match.kind = TokenMatch::Kind::Position;
  if (a.size() == b.size()) return match;
  match.kind = TokenMatch::Kind::Ends;
  match.first = std::ranges::mismatch(a, b).in1 - a.begin();
  const std::int64_t rest = std::min(match.rows_a, match.rows_b) - match.first;
  while (match.last < rest && a[static_cast<std::size_t>(match.rows_a - 1 - match.last)] ==
                                  b[static_cast<std::size_t>(match.rows_b - 1 - match.last)])
    ++match.last;
  return match;
}

HeadDifference head_difference(const HeadOfRun& a, const HeadOfRun& b, const TokenMatch& queries,
                               const TokenMatch& keys, const Work& work) {
  return HeadComparison(a, b, queries, keys, work).run();
}

std::vector<double> relative_change(const KeptRows& a, const KeptRows& b, const TokenMatch& rows) {
  std::vector<double> changes;
  for (std::int64_t i = 0; i < rows.count(); ++i) {
    const float *row = a.row(rows.in_a(i)), *other = b.row(rows.in_b(i));
    double squares = 0, own = 0;
    for (std::int64_t c = 0; c < a.width; ++c) {
      const double x = static_cast<double>(row[c]), change = x - static_cast<double>(other[c]);
      squares += change * change;
      own += x * x;
    }
    changes.push_back(own > 0 ? std::sqrt(squares / own) : std::numeric_limits<double>::quiet_NaN());
  }
  return changes;
}

}  // namespace attnscope

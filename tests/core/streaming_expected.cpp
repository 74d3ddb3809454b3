#include "core/streaming_expected.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/compare.hpp"

namespace attnscope::streaming_cases {

namespace {

/// A strongest key is right when no score is clearly above its own.
std::string strongest_difference(const Sweep& found, const Expected& expected, double off) {
  for (std::size_t i = 0; i < expected.rows.size(); ++i) {
    const oracle::RowAnswer& row = expected.rows[i];
    const std::int32_t key = found.strongest[i];
    if (row.largest == 0) {
      if (key != -1) return fmt::format("row {}: key {} of none", i, key);
    } else if (key < 0 || row.weights[static_cast<std::size_t>(key)] < row.largest * (1 - off)) {
      return fmt::format("row {}: key {}", i, key);
    }
  }
  return {};
}

}  // namespace

Expected expected_of(const Case& c, const SweepRequest& request, std::int64_t first_head,
                     std::int64_t last_head) {
  const AttentionProblem& p = c.problem;
  const oracle::RowProblem problem = c.in_oracle();
  const PooledCells cell = request.picture.value_or(PooledCells{});
  const std::int64_t end = request.rows.end < 0 ? p.queries : request.rows.end;
  const std::int64_t rows = count_rows(request.rows, p.queries);
  const std::int64_t columns = (p.keys + cell.keys_per_cell - 1) / cell.keys_per_cell;
  Expected e;
  for (std::int64_t h = first_head; h < last_head; ++h) {
    oracle::Numbers received(static_cast<std::size_t>(p.keys), 0);
    const std::int64_t height = (rows + cell.rows_per_cell - 1) / cell.rows_per_cell;
    oracle::Numbers sum(static_cast<std::size_t>(height * columns), 0), count = sum, max = sum;
    for (std::int64_t i = request.rows.begin, r = 0; i < end; i += request.rows.step, ++r) {
      oracle::RowAnswer row =
          oracle::attend_row(problem, static_cast<std::size_t>(h), static_cast<std::size_t>(i));
      e.output.insert(e.output.end(), row.output.begin(), row.output.end());
      e.log_sum_exp.push_back(row.log_sum_exp);
      e.entropy.push_back(row.entropy);
      e.largest.push_back(row.largest);
      for (std::size_t j = 0; j < received.size(); ++j) {
        const double w = row.weights[j];
        const auto at = static_cast<std::size_t>(r / cell.rows_per_cell * columns +
                                                 static_cast<std::int64_t>(j) / cell.keys_per_cell);
        if (p.real_queries < 0 || i < p.real_queries) received[j] += w;
        sum[at] += w;
        count[at] += 1;
        max[at] = std::max(max[at], w);
      }
      e.rows.push_back(std::move(row));
    }
    e.received.insert(e.received.end(), received.begin(), received.end());
    for (std::size_t i = 0; i < sum.size(); ++i) e.mean.push_back(sum[i] / count[i]);
    e.max.insert(e.max.end(), max.begin(), max.end());
  }
  return e;
}

std::string difference(const Sweep& found, const Expected& expected, const SweepRequest& request,
                       const Tolerances& t) {
  const auto named = [](std::string_view name, const std::string& what) {
    return what.empty() ? what : fmt::format("{}: {}", name, what);
  };
  std::string all;
  if (request.output) all += named("output", compare::difference(found.output, expected.output, t.output));
  all += named("log-sum-exp", compare::difference(found.log_sum_exp, expected.log_sum_exp, t.log_sum_exp));
  all += named("entropy", compare::difference(found.entropy, expected.entropy, t.entropy));
  all += named("largest", compare::difference(found.largest, expected.largest, t.largest));
  if (request.received)
    all += named("received", compare::difference(found.received, expected.received, t.received));
  if (request.strongest) all += named("strongest", strongest_difference(found, expected, t.strongest));
  if (request.picture) {
    all += named("mean", compare::difference(found.mean, expected.mean, t.mean));
    all += named("max", compare::difference(found.largest_cells(), expected.max, t.max));
  }
  return all;
}

SweepRequest any_request(samples::Random& random, const AttentionProblem& p) {
  SweepRequest request;
  request.output = random.between(0, 4) != 0;
  request.received = random.coin();
  request.strongest = random.coin();
  if (random.coin())
    request.picture =
        PooledCells{std::int64_t{1} << random.between(0, 8), std::int64_t{1} << random.between(0, 8)};
  if (random.between(0, 3) == 0) {
    request.first_head = random.between(0, p.heads - 1);
    request.last_head = random.between(request.first_head + 1, p.heads);
  }
  if (random.coin()) {
    request.rows.begin = random.between(0, p.queries - 1);
    request.rows.end = random.between(request.rows.begin + 1, p.queries);
    request.rows.step = random.between(1, 5);
  }
  return request;
}

TileRequest any_tile(samples::Random& random, const AttentionProblem& p) {
  TileRequest request;
  request.head = random.between(0, p.heads - 1);
  if (random.coin()) {
    request.rows.begin = random.between(0, p.queries - 1);
    request.rows.end = random.between(request.rows.begin + 1, p.queries);
    request.rows.step = random.between(1, 3);
  }
  if (random.coin()) {
    request.first_key = random.between(0, p.keys - 1);
    request.last_key = random.between(request.first_key + 1, p.keys);
  }
  request.kind = static_cast<TileKind>(random.between(0, 2));
  return request;
}

oracle::Numbers expected_cells(const Case& c, const TileRequest& request) {
  const oracle::RowProblem problem = c.in_oracle();
  const std::int64_t end = request.rows.end < 0 ? c.problem.queries : request.rows.end;
  const std::int64_t last = request.last_key < 0 ? c.problem.keys : request.last_key;
  oracle::Numbers cells;
  for (std::int64_t i = request.rows.begin; i < end; i += request.rows.step) {
    const oracle::RowAnswer row =
        oracle::attend_row(problem, static_cast<std::size_t>(request.head), static_cast<std::size_t>(i));
    const oracle::Numbers& numbers = request.kind == TileKind::Weights  ? row.weights
                                     : request.kind == TileKind::Masked ? row.masked
                                                                        : row.scaled;
    cells.insert(cells.end(), numbers.begin() + request.first_key, numbers.begin() + last);
  }
  return cells;
}

PooledCells any_pooling(samples::Random& random) {
  return {std::int64_t{1} << random.between(0, 8), std::int64_t{1} << random.between(0, 8)};
}

ExpectedPooled expected_pooled(const Case& c, const TileRequest& request, const PooledCells& cells) {
  const oracle::Numbers weights = expected_cells(c, request);
  const std::int64_t keys = (request.last_key < 0 ? c.problem.keys : request.last_key) - request.first_key;
  const std::int64_t rows = static_cast<std::int64_t>(weights.size()) / keys;
  ExpectedPooled expected;
  for (std::int64_t down = 0; down < rows; down += cells.rows_per_cell)
    for (std::int64_t across = 0; across < keys; across += cells.keys_per_cell) {
      double sum = 0, max = 0, count = 0;
      for (std::int64_t i = down; i < std::min(rows, down + cells.rows_per_cell); ++i)
        for (std::int64_t j = across; j < std::min(keys, across + cells.keys_per_cell); ++j, ++count) {
          const double weight = weights[static_cast<std::size_t>(i * keys + j)];
          sum += weight;
          max = std::max(max, weight);
        }
      expected.mean.push_back(sum / count);
      expected.max.push_back(max);
    }
  return expected;
}

}  // namespace attnscope::streaming_cases

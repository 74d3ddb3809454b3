// tests: the float64 oracle's result of a sweep, and the difference of a sweep from it.
#pragma once

#include <string>
#include <vector>

#include "core/streaming/tile.hpp"
#include "core/streaming_cases.hpp"

namespace attnscope::streaming_cases {

/// The oracle's result of a request.
struct Expected {
  oracle::Numbers output, log_sum_exp, entropy, largest, received, mean, max;
  std::vector<oracle::RowAnswer> rows;  // [H][R]
};
Expected expected_of(const Case& c, const SweepRequest& request, std::int64_t first_head,
                     std::int64_t last_head);

/// Largest differences, as compare::difference() takes them. These are for float32: scores are sums of up to
/// 128 products, outputs sums of hundreds of weights; a weight's relative error is the error of its score:
/// scores reach 10, and so 3e-6.
struct Tolerances {
  double output = 1e-5, log_sum_exp = 1e-5, entropy = 1e-5, largest = 5e-6, received = 1e-5, mean = 3e-6,
         max = 5e-6;
  double strongest = 1e-5;  // how far the found key's weight may be below the largest
};

/// Empty, or what differs.
std::string difference(const Sweep& found, const Expected& expected, const SweepRequest& request,
                       const Tolerances& t = {});

/// Any part of a sweep: heads, rows, output, received, strongest keys, a picture of cells of up to 256 x 256.
SweepRequest any_request(samples::Random& random, const AttentionProblem& p);

/// Any rectangle and kind, and the oracle's numbers of its cells.
TileRequest any_tile(samples::Random& random, const AttentionProblem& p);
oracle::Numbers expected_cells(const Case& c, const TileRequest& request);

/// Cells of any size up to 256 x 256, and the oracle's weights of a rectangle pooled in them.
PooledCells any_pooling(samples::Random& random);
struct ExpectedPooled {
  oracle::Numbers mean, max;
};
ExpectedPooled expected_pooled(const Case& c, const TileRequest& request, const PooledCells& cells);

}  // namespace attnscope::streaming_cases

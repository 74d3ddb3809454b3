// core/experiments: the online softmax of one query over tiles of keys, as in streaming kernels: a running
// maximum, a running sum and an output, which are rescaled whenever a larger score comes (Milakov and
// Gimelshein 2018, algorithm 3; Dao et al. 2022, algorithm 1).
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace attnscope::experiments {

/// The state after a tile.
struct OnlineTile {
  std::size_t first = 0, last = 0;  // keys [first, last) of the tile
  double largest = 0;               // largest score in the tile
  double maximum = 0;               // m: maximum of all scores so far
  double factor = 1;  // e^(m before − m): what sum and output so far are multiplied by; 0 for the first tile
  double sum = 0;     // ℓ = Σ e^(s − m) of all keys so far
  double error = 0;   // ‖o/ℓ − softmax(s) V‖ / ‖softmax(s) V‖
};

struct OnlineRow {
  std::vector<double> scores;  // of all keys
  std::vector<OnlineTile> tiles;
};

/// `scores`: [keys], finite; `values`: [keys][d_v]. float64. Throws Error if there are no scores, or if the
/// number of values differs.
OnlineRow online_row(const Eigen::RowVectorXd& scores, const Eigen::MatrixXd& values, std::size_t tile);

}  // namespace attnscope::experiments

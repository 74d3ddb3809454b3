// core/experiments: one query on its way through the keys in tiles, as streaming kernels take them: a running
// maximum, a running sum and an output that are corrected whenever a larger score comes (Milakov and
// Gimelshein 2018, algorithm 3; Dao et al. 2022, algorithm 1).
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace attnscope::experiments {

/// What is known when a tile has been taken.
struct OnlineTile {
  std::size_t first = 0, last = 0;  // keys of the tile, `last` behind the last
  double largest = 0;               // score in it
  double maximum = 0;               // m: of all scores so far
  double factor = 1;  // e^(m before − m): what sum and output so far are multiplied by; 0 for the first tile
  double sum = 0;     // ℓ = Σ e^(s − m) of all keys so far
  double error = 0;   // ‖o/ℓ − softmax(s) V‖ / ‖softmax(s) V‖
};

struct OnlineRow {
  std::vector<double> scores;  // of all keys
  std::vector<OnlineTile> tiles;
};

/// `scores`: [keys], finite; `values`: [keys][d_v]. float64. Throws Error for none, or another number of
/// values.
OnlineRow online_row(const Eigen::RowVectorXd& scores, const Eigen::MatrixXd& values, std::size_t tile);

}  // namespace attnscope::experiments

// core/readouts: rotary positions of a head as numbers, so that parts of a query or key are turned as the
// whole was.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"

namespace attnscope {

class HeadTurn {
 public:
  /// Of rows [begin, end) of a stack that takes the run's input, at block `block`; turns nothing where the
  /// block does not.
  HeadTurn(const Model&, const ModelRun&, AttentionOf of, std::size_t block, std::int64_t begin,
           std::int64_t end, const Work&);
  /// x [d_k] as it stands at a row.
  void turn(std::int64_t row, std::span<double> x) const;

 private:
  std::int64_t begin_ = 0, pairs_ = 0, step_ = 1, apart_ = 1;
  std::vector<float> cosine_, sine_;  // [rows][pairs]
};

}  // namespace attnscope

// core/readouts: a head's rotary positions as cosines and sines, so that parts of a query or key are rotated
// like the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/transformer/positions/rotation.hpp"

namespace attnscope {

class HeadTurn {
 public:
  /// For rows [begin, end) of a stack that reads the run's input, at block `block`; rotates nothing if the
  /// block has no rotary positions.
  HeadTurn(const Model&, const ModelRun&, AttentionOf of, std::size_t block, std::int64_t begin,
           std::int64_t end, RotationOf, const Work&);
  /// Rotates x [d_k] as at a row.
  void turn(std::int64_t row, std::span<double> x) const;

 private:
  std::int64_t begin_ = 0, pairs_ = 0;
  bool interleaved_ = false;
  std::vector<double> cosine_, sine_;  // [rows][pairs]
};

}  // namespace attnscope

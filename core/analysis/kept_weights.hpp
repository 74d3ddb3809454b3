// core/analysis: the strongest weights of a head, as many as make up a given share of each row, and the
// choice among them that the lines view draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/analysis/see_row.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

struct KeptWeight {
  std::int32_t query = 0, key = 0;
  float weight = 0;
  bool operator==(const KeptWeight&) const = default;
};

struct KeptWeights {
  std::vector<KeptWeight> kept;  // by query, then by key
  std::int64_t allowed = 0;      // cells of these rows that the mask allows
};

/// Keep this share (0..1) of the weight of each of the rows [first, last).
struct KeptRequest {
  float mass = 0.7f;
  std::int64_t first = 0, last = 0;
  bool operator==(const KeptRequest&) const = default;
};

/// Keeps the strongest weights of each requested row of weights [queries][keys] until their sum reaches the
/// share of the sum over the keys that the row sees. Of equal weights the earlier key is kept first. Hidden,
/// zero, negative and non-finite weights are never kept.
KeptWeights keep_strongest(const ConstMatrixMap<float>& weights, const SeeRow& see,
                           const KeptRequest& request);

/// A kept weight of one of several heads.
struct KeptLine {
  KeptWeight of;
  std::int32_t head = 0;
  bool operator==(const KeptLine&) const = default;
};

/// Which kept weights are drawn as lines between a column of queries and one of keys.
struct LineRequest {
  struct Indices {
    std::int64_t first = 0, last = 0;  // half-open
    bool has(std::int64_t i) const { return i >= first && i < last; }
    bool operator==(const Indices&) const = default;
  };
  Indices queries = {}, keys = {};                   // in sight; a line needs one end there
  std::optional<std::int64_t> query = {}, key = {};  // only the lines of this query, or of this key
  float faintest = 0;                                // weights below are left out
  std::size_t most = 0;                              // lines; the strongest ones
  bool operator==(const LineRequest&) const = default;
};

struct KeptLines {
  std::vector<KeptLine> lines;                             // by ascending weight
  std::int64_t kept = 0, allowed = 0;                      // of all heads, as in KeptWeights
  std::int64_t scrolled_out = 0, faint = 0, too_many = 0;  // left out, of the lines that are asked for
};

/// `heads`: the kept weights of heads `first_head` and following, none null. Throws Cancelled.
KeptLines choose_lines(std::span<const std::shared_ptr<const KeptWeights>> heads, std::int64_t first_head,
                       const LineRequest&, const std::stop_token& = {});

}  // namespace attnscope

// app/pages/lessons/parts: which cell of B corresponds to a cell of A.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/state/selection.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The row of B whose query is the same token as that of a row of A; of equal tokens the k-th for the k-th,
/// counted from the beginning of the text, a cache included. Empty if there is no such token, or if it is
/// cached and has no query.
std::optional<std::int64_t> same_token(const LayerResult& shown, const LayerResult& held, std::int64_t row);
/// The same for keys.
std::optional<std::int64_t> same_key(const LayerResult& shown, const LayerResult& held, std::int64_t key);

/// A row or a key of B.
struct HeldPlace {
  std::int64_t at = -1;  // -1: nowhere
  bool is_same = false;  // the same token; else another one, whose own name is then written
};

/// The places in B of all rows and keys of A, in the first sequence: for the step's own cell as the step
/// says; else at the same token; else at the same place, if the token there is none of A's.
class HeldPlaces {
 public:
  HeldPlaces(const lessons::Step&, const LayerResult& shown, const LayerResult& held);

  /// Nowhere for a row or key that A does not have.
  HeldPlace row(std::int64_t row) const { return of(rows_, row); }
  HeldPlace key(std::int64_t key) const { return of(keys_, key); }
  /// Always a cell of B: for a row or key that is nowhere, that of its place in the text.
  Cell cell(const Cell& shown) const;
  /// The cell of A that corresponds to a cell of B; empty if none does.
  std::optional<Cell> shown(const Cell& held) const;

  /// A line of a table of keys; -1: that side does not have the key.
  struct KeyLine {
    std::int64_t shown = -1, held = -1;
  };
  /// All keys of both sides: equal tokens share a line, every other key has its own.
  std::vector<KeyLine> key_lines() const;

 private:
  static HeldPlace of(const std::vector<HeldPlace>& places, std::int64_t i);

  std::vector<HeldPlace> rows_, keys_;  // of A
  std::int64_t held_rows_ = 0, held_keys_ = 0;
  std::int64_t down_ = 0;  // by how many rows the same place in the text is further down in B
};

}  // namespace attnscope

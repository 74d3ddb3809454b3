// app/pages/lessons/parts: which cell of what is held stands for one of what is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/state/selection.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The row of what is held whose query is the same token as that of a row of what is shown: of a token that
/// stands there several times the k-th for the k-th, counted from the beginning of the text, a cache
/// included. Nothing where there is no such token, or where it is cached and asks nothing.
std::optional<std::int64_t> same_token(const LayerResult& shown, const LayerResult& held, std::int64_t row);
/// The same of keys.
std::optional<std::int64_t> same_key(const LayerResult& shown, const LayerResult& held, std::int64_t key);

/// A row or a key of what is held.
struct HeldPlace {
  std::int64_t at = -1;  // -1: nowhere
  bool is_same = false;  // the same token; else another one, whose own name is to be told
};

/// Where all rows and keys of what is shown stand in what is held, of the first sequence: as the step says of
/// its own cell, else at the same token, else in the same place where the token there is not one of those
/// that are shown.
class HeldPlaces {
 public:
  HeldPlaces(const lessons::Step&, const LayerResult& shown, const LayerResult& held);

  /// Nowhere for a row or key that is not shown.
  HeldPlace row(std::int64_t row) const { return of(rows_, row); }
  HeldPlace key(std::int64_t key) const { return of(keys_, key); }
  /// Always a cell of what is held: where a row or key stands nowhere, that of its place in the text.
  Cell cell(const Cell& shown) const;
  /// The cell of what is shown that stands for one of what is held; nothing where none does.
  std::optional<Cell> shown(const Cell& held) const;

  /// A line of a table of keys, one side of which may be missing: -1.
  struct KeyLine {
    std::int64_t shown = -1, held = -1;
  };
  /// All keys of both sides: the same token in one line, every other in a line of its own.
  std::vector<KeyLine> key_lines() const;

 private:
  static HeldPlace of(const std::vector<HeldPlace>& places, std::int64_t i);

  std::vector<HeldPlace> rows_, keys_;  // of what is shown
  std::int64_t held_rows_ = 0, held_keys_ = 0;
  std::int64_t down_ = 0;  // rows that the same place in the text stands further down in what is held
};

}  // namespace attnscope

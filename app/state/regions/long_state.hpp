// app/state/regions: how a long Document is shown.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/state/page/page_state.hpp"
#include "app/state/selection.hpp"

namespace attnscope {

/// Which side of a comparison a long map shows while something is held.
enum class LongSide : std::uint8_t { A, B, Difference };

struct LongState {
  bool mean = false;            // pooled cells show their mean instead of their largest weight
  LongSide side = LongSide::A;  // read as A while nothing is held
  // Not kept in sessions:
  bool around = true;  // beside the map: the cells round the chosen one; else a page of the inspector
  double first_query = 0, first_key = 0, queries = 0, keys = 0;  // the part that the map shows, in cells
  std::string go_to;                                             // the text of the field: a place or a token
  bool to_strongest = false;                // a request: choose the strongest cell in sight
  std::optional<std::size_t> hovered_line;  // an index into the list of strong lines

  /// The cells that the map shows, with those that its edges cut.
  CellRange visible_part() const {
    const auto from = [](double first) { return static_cast<std::int64_t>(std::floor(first)); };
    const auto count = [&](double first, double shown) {
      return static_cast<std::int64_t>(std::ceil(first + shown - 1e-9)) - from(first);
    };
    return {{from(first_query), from(first_key)}, count(first_query, queries), count(first_key, keys)};
  }
  bool operator==(const LongState& other) const { return mean == other.mean && side == other.side; }
};

/// Visits the fields that a session keeps.
void fields(PageFields&, LongState&);

inline LongState& long_view_of(ViewState& view) { return pages_of(view).of<LongState>(); }
inline const LongState& long_view_of(const ViewState& view) { return pages_of(view).of<LongState>(); }

}  // namespace attnscope

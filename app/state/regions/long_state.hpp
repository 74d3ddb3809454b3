// app/state/regions: how a long Document is looked at.
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
  LongSide side = LongSide::A;  // without something held always A
  // Of the moment:
  bool around = true;  // beside the map: the cells round the chosen one, not a page of the inspector
  double first_query = 0, first_key = 0, queries = 0, keys = 0;  // what the map shows, in cells
  std::string go_to;                        // what was typed into the field: a place or a token
  bool to_strongest = false;                // the strongest cell in sight was asked for
  std::optional<std::size_t> hovered_line;  // of the list of strong lines

  /// The cells that the map shows, those at the edges in full.
  CellRange in_sight() const {
    const auto from = [](double first) { return static_cast<std::int64_t>(std::floor(first)); };
    const auto count = [&](double first, double shown) {
      return static_cast<std::int64_t>(std::ceil(first + shown - 1e-9)) - from(first);
    };
    return {{from(first_query), from(first_key)}, count(first_query, queries), count(first_key, keys)};
  }
  bool operator==(const LongState& other) const { return mean == other.mean && side == other.side; }
};

/// What a session keeps of it.
void fields(PageFields&, LongState&);

inline LongState& long_view_of(ViewState& view) { return pages_of(view).of<LongState>(); }
inline const LongState& long_view_of(const ViewState& view) { return pages_of(view).of<LongState>(); }

}  // namespace attnscope

// app/cli: parses values of options.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "app/state/selection.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

struct RenderOptions;  // app/window/render.hpp

/// Larger than the index of any head, query or key.
inline constexpr std::int64_t most_index = std::int64_t{1} << 40;

/// A finite number that a float can hold, spelled out in full: "nan", "1e99" and "2x" are refused.
std::optional<double> finite_number(std::string_view);
/// "1600x1000"; each side 16 to 16384 pixels, 134 million at most. False when the text does not fit.
bool read_size(std::string_view, RenderOptions&);
/// "1204,800": query and key. False when the text does not fit.
bool read_cell(std::string_view, std::optional<Cell>&);
/// "3,0", "-1,4": how far a query sees back and ahead. False when the text does not fit.
bool read_window(std::string_view, Window&);
/// By its key (see core/document/enum_names.hpp). False for any other text.
bool read_precision(std::string_view, Precision&);
/// "yes", "no"; "applied", "rope-half", "rope-interleaved". False for any other text.
bool read_answer(std::string_view, std::optional<bool>&);
bool read_positions(std::string_view, std::optional<Positions>&);

}  // namespace attnscope

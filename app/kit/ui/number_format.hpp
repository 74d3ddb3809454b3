// app/kit/ui: how numbers are written on screen: a true minus (U+2212), tabular places, never "-0.00".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope {

/// "0.46", "−1.26", "13.30": fixed places; "NaN", "∞", "−∞".
std::string fixed(double value, int places);
/// On a cell: ".46", "−.31", "1.0" for 1; two places.
std::string in_cell(double value);
/// A score on a cell, which may be larger: three significant digits, without an exponent as long as they fit.
std::string score_in_cell(double value);
/// Any magnitude in little room, for example a gradient on a cell: "1.2", ".03", "2e−7", "0".
std::string tight(double value);
/// Small numbers with an exponent: "2e−7", "8.1e−9", "0".
std::string tiny(double value);
/// Bytes of memory: "96 B", "6.0 KiB", "1.5 MiB".
std::string bytes(std::int64_t count);
/// Large counts in little room: "812", "3.1 k", "1.8 M", "2.6 G", "412 T", "3.1e18".
std::string metric(double count);
/// "32,768"
std::string grouped(std::int64_t value);
/// "1 head", "2 heads", "32,768 tokens": the number with what is counted, one of it or several.
std::string counted(std::int64_t number, std::string_view one, std::string_view several);
/// A tick of an axis: the fewest decimals that distinguish it from the next one, `step` away.
std::string tick(double value, double step);

}  // namespace attnscope

// app: how numbers are written on screen: a true minus (U+2212), tabular places, never "-0.00".
#pragma once

#include <cstdint>
#include <string>

namespace attnscope {

/// "0.46", "−1.26", "13.30": fixed places; "NaN", "∞", "−∞".
std::string fixed(double value, int places);
/// On a cell: ".46", "−.31", "1.0" for 1; two places.
std::string in_cell(double value);
/// A score on a cell, which may be larger: three significant places without an exponent while they fit.
std::string score_in_cell(double value);
/// Small numbers with an exponent: "2e−7", "8.1e−9", "0".
std::string tiny(double value);
/// "32,768"
std::string grouped(std::int64_t value);
/// A tick of an axis: the fewest places that tell it from the next one `step` away.
std::string tick(double value, double step);

}  // namespace attnscope

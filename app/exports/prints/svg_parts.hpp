// app/exports/prints: drawings of printed pages as SVG inside of HTML, black on white.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope::prints {

/// Axes from 0 to 1 with a place for each key's bar, and the bars where there are weights.
std::string bars(const std::vector<std::string>& keys, std::span<const double> weights);

/// Axes with their names, and a curve where there are points.
std::string curve_axes(std::string_view across, std::string_view up,
                       std::span<const std::pair<double, double>> points);

/// A matrix with labels and two decimals in each cell.
std::string matrix_drawing(const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                           std::span<const double> numbers);

/// Layers × heads, with some of them marked.
std::string grid_drawing(std::int64_t layers, std::int64_t heads,
                         std::span<const std::pair<std::int64_t, std::int64_t>> marked);

/// Boxes in a row with arrows between them; each has a name and a line below it.
std::string chain_drawing(std::span<const std::pair<std::string, std::string>> boxes);

}  // namespace attnscope::prints

#include "app/exports/prints/svg_parts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/exports/html/page_write.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::prints {
namespace {

constexpr std::size_t longest_label = 10;  // graphemes

std::string text_at(double x, double y, std::string_view words, std::string_view anchor = "middle") {
  return fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     html_escaped(words));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view more = "") {
  return fmt::format("<path d=\"M{:.5g} {:.5g}L{:.5g} {:.5g}\"{}/>", x1, y1, x2, y2, more);
}

std::string box(double x, double y, double width, double height, std::string_view more = "") {
  return fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\"{}/>", x, y, width,
                     height, more);
}

std::string drawing(double width, double height, const std::string& inside) {
  return fmt::format("<svg width=\"{0:.5g}\" height=\"{1:.5g}\" viewBox=\"0 0 {0:.5g} {1:.5g}\">{2}</svg>\n",
                     width, height, inside);
}

std::string short_label(const std::string& label) {
  const std::vector<std::size_t> ends = grapheme_ends(label);
  return ends.size() <= longest_label ? label : label.substr(0, ends[longest_label - 2]) + "…";
}

}  // namespace

std::string bars(const std::vector<std::string>& keys, std::span<const double> weights) {
  constexpr double left = 34, top = 10, high = 110, most_width = 600;
  const auto count = static_cast<double>(std::max<std::size_t>(keys.size(), 1));
  const double step = std::min(56., (most_width - left) / count), width = left + step * count + 6;
  std::string inside = line(left, top, left, top + high) + line(left, top + high, width, top + high);
  for (const auto& [share, name] : {std::pair{0., "0"}, std::pair{0.5, "½"}, std::pair{1., "1"}}) {
    const double y = top + high * (1 - share);
    inside += text_at(left - 6, y + 4, name, "end");
    if (share > 0) inside += line(left, y, width, y, " class=\"faint\"");
  }
  const bool is_dense = step < 40;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const double x = left + step * (static_cast<double>(i) + 0.5), y = top + high;
    inside += line(x, y, x, y + 4);
    inside += is_dense ? fmt::format(
                             "<text transform=\"translate({:.5g} {:.5g}) rotate(-50)\" "
                             "text-anchor=\"end\">{}</text>",
                             x + 4, y + 13, html_escaped(short_label(keys[i])))
                       : text_at(x, y + 17, short_label(keys[i]));
    if (i >= weights.size() || !std::isfinite(weights[i])) continue;
    const double tall = high * std::clamp(weights[i], 0., 1.);
    inside += box(x - step * 0.3, y - tall, step * 0.6, tall, " class=\"bar\"");
    if (!is_dense) inside += text_at(x, y - tall - 3, fmt::format("{:.2f}", weights[i]));
  }
  return drawing(width, top + high + (is_dense ? 64 : 26), inside);
}

std::string curve_axes(std::string_view across, std::string_view up,
                       std::span<const std::pair<double, double>> points) {
  constexpr double left = 46, top = 22, wide = 420, high = 130;
  std::string inside = line(left, top, left, top + high) + line(left, top + high, left + wide, top + high);
  inside += text_at(left - 6, top - 8, up, "start") + text_at(left + wide, top + high + 17, across, "end");
  double most_x = 0, most_y = 0;
  for (const auto& [x, y] : points) {
    most_x = std::max(most_x, x);
    most_y = std::max(most_y, y);
  }
  if (most_x <= 0 || most_y <= 0) return drawing(left + wide + 8, top + high + 24, inside);
  std::string path;
  for (const auto& [x, y] : points)
    path += fmt::format("{}{:.5g} {:.5g}", path.empty() ? 'M' : 'L', left + wide * x / most_x,
                        top + high * (1 - std::clamp(y / most_y, 0., 1.)));
  inside += fmt::format("<path d=\"{}\" class=\"curve\"/>", path);
  inside += text_at(left - 6, top + 5, fmt::format("{:.3g}", most_y), "end");
  inside += text_at(left - 6, top + high + 4, "0", "end");
  inside += text_at(left + wide, top + high - 6, fmt::format("{:.6g}", most_x), "end");
  return drawing(left + wide + 8, top + high + 24, inside);
}

std::string matrix_drawing(const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                           std::span<const double> numbers) {
  constexpr double left = 76, top = 22, cell = 46, tall = 26;
  std::string inside;
  for (std::size_t j = 0; j < columns.size(); ++j)
    inside += text_at(left + cell * (static_cast<double>(j) + 0.5), top - 7, short_label(columns[j]));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = top + tall * static_cast<double>(i);
    inside += text_at(left - 8, y + tall / 2 + 4, short_label(rows[i]), "end");
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double x = left + cell * static_cast<double>(j);
      inside += box(x, y, cell, tall);
      const std::size_t at = i * columns.size() + j;
      if (at < numbers.size() && std::isfinite(numbers[at]))
        inside += text_at(x + cell / 2, y + tall / 2 + 4, fmt::format("{:.2f}", numbers[at]));
    }
  }
  return drawing(left + cell * static_cast<double>(columns.size()) + 2,
                 top + tall * static_cast<double>(rows.size()) + 2, inside);
}

std::string grid_drawing(std::int64_t layers, std::int64_t heads,
                         std::span<const std::pair<std::int64_t, std::int64_t>> marked) {
  constexpr double left = 30, top = 22;
  constexpr std::int64_t most_layers = 96, most_heads = 128;
  layers = std::clamp<std::int64_t>(layers, 0, most_layers);
  heads = std::clamp<std::int64_t>(heads, 0, most_heads);
  const double cell = layers > 12 ? 9 : 16, wide = heads > 24 ? 9 : heads > 12 ? 16 : 26;
  std::string inside;
  for (std::int64_t i = 0; i < layers; ++i) {
    const double y = top + cell * static_cast<double>(i);
    if (layers <= 12 || i % 5 == 0) inside += text_at(left - 6, y + cell / 2 + 4, std::to_string(i), "end");
    for (std::int64_t j = 0; j < heads; ++j) {
      const bool is_marked = std::ranges::find(marked, std::pair{i, j}) != marked.end();
      inside += box(left + wide * static_cast<double>(j), y, wide, cell, is_marked ? " class=\"bar\"" : "");
    }
  }
  for (std::int64_t j = 0; j < heads; ++j)
    if (heads <= 24 || j % 8 == 0)
      inside += text_at(left + wide * (static_cast<double>(j) + 0.5), top - 7, std::to_string(j));
  return drawing(left + wide * static_cast<double>(heads) + 2, top + cell * static_cast<double>(layers) + 2,
                 inside);
}

std::string chain_drawing(std::span<const std::pair<std::string, std::string>> boxes) {
  constexpr double wide = 92, gap = 20, top = 2, tall = 30;
  std::string inside;
  double x = 2;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0)
      inside +=
          line(x - gap + 2, top + tall / 2, x - 3, top + tall / 2) +
          fmt::format("<path d=\"M{0:.5g} {1:.5g}l-6 -3.5v7z\" class=\"full\"/>", x - 2, top + tall / 2);
    inside += box(x, top, wide, tall) + text_at(x + wide / 2, top + tall / 2 + 4, boxes[i].first) +
              text_at(x + wide / 2, top + tall + 16, boxes[i].second);
    x += wide + gap;
  }
  return drawing(x - gap + 2, top + tall + 24, inside);
}

}  // namespace attnscope::prints

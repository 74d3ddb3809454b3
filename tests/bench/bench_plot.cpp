#include "tests/bench/bench_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/kit/draw/svg.hpp"

namespace attnscope {
namespace {

constexpr Rgba ink = 0xFF28201A, faint = 0xFF8A8078, line = 0xFFE4DFDA, curve = 0xFFC85A12,
               guide = 0xFFB0A69C;
constexpr float page_width = 960, page_height = 400, em = 14;

/// From n and a value to a place in one plot; both logarithmic, or the value linear.
struct Plot {
  SvgCanvas::Area box;
  double first, last;  // n
  double low, high;    // value
  bool log;

  SvgCanvas::Point at(double n, double value) const {
    const double x = std::log2(n / first) / std::log2(last / first);
    const double y = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return {box.x + static_cast<float>(x) * box.w, box.bottom() - static_cast<float>(y) * box.h};
  }
};

/// One line of text; `anchor` is the share of it that lies left of x. Nothing is measured here: readers fit
/// their own letters to the width.
void write(SvgCanvas& svg, float x, float y, std::string_view text, Rgba colour, float anchor,
           int weight = 400) {
  float letters = 0;
  for (const char c : text)
    letters += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : c == '.' || c == ' ' ? 0.3f : 0.56f;
  const float wide = letters * em;
  svg.text({{x - wide * anchor, y}, wide, em, em * 0.8f, weight, anchor, colour, false}, text);
}

std::string length_text(std::int64_t n) {
  return n >= 1024 && n % 1024 == 0 ? fmt::format("{} k", n / 1024) : fmt::format("{}", n);
}

std::string time_text(double seconds) {
  return seconds >= 1 ? fmt::format("{:g} s", seconds) : fmt::format("{:g} ms", seconds * 1e3);
}

void draw_frame(SvgCanvas& svg, const Plot& plot, std::span<const BenchRow> rows, std::string_view title) {
  write(svg, plot.box.x, plot.box.y - 18, title, ink, 0, 600);
  for (const BenchRow& row : rows) {
    const SvgCanvas::Point foot = plot.at(static_cast<double>(row.n), plot.low);
    write(svg, foot.x, foot.y + 22, length_text(row.n), faint, 0.5f);
  }
  write(svg, plot.box.right(), plot.box.bottom() + 44, "tokens", faint, 1);
}

void draw_level(SvgCanvas& svg, const Plot& plot, double value, const std::string& text) {
  const float y = plot.at(plot.first, value).y;
  const std::array<SvgCanvas::Point, 2> level{{{plot.box.x, y}, {plot.box.right(), y}}};
  svg.polyline(level, line, 1);
  write(svg, plot.box.x - 10, y + 5, text, faint, 1);
}

template <class Value>
void draw_curve(SvgCanvas& svg, const Plot& plot, std::span<const BenchRow> rows, const Value& value) {
  std::vector<SvgCanvas::Point> points;
  for (const BenchRow& row : rows)
    if (std::isfinite(value(row))) points.push_back(plot.at(static_cast<double>(row.n), value(row)));
  svg.polyline(points, curve, 2);
  for (const SvgCanvas::Point& point : points) svg.circle(point, 4, curve);
}

void draw_times(SvgCanvas& svg, std::span<const BenchRow> rows, const SvgCanvas::Area& box) {
  const auto by_time = [](const BenchRow& a, const BenchRow& b) { return a.median < b.median; };
  const double least = std::min_element(rows.begin(), rows.end(), by_time)->median;
  const double most = std::max_element(rows.begin(), rows.end(), by_time)->median;
  const double low = std::pow(10, std::floor(std::log10(least))),
               high = std::pow(10, std::ceil(std::log10(most * 1.01)));
  const Plot plot{box, static_cast<double>(rows.front().n), static_cast<double>(rows.back().n), low, high,
                  true};
  draw_frame(svg, plot, rows, "Time");
  for (double decade = low; decade < high * 1.01; decade *= 10)
    draw_level(svg, plot, decade, time_text(decade));
  const auto square = [&](const BenchRow& row) {
    const double share = static_cast<double>(row.n) / static_cast<double>(rows.back().n);
    return rows.back().median * share * share;
  };
  std::vector<SvgCanvas::Point> points;
  for (const BenchRow& row : rows)
    points.push_back(plot.at(static_cast<double>(row.n), std::max(low, square(row))));
  svg.polyline(points, guide, 1);
  write(svg, points[points.size() / 2].x + 14, points[points.size() / 2].y + 22, "n²", faint, 0);
  draw_curve(svg, plot, rows, [](const BenchRow& row) { return row.median; });
}

void draw_memory(SvgCanvas& svg, std::span<const BenchRow> rows, const SvgCanvas::Area& box) {
  double most = 1;
  for (const BenchRow& row : rows)
    if (std::isfinite(row.extra_megabytes)) most = std::max(most, row.extra_megabytes);
  const double high = most <= 8 ? 8 : std::ceil(most / 8) * 8;
  const Plot plot{box,  static_cast<double>(rows.front().n), static_cast<double>(rows.back().n), 0, high,
                  false};
  draw_frame(svg, plot, rows, "Memory above inputs and results");
  for (int i = 0; i <= 4; ++i) draw_level(svg, plot, high * i / 4, fmt::format("{:g} MB", high * i / 4));
  draw_curve(svg, plot, rows, [](const BenchRow& row) { return row.extra_megabytes; });
}

}  // namespace

std::string bench_plot(std::span<const BenchRow> rows, std::string_view caption) {
  const SvgCanvas::Area page{0, 0, page_width, page_height};
  SvgCanvas svg(page);
  svg.begin(nullptr, page);
  svg.rect(page, 0xFFFFFFFF);
  draw_times(svg, rows, {88, 60, 340, 240});
  draw_memory(svg, rows, {572, 60, 340, 240});
  write(svg, 24, page_height - 20, caption, faint, 0);
  return svg.finish(caption, 1);
}

}  // namespace attnscope

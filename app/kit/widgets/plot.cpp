#include "app/kit/widgets/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

double nice_step(double span, int count) {
  if (!(span > 0) || !std::isfinite(span)) return 1;
  const double raw = span / std::max(1, count), power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0, 10.0}) {
    if (raw <= m * power * 1.0001) return m * power;
  }
  return 10 * power;
}

float plot_title(const Ui& ui, const Box& box, std::string_view title, std::string_view unit) {
  const float y = box.y + ui.px(10);
  const float width =
      ui.text(box.x, y, title, {type::label, ui.theme.text1, Ink::Medium, Align::Left, box.w});
  const float room = box.w - width - ui.px(8);
  if (room > ui.px(40))
    ui.text(box.x + width + ui.px(8), y, unit, {type::tick, ui.theme.text3, Ink::Regular, Align::Left, room});
  return box.y + ui.px(24);
}

void draw_y_axis(const Ui& ui, const Axes& axes, int ticks) {
  const double step = nice_step(axes.y1 - axes.y0, ticks);
  for (double v = std::ceil(axes.y0 / step) * step; v <= axes.y1 + step * 1e-6; v += step) {
    ui.horizontal(axes.area.x, axes.y(v), axes.area.w, ui.theme.hairline);
    ui.text(axes.area.x - ui.px(6), axes.y(v), tick(v, step),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
}

void draw_x_axis(const Ui& ui, const Axes& axes, int ticks) {
  const double step = nice_step(axes.x1 - axes.x0, ticks);
  for (double v = std::ceil(axes.x0 / step) * step; v <= axes.x1 + step * 1e-6; v += step) {
    ui.text(axes.x(v), axes.area.bottom() + ui.px(11), tick(v, step),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
}

namespace {

using Points = std::vector<ImVec2>;

/// The finite runs of a curve, in pixels.
std::vector<Points> runs_of(const Axes& axes, const Points& points) {
  std::vector<Points> runs(1);
  for (const ImVec2 p : points) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) {
      runs.back().push_back({axes.x(static_cast<double>(p.x)), axes.y(static_cast<double>(p.y))});
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  if (runs.back().empty()) runs.pop_back();
  return runs;
}

/// The points of a run in one column of pixels.
struct PixelColumn {
  float x, low, high, last;
  int points;
};

std::vector<PixelColumn> columns_of(const Points& run, float width) {
  std::vector<PixelColumn> columns;
  for (const ImVec2 p : run) {
    const float x = std::round(p.x / width) * width;
    if (columns.empty() || columns.back().x != x) {
      columns.push_back({x, p.y, p.y, p.y, 1});
    } else {
      PixelColumn& column = columns.back();
      column = {x, std::min(column.low, p.y), std::max(column.high, p.y), p.y, column.points + 1};
    }
  }
  return columns;
}

/// Leaves out points nearer than a pixel to the previous one: the joints of such short pieces would look like
/// beads.
void smooth(Points& run) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const bool near = i > 0 && i + 1 < run.size() && std::abs(run[i].x - run[kept - 1].x) < 1 &&
                      std::abs(run[i].y - run[kept - 1].y) < 1;
    if (!near) run[kept++] = run[i];
  }
  run.resize(kept);
}

/// The run; one with more than two points per pixel column keeps at most three per column.
Points thinned(Points run, const Axes& axes) {
  if (static_cast<float>(run.size()) > 2 * axes.area.w) {
    const std::vector<PixelColumn> columns = columns_of(run, 1);
    run.clear();
    for (const PixelColumn& column : columns) {
      if (column.points > 1) run.push_back({column.x, column.low});
      if (column.points > 1) run.push_back({column.x, column.high});
      run.push_back({column.x, column.last});
    }
  }
  smooth(run);
  return run;
}

/// One bar per column for a run that goes up and down within its columns; empty if it is calm or has too few
/// points, where a line looks better.
std::vector<Box> bars_of(const Ui& ui, const Axes& axes, const Points& run, float thickness) {
  const float width = std::max(1.f, std::round(ui.scale()));
  if (static_cast<float>(run.size()) * width < axes.area.w) return {};
  const std::vector<PixelColumn> columns = columns_of(run, width);
  std::vector<Box> bars;
  float height = 0, before = columns.front().last;
  for (const PixelColumn& column : columns) {
    const float top = std::min(column.low, before), bottom = std::max(column.high, before);
    bars.push_back({column.x, top - thickness / 2, width, bottom - top + thickness});
    height += bottom - top;
    before = column.last;
  }
  const bool is_jagged = height > ui.px(4) * static_cast<float>(bars.size());
  return is_jagged ? bars : std::vector<Box>{};
}

}  // namespace

void draw_curve(const Ui& ui, const Axes& axes, const std::vector<ImVec2>& points, Rgba colour,
                float thickness) {
  for (const Points& run : runs_of(axes, points)) {
    const Points line = thinned(run, axes);
    if (line.size() == 1) {
      ui.disc(line[0], thickness, colour);
    } else if (const std::vector<Box> bars = bars_of(ui, axes, run, thickness); !bars.empty()) {
      ui.jagged_line(line, bars, colour, thickness);
    } else {
      ui.polyline(line, colour, thickness);
    }
  }
}

void draw_dashed_curve(const Ui& ui, const Axes& axes, const std::vector<ImVec2>& points, Rgba colour,
                       float thickness) {
  for (const Points& run : runs_of(axes, points)) {
    const Points line = thinned(run, axes);
    if (line.size() > 1) draw_dashes(ui, line, colour, thickness);
    if (line.size() == 1) ui.disc(line[0], thickness, colour);
  }
}

void fill_between(const Ui& ui, const Axes& axes, std::span<const ImVec2> a, std::span<const ImVec2> b,
                  FillColours colours) {
  const auto pixel = [&](ImVec2 p) {
    return ImVec2{axes.x(static_cast<double>(p.x)), axes.y(static_cast<double>(p.y))};
  };
  for (std::size_t i = 1; i < std::min(a.size(), b.size()); ++i) {
    const float left = a[i - 1].y - b[i - 1].y, right = a[i].y - b[i].y;
    if (!std::isfinite(left) || !std::isfinite(right)) continue;
    const ImVec2 a0 = pixel(a[i - 1]), a1 = pixel(a[i]), b0 = pixel(b[i - 1]), b1 = pixel(b[i]);
    if (left * right >= 0) {
      ui.area(std::array{a0, a1, b1, b0}, left + right >= 0 ? colours.above : colours.below);
    } else {  // they cross between the two places
      const float share = left / (left - right);
      const ImVec2 cross{a0.x + (a1.x - a0.x) * share, a0.y + (a1.y - a0.y) * share};
      ui.area(std::array{a0, cross, b0}, left > 0 ? colours.above : colours.below);
      ui.area(std::array{a1, b1, cross}, right > 0 ? colours.above : colours.below);
    }
  }
}

void draw_dashes(const Ui& ui, const std::vector<ImVec2>& pixels, Rgba colour, float thickness) {
  const float dash = ui.px(3);
  float along = 0;
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    const ImVec2 a = pixels[i - 1], b = pixels[i];
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    for (float t = 0; t < length;) {
      const float phase = std::fmod(along, 2 * dash),
                  left = std::min((phase < dash ? dash : 2 * dash) - phase, length - t);
      const auto at = [&](float s) {
        // Through the middle of the pixels: vertical dashes are sharp there.
        return ImVec2{a.x + (b.x - a.x) * s / length + 0.5f, a.y + (b.y - a.y) * s / length + 0.5f};
      };
      if (phase < dash) ui.polyline(std::array{at(t), at(t + left)}, colour, thickness);
      t += std::max(left, 0.01f);
      along += std::max(left, 0.01f);
    }
  }
}

}  // namespace attnscope

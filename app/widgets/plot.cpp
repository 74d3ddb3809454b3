#include "app/widgets/plot.hpp"

#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"

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
  const float width = ui.text(box.x, y, title, {type::label, ui.theme.text1, Ink::Medium});
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

void draw_curve(const Ui& ui, const Axes& axes, const std::vector<ImVec2>& points, Rgba colour,
                float thickness) {
  std::vector<ImVec2> run;
  const auto flush = [&] {
    if (run.size() > 1)
      ui.list()->AddPolyline(run.data(), static_cast<int>(run.size()), colour, 0, thickness);
    if (run.size() == 1) ui.list()->AddCircleFilled(run[0], thickness, colour);
    run.clear();
  };
  for (const ImVec2 p : points) {
    if (std::isfinite(p.x) && std::isfinite(p.y)) {
      run.push_back({axes.x(static_cast<double>(p.x)), axes.y(static_cast<double>(p.y))});
    } else {
      flush();
    }
  }
  flush();
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
        return ImVec2{a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length};
      };
      if (phase < dash) ui.list()->AddLine(at(t), at(t + left), colour, thickness);
      t += std::max(left, 0.01f);
      along += std::max(left, 0.01f);
    }
  }
}

void draw_value_tag(const Ui& ui, const Axes& axes, ImVec2 point, std::string_view text) {
  const float width = ui.text_width(text, type::tick, Ink::Medium) + ui.px(12), height = ui.px(20);
  const bool right = point.x + ui.px(10) + width <= axes.area.right() + ui.px(8);
  const float y = std::clamp(point.y - ui.px(18) - height / 2, axes.area.y, axes.area.bottom() - height);
  const Box box{std::round(right ? point.x + ui.px(10) : point.x - ui.px(10) - width), std::round(y), width,
                height};
  ui.fill(box, ui.theme.raised, ui.px(4));
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(box.centre_x(), box.centre_y(), text, {type::tick, ui.theme.text1, Ink::Medium, Align::Centre});
}

}  // namespace attnscope

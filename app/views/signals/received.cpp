// app/views/signals: the attention that every key of the shown head receives from all queries together, and
// what it would receive from uniform attention under the same mask.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

/// Column sums of one head, and B's if they can be compared.
struct Received {
  const std::vector<double>& a;
  const std::vector<double>& uniform;
  const std::vector<double>* b;
  std::int64_t key;  // the shown one

  std::int64_t count() const { return std::ssize(a); }
};

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::fmax(most, v);
  return most;
}

/// If keys are narrower than pixels, a pixel column has the height of its largest key.
void draw_bars(const Ui& ui, const Axes& axes, const Received& keys) {
  const float gap = axes.area.w / static_cast<float>(keys.count()) >= ui.px(4) ? std::max(1.f, ui.px(1)) : 0;
  const auto place = [&](std::int64_t key) {
    const float x0 = std::round(axes.x(static_cast<double>(key) - 0.5));
    return Box{x0, 0, std::max(1.f, std::round(axes.x(static_cast<double>(key) + 0.5)) - x0 - gap), 0};
  };
  const auto bar = [&](const Box& at, double value, Rgba colour) {
    const float y = std::round(axes.y(value));
    ui.fill({at.x, y, at.w, axes.area.bottom() - y}, colour);
  };
  Box open{-1, 0, 0, 0};
  double most = 0;
  for (std::int64_t key = 0; key < keys.count(); ++key) {
    const double value = keys.a[static_cast<std::size_t>(key)];
    const Box at = place(key);
    if (!std::isfinite(value)) {
      ui.fill({at.x, axes.area.bottom() - ui.px(4), at.w, ui.px(4)}, ui.theme.nan);
      continue;
    }
    if (at.x != open.x) {
      if (open.w > 0) bar(open, most, ui.theme.bar);
      open = at;
      most = value;
    }
    most = std::max(most, value);
  }
  if (open.w > 0) bar(open, most, ui.theme.bar);
  const double marked = keys.a[static_cast<std::size_t>(keys.key)];
  Box at = place(keys.key);
  at.w = std::max(at.w, ui.px(2));
  if (std::isfinite(marked)) bar(at, marked, ui.theme.key);
}

void draw_steps(const Ui& ui, const Axes& axes, const std::vector<double>& values, Rgba colour, float width) {
  std::vector<ImVec2> steps;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto x = static_cast<float>(j), y = static_cast<float>(values[j]);
    steps.push_back({x - 0.5f, y});
    steps.push_back({x + 0.5f, y});
  }
  draw_dashed_curve(ui, axes, steps, colour, std::max(1.f, width * ui.scale()));
}

std::string read_out(const Shown& shown, const Received& keys, std::int64_t key) {
  const std::string name = shown.ui.fitted(key_label(shown.result, shown.sequence(), key), type::tick,
                                           Ink::Medium, shown.ui.px(96));
  const auto at = static_cast<std::size_t>(key);
  const std::string text = name + "  " + fixed(keys.a[at], 2) + "  uniform " + fixed(keys.uniform[at], 2);
  return keys.b ? text + "   held " + fixed((*keys.b)[at], 2) : text;
}

}  // namespace

void draw_received(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const Measures* held = held_measures(scene);
  const std::int64_t b = scene.sequence(), h = scene.head();
  const HeadMeasures& head = scene.result.measures.head(b, h);
  const Received keys{head.received, head.received_uniform, held ? &held->head(b, h).received : nullptr,
                      scene.cell().key};
  const Box box = TitleLine(place).finish("Σ over the queries");
  const Box area{box.x + ui.px(28), box.y + ui.px(8), box.w - ui.px(36), box.h - ui.px(30)};
  if (area.w < 8 || area.h < 8 || keys.count() == 0) return;
  const double most = std::max({largest(keys.a), largest(keys.uniform), keys.b ? largest(*keys.b) : 0, 0.1});
  const Axes axes{area, -0.5, static_cast<double>(keys.count()) - 0.5, 0, most * 1.06};
  draw_y_axis(ui, axes, area.h < ui.px(80) ? 3 : 4);
  draw_bars(ui, axes, keys);
  draw_steps(ui, axes, keys.uniform, ui.theme.text3, 1);
  if (keys.b) draw_steps(ui, axes, *keys.b, ui.theme.b, 1.5f);
  const auto label = [&](std::int64_t key) { return key_label(scene.result, b, key); };
  draw_label_axis(ui, axes, {keys.count(), keys.key, ui.theme.key, label});

  const Ui::Touch touch = ui.touch("attention received", area, false);
  if (!touch.hovered) return;
  const double x = axes.x_at(ImGui::GetIO().MousePos.x);
  const std::int64_t key = std::clamp<std::int64_t>(std::llround(x), 0, keys.count() - 1);
  const Cell under{scene.selection.cell.query, key};
  scene.next.hovered_cell = under;
  const double value = keys.a[static_cast<std::size_t>(key)];
  draw_value_tag(ui, axes, {axes.x(static_cast<double>(key)), std::isfinite(value) ? axes.y(value) : area.y},
                 read_out(scene, keys, key));
  if (!touch.clicked) return;
  scene.next.choose(under);
}

}  // namespace attnscope

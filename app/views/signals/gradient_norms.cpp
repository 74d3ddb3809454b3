// app/views/signals: the norms of the loss's gradients in each head's W_Q, W_K and W_V, on a logarithmic axis
// with the limits beyond which a head is flagged.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/parts/unknown.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

std::array<double, 3> norms_of(const HeadGradients& head) { return {head.query, head.key, head.value}; }

std::array<Rgba, 3> colours_of(const Ui& ui) { return {ui.theme.query, ui.theme.key, ui.theme.value}; }

void draw_no_loss(Scene& scene, const Box& box) {
  if (!knows_values(scene.document))
    return draw_empty_plot(scene.ui, box, "No gradients", why_no_values(scene.document));
  const Ui& ui = scene.ui;
  if (scene.document.loss.kind != Loss::Kind::Off)
    return draw_empty_plot(ui, box, "Gradients are being computed", {});
  const bool low = box.h < ui.px(92);
  const Box words{box.x, box.y, box.w, box.h};
  draw_empty_plot(ui, words, {}, {});
  const float y = words.centre_y();
  ui.text(words.centre_x(), y - ui.px(low ? 16 : 28), "No loss, so no gradients",
          {type::label, ui.theme.text2, Ink::Medium, Align::Centre, words.w - ui.px(16)});
  if (!low)
    ui.text(words.centre_x(), y - ui.px(8), "Gradients are derivatives of a loss: choose one.",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, words.w - ui.px(16)});
  const float width = ui.px(136);
  const Box place{std::round(words.centre_x() - width / 2), std::round(y + ui.px(low ? 0 : 8)), width,
                  ui.px(28)};
  if (button(ui, "Switch a loss on", place,
             {"Loss", "Σ Y", "∂loss/∂Y = 1 everywhere. More under Backward."})) {
    scene.document.loss.kind = Loss::Kind::Sum;
    scene.document.loss.given.reset();
  }
}

/// The axis, in powers of ten; it includes both limits of the layer (see
/// core/attention/backward/gradients.hpp).
Axes axes_of(const std::vector<HeadGradients>& heads, const Box& area) {
  const GradientLimits limits = gradient_limits(heads);
  const bool any = limits.vanishing > 0 && std::isfinite(limits.exploding);
  double low = any ? std::floor(std::log10(limits.vanishing)) : -6;
  double high = any ? std::ceil(std::log10(limits.exploding)) : 1;
  for (const HeadGradients& head : heads) {
    for (const double norm : norms_of(head)) {
      if (!(norm > 0) || !std::isfinite(norm)) continue;
      low = std::min(low, std::floor(std::log10(norm)));
      high = std::max(high, std::ceil(std::log10(norm)));
    }
  }
  return {area, low, high, 0, 1};
}

void draw_ground(const Ui& ui, const Axes& axes, const GradientLimits& limits) {
  const Box& area = axes.area;
  const bool any = limits.vanishing > 0 && std::isfinite(limits.exploding);
  const float left = any ? axes.x(std::log10(limits.vanishing)) : area.x;
  const float right = any ? axes.x(std::log10(limits.exploding)) : area.right();
  const Rgba odd = fade(ui.theme.key, 0.12f);
  ui.fill({area.x, area.y, left - area.x, area.h}, odd);
  ui.fill({right, area.y, area.right() - right, area.h}, odd);
  // Labels at powers of a thousand first, then at others that have room.
  std::vector<std::pair<float, float>> used;
  for (const int power : {-6, 0, -3, 3, -9, -12, 6, 9, -15, -18, 1, -1, 2, -2, -4, 4}) {
    if (power < axes.x0 || power > axes.x1) continue;
    const float x = axes.x(power);
    const std::string text = power >= 0 ? metric(std::pow(10, power)) : tight(std::pow(10, power));
    const float half = ui.text_width(text, type::tick) / 2 + ui.px(4);
    const auto overlaps = [&](const std::pair<float, float>& u) {
      return x - half < u.second && x + half > u.first;
    };
    if (std::any_of(used.begin(), used.end(), overlaps)) continue;
    used.emplace_back(x - half, x + half);
    ui.vertical(x, area.y, area.h, ui.theme.hairline);
    ui.text(x, area.bottom() + ui.px(11), text, {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
}

/// One head's row of the plot.
struct GradientRow {
  std::int64_t head;
  const HeadGradients& norms;
  Box box;
  bool shown;
};

/// Three dots on one row. In a high row Q is above and V below, so that not only the colour tells them apart.
void draw_norms(const Ui& ui, const Axes& axes, const GradientRow& line) {
  const auto norms = norms_of(line.norms);
  const Box& row = line.box;
  const bool shown = line.shown;
  const auto colours = colours_of(ui);
  const float apart = row.h >= ui.px(10) ? std::min(row.h / 4.5f, ui.px(5)) : 0;
  const float radius = std::clamp(row.h / 5, 1.5f * ui.scale(), ui.px(shown ? 4 : 3));
  if (shown) ui.fill({axes.area.x, row.y, axes.area.w, row.h}, fade(ui.theme.text1, 0.08f), ui.px(2));
  const auto place = [&](double norm) {  // x of a dot; the ends are 0 and not finite
    if (!std::isfinite(norm)) return axes.area.right();
    return norm > 0 ? axes.x(std::log10(norm)) : axes.area.x;
  };
  const auto [least, most] = std::minmax({place(norms[0]), place(norms[1]), place(norms[2])});
  ui.horizontal(least, row.centre_y(), most - least, ui.theme.border);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const ImVec2 at{place(norms[i]), row.centre_y() + apart * (static_cast<float>(i) - 1)};
    if (!std::isfinite(norms[i])) {
      ui.disc(at, radius, ui.theme.nan);
    } else if (norms[i] <= 0) {
      ui.ring(at, radius, colours[i], std::max(1.f, ui.px(1)));
    } else {
      ui.disc(at, radius, shown ? colours[i] : fade(colours[i], 0.75f));
    }
  }
}

void draw_row_labels(const Ui& ui, const Axes& axes, const GradientRow& line) {
  const HeadGradients& head = line.norms;
  const Box& row = line.box;
  const bool shown = line.shown;
  const Ink ink = shown ? Ink::Semibold : Ink::Regular;
  ui.text(axes.area.x - ui.px(8), row.centre_y(), std::to_string(line.head),
          {type::tick, shown ? ui.theme.text1 : ui.theme.text3, ink, Align::Right});
  const auto norms = norms_of(head);
  const bool odd = head.vanishing || head.exploding;
  const std::string text = head.exploding   ? "far above"
                           : head.vanishing ? "far below"
                                            : tight(*std::max_element(norms.begin(), norms.end()));
  ui.text(row.right(), row.centre_y(), text,
          {type::tick,
           odd     ? ui.theme.key
           : shown ? ui.theme.text1
                   : ui.theme.text2,
           ink, Align::Right});
}

void draw_legend(const Shown& shown, const Box& box) {
  const Ui& ui = shown.ui;
  constexpr std::array<std::string_view, 3> names{"Q", "K", "V"};
  const auto colours = colours_of(ui);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const float x = box.x + static_cast<float>(i) * ui.px(24);
    ui.disc({x + ui.px(4), box.centre_y()}, ui.px(3), colours[i]);
    ui.text(x + ui.px(10), box.centre_y(), names[i], {type::tick, ui.theme.text2});
  }
}

std::string read_out(const LayerResult& result, const HeadGradients& head, std::int64_t h) {
  const bool given = result.document.input.is_given();
  const std::string w = given ? "∂" : "∂W_";
  return std::to_string(h) + "   " + w + "Q " + tiny(head.query) + "   " + w + "K " + tiny(head.key) + "   " +
         w + "V " + tiny(head.value);
}

}  // namespace

void draw_gradient_norms(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const std::vector<HeadGradients>& heads = scene.result.head_gradients;
  TitleLine title(place);
  if (heads.empty()) return draw_no_loss(scene, title.finish("per head"));
  if (const auto legend = title.room(ui.px(70))) draw_legend(scene, *legend);
  const Box box = title.finish(scene.result.document.input.is_given() ? "‖∂Q‖, ‖∂K‖, ‖∂V‖" : "‖∂W‖, log");
  const Axes axes =
      axes_of(heads, {box.x + ui.px(24), box.y + ui.px(4), box.w - ui.px(90), box.h - ui.px(26)});
  if (axes.area.w < 8 || axes.area.h < 8) return;
  draw_ground(ui, axes, gradient_limits(heads));
  const auto count = static_cast<std::int64_t>(heads.size());
  const float row_height = axes.area.h / static_cast<float>(count);
  const auto step = static_cast<std::int64_t>(std::max(1.f, std::ceil(ui.px(14) / row_height)));
  const std::int64_t shown = scene.head();
  std::optional<std::int64_t> hovered;
  const auto row_of = [&](std::int64_t h) {
    return Box{box.x, axes.area.y + static_cast<float>(h) * row_height, box.w, row_height};
  };
  for (std::int64_t h = 0; h < count; ++h) {
    const HeadGradients& head = heads[static_cast<std::size_t>(h)];
    const GradientRow row{h, head, row_of(h), h == shown};
    draw_norms(ui, axes, row);
    if (h == shown || (h % step == 0 && std::abs(h - shown) >= step)) draw_row_labels(ui, axes, row);
    const Ui::Touch touch = ui.touch(("gradients of head " + std::to_string(h)).c_str(), row.box, false);
    if (touch.hovered) scene.next.hovered_head = hovered = h;
    if (touch.clicked) scene.next.head = h;
  }
  if (!hovered) return;
  const HeadGradients& head = heads[static_cast<std::size_t>(*hovered)];
  draw_value_tag(ui, axes, {ImGui::GetIO().MousePos.x, row_of(*hovered).centre_y()},
                 read_out(scene.result, head, *hovered));
}

}  // namespace attnscope

#include "app/views/atlas/pruning.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {
namespace {

using CurvePoints = std::vector<ImVec2>;

/// (heads removed, KL) as far as known; with no head removed KL is 0.
CurvePoints curve_points(const std::vector<AtlasEntry>& curve) {
  CurvePoints points{{0, 0}};
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (std::isfinite(curve[i].effect.divergence))
      points.push_back({static_cast<float>(i + 1), static_cast<float>(curve[i].effect.divergence)});
  return points;
}

/// The known count that is nearest to `count`.
std::size_t nearest_known(const CurvePoints& points, double count) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (std::abs(static_cast<double>(points[i].x) - count) <
        std::abs(static_cast<double>(points[best].x) - count))
      best = i;
  return best;
}

std::string seconds_words(double seconds) {
  if (std::isnan(seconds)) return {};
  if (seconds < 1) return "under a second";
  if (seconds < 90) return "about " + fixed(seconds, 0) + " s";
  return "about " + fixed(seconds / 60, 0) + " min";
}

class Pruning {
 public:
  Pruning(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_look_of(scene.view)),
        reading_(*scene.model),
        curve_(reading_.pruning.get()),
        region_(region) {}

  void draw() {
    ui_.fill(region_, ui_.theme.panel);
    ui_.horizontal(region_.x, region_.y, region_.w, ui_.theme.hairline);
    const float pad = region_pad(scene_);
    const Box line{region_.x + pad, region_.y, region_.w - 2 * pad, title_height(ui_)};
    const float right =
        can_run() ? draw_run({line.right() - ui_.px(236), line.y + ui_.px(8), ui_.px(236), ui_.px(28)})
                  : line.right();
    draw_region_title(ui_, line, "Pruning", note(), right - ui_.px(12));
    const Box area{line.x + ui_.px(36), line.bottom() + ui_.px(2), line.w - ui_.px(36) - ui_.px(92),
                   region_.bottom() - line.bottom() - ui_.px(28)};
    if (area.w < ui_.px(80) || area.h < ui_.px(40)) return;
    if (curve_ == nullptr || curve_->known == 0)
      draw_nothing(line);
    else
      draw_plot(area);
  }

 private:
  bool can_run() const {
    return reading_.effects && !reading_.effects->heads.empty() && reading_.prediction &&
           reading_.prediction->row >= 0;
  }
  bool is_wanted() const { return state_.pruned == scene_.document.within.read().input; }

  std::string note() const {
    if (curve_ == nullptr || curve_->known == 0) return "how many heads can go together";
    std::string words = "KL of the prediction over heads zeroed  ·  the smallest KL alone first";
    if (!curve_->is_whole() || reading_.prediction->top_before.empty()) return words;
    const std::int64_t top = reading_.prediction->top_before.front().id;
    const auto end = std::ranges::find_if(
        curve_->curve, [&](const AtlasEntry& entry) { return entry.effect.top_token != top; });
    const std::string name = predicted_name(reading_, top);
    const auto kept = end - curve_->curve.begin();
    return words + "  ·  “" + own(name) + "” stays the likeliest up to " + std::to_string(kept);
  }

  /// The button that starts the computation, or its progress. Returns the left end of the text.
  float draw_run(const Box& box) {
    const std::int64_t all = curve_ != nullptr ? std::ssize(curve_->curve) + curve_->random_counts
                                               : std::ssize(reading_.effects->heads);
    const std::int64_t known = curve_ != nullptr ? curve_->known + curve_->random_known : 0;
    if (curve_ != nullptr && curve_->is_whole()) return box.right();
    if (is_wanted() || known > 0) {
      const ProgressPress pressed =
          draw_progress_row(ui_, box, {"pruning", known, all, is_wanted() && !reading_.is_stopped});
      if (pressed == ProgressPress::Cancel) state_.pruned.reset();
      if (pressed == ProgressPress::GoOn) begin();
      return box.x;
    }
    const float wide = ui_.px(88);
    const Box press{box.right() - wide, box.y, wide, box.h};
    const std::string time = seconds_words(reading_.effects->pruning_seconds);
    if (button(
            ui_, "Compute", press,
            {"Compute the pruning curve",
             "Michel et al. 2019",
             "Zeroes 1, 2, 3, … heads together and compares each prediction with the model's own; a random "
             "order stands beside it.",
             {}}))
      begin();
    return press.x - ui_.px(10) -
           ui_.text(press.x - ui_.px(10), press.centre_y(), time.empty() ? "after the effects" : time,
                    {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  }

  void begin() {
    state_.pruned = scene_.document.within.read().input;
    scene_.requests.resume_model = reading_.is_stopped;
  }

  void draw_nothing(const Box& line) {
    const std::string_view words =
        !can_run() ? "There is no prediction whose change could be measured."
        : is_wanted()
            ? "Computing, after the effects of all heads."
            : "Heads are zeroed one after the other, the one with the smallest KL alone first. How far "
              "the prediction moves shows how many are needed here; what heads do for each other "
              "shows where the curve leaves the ground.";
    ui_.paragraph(line.x, line.bottom() + ui_.px(8), std::min(line.w, ui_.px(640)), words,
                  {type::label, ui_.theme.text2});
  }

  void draw_plot(const Box& area) {
    const CurvePoints mine = curve_points(curve_->curve), random = curve_points(curve_->random);
    double most = 1e-3;
    for (const CurvePoints* points : {&mine, &random})
      for (const ImVec2 p : *points) most = std::max(most, static_cast<double>(p.y));
    const Axes axes{area, 0, static_cast<double>(curve_->curve.size()), 0, most * 1.06};
    draw_y_axis(ui_, axes, area.h < ui_.px(80) ? 2 : 4);
    draw_x_axis(ui_, axes, static_cast<int>(area.w / ui_.px(72)));
    if (random.size() > 1) draw_dashed_curve(ui_, axes, random, ui_.theme.text2, 1.5f * ui_.scale());
    draw_curve(ui_, axes, mine, ui_.theme.query, 2 * ui_.scale());
    std::vector<EndLabel> ends{
        {axes.y(static_cast<double>(mine.back().y)), "by KL alone", ui_.theme.query, Ink::Semibold}};
    if (random.size() > 1) {
      // Both curves end with all heads zeroed: the second name is placed where the lines are apart.
      const ImVec2 before = random[random.size() > 2 ? random.size() - 2 : 1];
      ends.push_back({axes.y(static_cast<double>(before.y)), "random order", ui_.theme.text2});
    }
    draw_end_labels(ui_, {area.right() + ui_.px(8), area.y, area.bottom(), ui_.px(64)}, ends);
    take_mouse(axes, mine, random);
  }

  void take_mouse(const Axes& axes, const CurvePoints& mine, const CurvePoints& random) {
    const Ui::Touch touch = ui_.touch("Pruning curve", axes.area);
    if (touch.focused) ui_.frame(axes.area.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (!touch.pointed && !touch.clicked) return;
    const ImVec2 at = mine[nearest_known(mine, axes.x_at(ImGui::GetIO().MousePos.x))];
    const auto count = static_cast<std::size_t>(at.x);
    const float x = axes.x(static_cast<double>(at.x));
    draw_dashes(ui_, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui_.theme.text3, std::max(1.f, ui_.px(1)));
    ui_.disc({x, axes.y(static_cast<double>(at.y))}, ui_.px(4), ui_.theme.query);
    const ModelSpec& spec = reading_.within.model->model->spec;
    const std::string value = tight(static_cast<double>(at.y));
    std::string hint =
        counted(static_cast<std::int64_t>(count), "head zeroed", "heads zeroed") + "   ·   KL " + value;
    if (count > 0)
      hint += "   ·   likeliest then " + predicted_name(reading_, curve_->curve[count - 1].effect.top_token);
    if (random.size() > 1) {
      const ImVec2 other = random[nearest_known(random, static_cast<double>(at.x))];
      ui_.disc({axes.x(static_cast<double>(other.x)), axes.y(static_cast<double>(other.y))}, ui_.px(3),
               ui_.theme.text2);
      hint += "   ·   random order, " +
              counted(static_cast<std::int64_t>(other.x), "head: KL ", "heads: KL ") +
              tight(static_cast<double>(other.y));
    }
    std::string tag = std::to_string(count) + "  KL " + value;
    if (count < curve_->curve.size()) {
      const ModelHead next = model_head(spec, curve_->curve[count].head);
      tag += "  next " + head_name(spec, next);
      hint += "   ·   next goes " + head_name(spec, next) + ", a click looks at it";
      state_.hovered = next;
      if (touch.clicked) click_on_head(scene_, next);
    }
    scene_.view.hint = hint;
    draw_value_tag(ui_, axes, {x, axes.y(static_cast<double>(at.y))}, tag);
  }

  Scene& scene_;
  const Ui& ui_;
  ModelLook& state_;
  const ModelReading& reading_;
  const PruningReading* curve_;
  Box region_;
};

}  // namespace

void draw_pruning(Scene& scene, const Box& region) { Pruning(scene, region).draw(); }

}  // namespace attnscope

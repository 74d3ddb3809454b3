#include "app/pages/lessons/step/lesson_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/kit/widgets/plot.hpp"
#include "app/training/run_words.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {
namespace {

struct CurveTitle {
  std::string title, unit;
};
CurveTitle title_of_curve(const Ui& ui, const training::ShownLab& lab, std::string_view measure) {
  if (measure == "loss") return {"Loss", "nats"};
  if (measure == "accuracy")
    return {"Accuracy", std::string(lab.task->groups[static_cast<std::size_t>(lab.task->goal_group)].name)};
  if (measure == "entropy") return {"Entropy", "mean of the heads"};
  if (measure == "gradient") return {"Gradient norm", "‖∂W‖, last layer"};
  if (measure == "cost") return {"Cost of muting", "the largest of the heads"};
  return {lab_title(ui, measure), "the largest of the heads"};
}

/// Adds what the mouse draws while its button is down.
void take_drawn_curve(LessonPage& page, const Axes& axes, const AskedCurve& asked) {
  StepAnswer& answer = page.state().answer;
  const Ui::Touch touch = page.ui().touch("curve", axes.area.grown(page.ui().px(4)), false);
  const ImGuiIO& io = ImGui::GetIO();
  if (answer.revealed || !touch.held || !io.MouseDown[0]) return;
  const float first = static_cast<float>(asked.from) / static_cast<float>(asked.last);
  const auto share = [&](ImVec2 at) {
    return SketchPoint{std::max(first, (at.x - axes.area.x) / axes.area.w),
                       (axes.area.bottom() - at.y) / axes.area.h};
  };
  const ImVec2 now = io.MousePos, before{now.x - io.MouseDelta.x, now.y - io.MouseDelta.y};
  draw_into(answer.curve, share(ImGui::IsMouseClicked(0) ? now : before), share(now));
}

std::vector<ImVec2> sketched_points(const std::vector<float>& sketch, const Axes& axes) {
  std::vector<ImVec2> points;
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    const double step = axes.x1 * static_cast<double>(i) / static_cast<double>(sketch_columns - 1);
    const double value = axes.y0 + (axes.y1 - axes.y0) * static_cast<double>(sketch[i]);
    const float y = sketch[i] < 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
    points.push_back({static_cast<float>(step), y});
  }
  return points;
}

/// All measured points, or those that a branch shares with its parent.
std::vector<ImVec2> measured_points(const AskedCurve& asked, bool all) {
  std::vector<ImVec2> points;
  const auto to = static_cast<double>(all ? asked.last : asked.from);
  for (const MeasuredCurve::Point& point : asked.measured.points) {
    if (point.step > to) break;
    points.push_back({static_cast<float>(point.step), static_cast<float>(point.value)});
    if (!all && point.step == to) break;  // a second point at that step is the branch's own
  }
  return points;
}

/// The y of a curve's end; NaN without points.
float end_of_curve(const Axes& axes, const std::vector<ImVec2>& points) {
  const auto last = std::find_if(points.rbegin(), points.rend(),
                                 [](const ImVec2& point) { return std::isfinite(point.y); });
  if (last == points.rend()) return std::numeric_limits<float>::quiet_NaN();
  return axes.y(std::clamp(static_cast<double>(last->y), axes.y0, axes.y1));
}

void name_curves(const Ui& ui, const Axes& axes, const std::vector<ImVec2>& sketch,
                 const std::vector<ImVec2>& measured, Rgba colour) {
  std::vector<EndLabel> ends;
  if (const float y = end_of_curve(axes, measured); std::isfinite(y)) ends.push_back({y, "measured", colour});
  if (const float y = end_of_curve(axes, sketch); std::isfinite(y))
    ends.push_back({y, "drawn", ui.theme.query});
  draw_end_labels(ui, {axes.area.right() + ui.px(6), axes.area.y, axes.area.bottom()}, ends);
}

void draw_lesson_curve(LessonPage& page, const Box& box, const lessons::CurveQuestion& question) {
  const Ui& ui = page.ui();
  const AskedCurve asked = asked_curve(page, question);
  if (asked.run == nullptr) return;
  const CurveTitle title = title_of_curve(ui, page.scene.training->shown_lab(), question.measure);
  const float top = plot_title(ui, box, title.title, title.unit) + ui.px(4);
  const Axes axes{{box.x + ui.px(34), top, std::max(ui.px(40), box.w - ui.px(34 + 72)),
                   std::max(ui.px(20), box.bottom() - top - ui.px(20))},
                  0,
                  static_cast<double>(asked.last),
                  asked.measured.low,
                  asked.measured.high};
  take_drawn_curve(page, axes, asked);
  const StepAnswer& answer = page.state().answer;
  draw_y_axis(ui, axes, axes.area.h > ui.px(120) ? 4 : 2);
  draw_x_axis(ui, axes, axes.area.w > ui.px(320) ? 6 : 2);
  if (!answer.revealed) ui.frame(axes.area, ui.theme.query, std::max(1.f, ui.px(1)), ui.px(4));
  const Rgba colour = asked.run->parent >= 0 ? ui.theme.b : ui.theme.text1;
  const bool shows_known = answer.revealed || asked.from > 0;
  const std::vector<ImVec2> sketch = sketched_points(answer.curve, axes);
  const std::vector<ImVec2> measured =
      shows_known ? measured_points(asked, answer.revealed) : std::vector<ImVec2>{};
  ui.clip(axes.area.grown(ui.px(2)));
  draw_curve(ui, axes, measured, colour, ui.px(2));
  draw_dashed_curve(ui, axes, sketch, ui.theme.query, ui.px(2.5f));
  ui.unclip();
  if (answer.revealed) return name_curves(ui, axes, sketch, measured, colour);
  if (answer.curve.empty())
    ui.text(axes.area.centre_x(), axes.area.centre_y(), "Draw the curve that you expect",
            {type::label, ui.theme.text2, Ink::Regular, Align::Centre, axes.area.w - ui.px(16)});
}

}  // namespace

AskedCurve asked_curve(const LessonPage& page, const lessons::CurveQuestion& question) {
  AskedCurve asked;
  const TrainingRuns* const runs = page.scene.training;
  if (runs == nullptr || !runs->is_placed() || runs->shown_lab().runs.empty()) return asked;
  const auto& branch = page.step.trained.branch;
  const training::ShownLab& lab = runs->shown_lab();
  asked.run = branch ? lab.runs.back().get() : lab.runs.front().get();
  asked.measured = measured_curve(lab, *asked.run, question.measure);
  asked.from = branch ? branch->at : 0;
  asked.last = std::max<std::int64_t>({1, page.step.trained.steps, branch ? branch->steps : std::int64_t{0}});
  return asked;
}

void ask_for_curve(LessonPage& page, TrainingPanels& lab, const lessons::CurveQuestion& question) {
  lab.draws_front = [&page, &question](const Box& box) {
    if (page.covered) ImGui::EndDisabled();  // nothing else takes the mouse while the question is open
    draw_lesson_curve(page, box, question);
    if (page.covered) ImGui::BeginDisabled();
  };
  if (page.covered)
    lab.draws_small = [&page](const Box& box) { draw_lesson_lid(page, box, page.ui().theme.border); };
}

}  // namespace attnscope

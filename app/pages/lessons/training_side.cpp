// app/pages/lessons: the picture of a lesson that trains: the curves, heads and strip of time of the training
// page, covered until the answer is revealed, and the progress of the run up to the step's place.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/lessons/step/lesson_curve.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/training/panels.hpp"
#include "app/training/training_runs.hpp"

namespace attnscope {
namespace {

/// Training steps that are done, and those that the lesson's step needs.
struct OnItsWay {
  std::int64_t done = 0, all = 0;
};
OnItsWay training_on_its_way(const LessonPage& page) {
  const lessons::TrainedStep& step = page.step.trained;
  const std::int64_t of_branch = step.branch ? step.branch->steps - step.branch->at : 0;
  OnItsWay way{0, step.steps + of_branch};
  if (page.scene.training == nullptr || !page.scene.training->is_placed()) return way;
  const training::ShownLab& lab = page.scene.training->shown_lab();
  if (!lab.runs.empty()) way.done = std::min(lab.runs[0]->step, step.steps);
  if (lab.runs.size() > 1) way.done += lab.runs.back()->step - lab.runs.back()->branch;
  return way;
}

/// "trains: step 125 of 500" over a bar, while the step is not reached.
void draw_training_progress(const LessonPage& page, const Box& line) {
  const Ui& ui = page.ui();
  const OnItsWay way = training_on_its_way(page);
  const std::string words = "trains: step " + grouped(way.done) + " of " + grouped(way.all);
  const float wide = ui.text(line.right(), line.centre_y(), words,
                             {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  const Box track{line.x, line.centre_y() - ui.px(2), std::max(0.f, line.w - wide - ui.px(16)), ui.px(4)};
  ui.fill(track, ui.theme.control_hover, ui.px(2));
  const float share = way.all > 0 ? static_cast<float>(way.done) / static_cast<float>(way.all) : 0;
  ui.fill({track.x, track.y, std::round(track.w * share), track.h}, ui.theme.query, ui.px(2));
}

void say_of_training(const Ui& ui, const Box& box, const std::string& words) {
  ui.text(box.centre_x(), box.centre_y(), words,
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(40)});
}

/// The furthest training step of all steps of the lesson: the axes are the same in all of them.
std::int64_t furthest_step(const LessonPage& page) {
  std::int64_t last = 0;
  for (const lessons::Step& step : page.lesson().steps) {
    if (step.trained.task != page.step.trained.task || step.trained.control != page.step.trained.control)
      continue;
    last = std::max({last, step.trained.steps, step.trained.branch ? step.trained.branch->steps : 0});
  }
  return last;
}

/// Whether heads are shown: not if the step names its curves and none is of heads, as the heads' pictures,
/// also in the strip of time, would answer what a later step asks.
bool shows_heads(const lessons::TrainedStep& step) {
  constexpr std::array<std::string_view, 3> of_all{"loss", "accuracy", "gradient"};
  return step.plots.empty() || !std::ranges::all_of(step.plots, [&](const std::string& plot) {
           return std::ranges::find(of_all, plot) != of_all.end();
         });
}

void draw_training_picture(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  TrainingPanels lab = training_panels(page.scene, page.scene.training->shown_lab());
  lab.narrow = page.scene.compact || box.w < ui.px(960);
  lab.last = lab_axis_end(lab, furthest_step(page));
  lab.front = page.step.trained.measure;
  lab.plots = page.step.trained.plots;
  const lessons::CurveQuestion* const curve =
      page.step.question ? std::get_if<lessons::CurveQuestion>(&page.step.question->kind) : nullptr;
  if (curve != nullptr) ask_for_curve(page, lab, *curve);
  const bool covers_plots = page.covered && page.step.trained.covers_plots;
  std::vector<std::string> open;  // while the curve that is the answer must stay hidden
  if (page.covered && curve == nullptr && !page.step.trained.covered_curves.empty()) {
    open = lessons::open_curves(page.step.trained);
    lab.plots = open;
    if (!lab.has_plot(lab.front.empty() ? "loss" : lab.front)) lab.front = open.front();
  }
  lab.covers_numbers = page.covered && (curve != nullptr || covers_plots);
  const bool has_heads = shows_heads(page.step.trained);
  lab.covers_heads = !has_heads || (page.covered && page.step.trained.covers_heads);
  // In little room the strip of time is low, and only the large curve is drawn.
  const bool low = box.h < ui.px(430);
  const float time = ui.px(low ? 72 : lab.b == nullptr ? (lab.narrow ? 112 : 130) : lab.narrow ? 150 : 186);
  // The heads alone, and while the question asks for numbers beside them a lid in the place of the curves.
  const bool alone = page.step.view == lessons::StepView::Lab && has_heads && curve == nullptr;
  // In a narrow room the curves or the heads; what R reveals comes first.
  const bool one = page.narrow && has_heads && !alone;
  const float names = ui.px(one ? 36 : 0);
  const std::array<PictureName, 2> both{{{"Curves", ui.theme.text1}, {"Heads", ui.theme.text1}}};
  const bool reveals_heads = page.step.question && !page.covered && page.step.trained.covers_heads;
  const Box row{box.x + ui.px(16), box.y + ui.px(6), box.w - ui.px(32), ui.px(26)};
  const std::size_t shown = one ? draw_picture_names(page, row, both, reveals_heads ? 1 : 0) : 0;
  const bool draws_heads = has_heads && (!one || shown == 1), draws_plots = !one || shown == 0;
  const float top = box.h - time - names;
  const float heads = one         ? box.w
                      : alone     ? box.w - (covers_plots ? ui.px(190) : 0)
                      : has_heads ? std::floor(box.w * (page.presented ? 0.46f : 0.425f))
                                  : 0;
  lab.small_rows = low ? 0 : page.presented || top < ui.px(340) ? 1 : 2;
  lab.has_rule = !low;
  lab.has_sentence = !low && !lab.narrow;
  if (page.covered || !lab.has_plot("accuracy")) lab.phase.reset();
  const Box plots{box.x, box.y + names, one ? box.w : box.w - heads, top},
      maps{box.right() - heads, plots.y, heads, top};
  if (page.covered) ImGui::BeginDisabled();
  if (draws_plots && covers_plots && curve == nullptr)
    draw_lesson_lid(page, plots.grown(-ui.px(12)), ui.theme.border);
  else if (draws_plots && !alone)
    draw_lab_plots(lab, plots);
  if (draws_heads) {
    if (plots.w > 0 && !one) ui.vertical(maps.x, maps.y, maps.h, ui.theme.hairline);
    lab.covers_heads ? draw_lesson_lid(page, maps.grown(-ui.px(12)), ui.theme.border)
                     : draw_lab_heads(lab, maps);
  }
  ui.horizontal(box.x, plots.bottom(), box.w, ui.theme.hairline);
  draw_lab_time(lab, {box.x, plots.bottom(), box.w, time});
  if (page.covered) ImGui::EndDisabled();
}

}  // namespace

void draw_lesson_training(LessonPage& page, const Box& box) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const float pad = ui.px(scene.compact ? 16 : 24);
  const bool there = is_lesson_run_there(scene);
  float y = box.y;
  if (!there) {
    draw_training_progress(page, {box.x + pad, y + ui.px(6), box.w - 2 * pad, ui.px(24)});
    y += ui.px(30);
  }
  if (!page.step.shown.empty()) {
    if (!there) ImGui::BeginDisabled();
    y = draw_lesson_controls(page,
                             {box.x + pad, y + ui.px(scene.compact ? 6 : 10), box.w - 2 * pad, ui.px(36)}) +
        ui.px(6);
    if (!there) ImGui::EndDisabled();
    ui.horizontal(box.x + pad, y, box.w - 2 * pad, ui.theme.hairline);
  }
  const Box rest{box.x, y, box.w, box.bottom() - y};
  if (scene.training == nullptr) return;
  const training::ShownLab& lab = scene.training->shown_lab();
  if (!lab.problem.empty()) return say_of_training(ui, rest, own(lab.problem));
  if (!scene.training->is_placed() || lab.run() == nullptr)
    return say_of_training(ui, rest, "Making the network …");
  draw_training_picture(page, rest);
}

}  // namespace attnscope

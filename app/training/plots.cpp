// app/training: measures against steps: loss with its floor, accuracy, and for each head entropy, scores and
// the cost of ablating it.
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/kit/ui/number_format.hpp"
#include "app/training/acts.hpp"
#include "app/training/panels.hpp"
#include "app/training/run_words.hpp"

namespace attnscope {
namespace {

using training::LabPoint;
using training::LabRun;
using ValueOf = std::function<double(const LabPoint&)>;

constexpr std::string_view front_label = "lab loss";  // of the large plot

struct LabLine {
  std::vector<ImVec2> points;
  Rgba colour = 0;
  float thickness = 2;
  bool dashed = false;
  std::string name;  // written at the line's right end; empty: none
};

std::vector<ImVec2> lab_points(const LabRun& run, const ValueOf& value, std::int64_t from = 0) {
  std::vector<ImVec2> points;
  for (const auto& point : run.points)
    if (point->metrics.step >= from)
      points.push_back({static_cast<float>(point->metrics.step), static_cast<float>(value(*point))});
  return points;
}

struct LabPlot {
  std::string_view name;  // the name that lessons use
  std::string title, unit;
  double low = 0, high = 1;
  std::vector<LabLine> lines;
  std::optional<double> floor;
  std::string floor_name;
};

/// A click or a drag shows the step under the mouse.
void scrub_in_plot(const TrainingPanels& panels, const Axes& axes, const std::string& label) {
  const Ui::Touch touch = panels.ui().touch(label.c_str(), axes.area.grown(panels.ui().px(4)), false);
  if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (!touch.held || !ImGui::GetIO().MouseDown[0]) return;
  panels.state().step = static_cast<std::int64_t>(
      std::clamp(axes.x_at(ImGui::GetIO().MousePos.x), 0., static_cast<double>(panels.last)));
}

/// A thin line where B branches off A. Its label keeps clear of the floor's.
void draw_cut(const TrainingPanels& panels, const Axes& axes, const LabPlot& plot) {
  if (panels.b == nullptr || panels.b->branch == 0) return;
  const Ui& ui = panels.ui();
  const float x = std::round(axes.x(static_cast<double>(panels.b->branch)));
  ui.vertical(x, axes.area.y, axes.area.h, ui.theme.b);
  const float wide = ui.text_width("cut", type::tick);
  if (axes.area.w < ui.px(240) || axes.area.h < ui.px(60)) return;
  const bool below = plot.floor && *plot.floor > (plot.low + plot.high) / 2;
  const float y = below ? axes.area.bottom() - ui.px(10) : axes.area.y + ui.px(10);
  const bool left = x + wide + ui.px(8) > axes.area.right();
  const float from = left ? x - ui.px(4) - wide : x + ui.px(4);
  ui.fill({from - ui.px(2), y - ui.px(7), wide + ui.px(4), ui.px(14)}, ui.theme.panel);  // hides the curves
  ui.text(from, y, "cut", {type::tick, ui.theme.b});
}

/// The phase change as a band behind the curves.
void shade_phase(const TrainingPanels& panels, const Axes& axes) {
  if (!panels.phase) return;
  const float x = axes.x(static_cast<double>(panels.phase->from)),
              end = axes.x(static_cast<double>(panels.phase->to));
  panels.ui().fill({x, axes.area.y, std::max(panels.ui().px(2), end - x), axes.area.h},
                   panels.ui().theme.raised);
}

/// Its name and its steps, at the end of the plot that the words of floor and cut leave free.
void name_phase(const TrainingPanels& panels, const Axes& axes, const LabPlot& plot) {
  const Ui& ui = panels.ui();
  if (!panels.phase || axes.area.w < ui.px(320) || axes.area.h < ui.px(80)) return;
  const std::string words =
      "phase change   ·   " + grouped(panels.phase->from) + " … " + grouped(panels.phase->to);
  const float wide = ui.text_width(words, type::tick),
              middle = axes.x(static_cast<double>(panels.phase->from + panels.phase->to) / 2),
              x = std::clamp(middle, axes.area.x + wide / 2 + ui.px(4),
                             axes.area.right() - wide / 2 - ui.px(4));
  const bool has_high_floor = plot.floor && *plot.floor > (plot.low + plot.high) / 2;
  const float y = has_high_floor ? axes.area.y + ui.px(9) : axes.area.bottom() - ui.px(9);
  const float floor = plot.floor ? axes.y(*plot.floor) : -INFINITY;
  // The floor's name stands at the right; B's cut has a word of its own.
  const bool meets_floor = std::abs(y - floor) < ui.px(24) && x + wide / 2 > axes.area.x + axes.area.w / 2;
  const bool meets_cut = panels.b != nullptr &&
                         std::abs(axes.x(static_cast<double>(panels.b->branch)) - x) < wide / 2 + ui.px(40);
  if (meets_floor || meets_cut) return;
  ui.fill({x - wide / 2 - ui.px(3), y - ui.px(8), wide + ui.px(6), ui.px(16)}, ui.theme.panel, ui.px(3));
  ui.text(x, y, words, {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
}

/// The line's value at the shown step; NaN before its first point, and more than `measure_every` steps after
/// its last.
float value_at(const LabLine& line, std::int64_t step, std::int64_t measure_every) {
  float value = NAN;
  if (line.points.empty() || static_cast<float>(step - measure_every) > line.points.back().x) return value;
  for (const ImVec2 point : line.points)
    if (point.x <= static_cast<float>(step)) value = point.y;
  return value;
}

/// The floor's name, below its line, or above it near the bottom; drawn over the line of the shown step;
/// without the group's name if there is too little room.
void draw_floor_name(const Ui& ui, const Axes& axes, const LabPlot& plot) {
  std::string_view words = plot.floor_name;
  const auto room = [&] { return axes.area.w - ui.text_width(words, type::tick) - ui.px(16); };
  if (room() < 0) words = words.substr(0, words.find("   ·"));
  if (room() < 0) return;
  const float line = axes.y(*plot.floor), away = ui.px(11);
  const float y = line + away + ui.px(8) > axes.area.bottom() ? line - away : line + away,
              wide = ui.text_width(words, type::tick);
  const Box name{axes.area.right() - wide - ui.px(8), y - ui.px(7), wide + ui.px(8), ui.px(14)};
  ui.fill(name, ui.theme.panel);
  ui.text(name.right() - ui.px(4), y, words, {type::tick, ui.theme.key, Ink::Regular, Align::Right});
}

void draw_lab_plot(const TrainingPanels& panels, const LabPlot& plot, const Box& box,
                   const std::string& label) {
  const Ui& ui = panels.ui();
  // The unit alone, up to the comma, if "nats, 64 unseen sequences" does not fit.
  std::string_view unit = plot.unit;
  if (ui.text_width(plot.title, type::label, Ink::Medium) + ui.px(8) + ui.text_width(unit, type::tick) >
      box.w)
    unit = unit.substr(0, unit.find(", "));
  const float top = plot_title(ui, box, plot.title, unit) + ui.px(4);
  float names = ui.px(52);  // room for the curves' names at their right ends
  if (box.w > ui.px(320))
    for (const LabLine& line : plot.lines)
      names = std::max(names, ui.text_width(line.name, type::tick) + ui.px(10));
  Axes axes;
  axes.area = {box.x + ui.px(34), top, std::max(ui.px(40), box.w - ui.px(34) - names),
               std::max(ui.px(20), box.bottom() - top - ui.px(20))};
  axes.x0 = 0;
  axes.x1 = static_cast<double>(std::max<std::int64_t>(1, panels.last));
  axes.y0 = plot.low;
  axes.y1 = plot.high;
  scrub_in_plot(panels, axes, label);
  shade_phase(panels, axes);
  draw_y_axis(ui, axes, axes.area.h > ui.px(120) ? 4 : 2);
  draw_x_axis(ui, axes, axes.area.w > ui.px(320) ? 6 : 2);
  ui.clip(axes.area.grown(ui.px(2)));
  for (const LabLine& line : plot.lines)
    line.dashed ? draw_dashed_curve(ui, axes, line.points, line.colour, ui.px(line.thickness))
                : draw_curve(ui, axes, line.points, line.colour, ui.px(line.thickness));
  if (plot.floor) {
    const float y = axes.y(*plot.floor);
    draw_dashes(ui, {{axes.area.x, y}, {axes.area.right(), y}}, ui.theme.key, ui.px(1.5f));
  }
  draw_cut(panels, axes, plot);
  const float x = axes.x(static_cast<double>(panels.step));
  draw_dashes(ui, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui.theme.query, ui.px(1.5f));
  for (const LabLine& line : plot.lines) {
    const float value = value_at(line, panels.step, panels.recipe().measure_every);
    if (line.dashed || std::isnan(value)) continue;
    ui.disc({x, axes.y(std::clamp(static_cast<double>(value), plot.low, plot.high))}, ui.px(3), line.colour);
  }
  if (plot.floor) draw_floor_name(ui, axes, plot);
  if (label == front_label) name_phase(panels, axes, plot);
  ui.unclip();
  std::vector<EndLabel> ends;
  // Beside a small plot a long name would reach into the next plot.
  const auto has_room = [&](const std::string& name) {
    return axes.area.w > ui.px(120) || ui.text_width(name, type::tick) < ui.px(46);
  };
  for (const LabLine& line : plot.lines)
    if (!line.name.empty() && !line.points.empty() && has_room(line.name))
      ends.push_back({axes.y(std::clamp(static_cast<double>(line.points.back().y), plot.low, plot.high)),
                      line.name, line.colour, Ink::Regular});
  draw_end_labels(ui, {axes.area.right() + ui.px(6), axes.area.y, axes.area.bottom()}, ends);
}

double highest(const LabPlot& plot, double least) {
  double high = least;
  for (const LabLine& line : plot.lines)
    for (const ImVec2 point : line.points)
      if (std::isfinite(point.y)) high = std::max(high, static_cast<double>(point.y));
  return high;
}

/// The name of a curve of losses with its last value, on a page that has room for both.
std::string loss_name(const TrainingPanels& panels, std::string_view name, const LabRun& run,
                      std::size_t group) {
  if (!panels.enlarges || run.points.empty()) return std::string(name);
  return own_number(panels.ui().translated(name) + " " +
                    fixed(run.points.back()->metrics.groups[group].loss, 2));
}

LabPlot loss_plot(const TrainingPanels& panels) {
  const Theme& theme = panels.ui().theme;
  const training::TaskRow& task = *panels.lab.task;
  LabPlot plot{
      "loss", "Loss", "nats, " + std::to_string(panels.recipe().measured_sequences) + " unseen sequences",
      0,      1,      {},
      {},     {}};
  for (std::size_t g = task.groups.size(); g-- > 0;) {
    const bool is_goal = static_cast<int>(g) == task.goal_group;
    plot.lines.push_back(
        {lab_points(*panels.a, [g](const LabPoint& point) { return point.metrics.groups[g].loss; }),
         is_goal ? theme.text1 : theme.text3, is_goal ? 2.f : 1.25f, false,
         loss_name(panels, task.groups[g].name, *panels.a, g)});
    if (panels.b == nullptr) continue;
    plot.lines.push_back({lab_points(
                              *panels.b, [g](const LabPoint& point) { return point.metrics.groups[g].loss; },
                              panels.b->branch),
                          theme.b, is_goal ? 2.f : 1.25f, false,
                          is_goal && panels.enlarges ? loss_name(panels, "B", *panels.b, g) : ""});
  }
  if (panels.lab.floor) {
    plot.floor = panels.lab.floor;
    plot.floor_name = "floor " + fixed(*panels.lab.floor, 3) + "   ·   " +
                      std::string(task.groups[static_cast<std::size_t>(task.floor_group)].name);
  }
  plot.high = std::ceil(2 * highest(plot, panels.lab.floor.value_or(0.5) * 1.05)) / 2;
  return plot;
}

LabPlot accuracy_plot(const TrainingPanels& panels) {
  const auto goal = static_cast<std::size_t>(panels.lab.task->goal_group);
  LabPlot plot{"accuracy", "Accuracy", std::string(panels.lab.task->groups[goal].name), 0, 1, {}, {}, {}};
  const ValueOf value = [goal](const LabPoint& point) { return point.metrics.groups[goal].accuracy; };
  plot.lines.push_back(
      {lab_points(*panels.a, value), panels.ui().theme.text1, 2, false, panels.b ? "A" : ""});
  if (panels.b != nullptr)
    plot.lines.push_back(
        {lab_points(*panels.b, value, panels.b->branch), panels.ui().theme.b, 2, false, "B"});
  return plot;
}

/// One line for each head, B dashed.
LabPlot head_plot(const TrainingPanels& panels, std::string_view name, std::string title, std::string unit,
                  const std::function<double(const LabPoint&, std::size_t)>& value) {
  LabPlot plot{name, std::move(title), std::move(unit), 0, 1, {}, {}, {}};
  for (std::int64_t head = 0; head < panels.heads(); ++head) {
    const auto at = static_cast<std::size_t>(head);
    const ValueOf of_head = [&value, at](const LabPoint& point) { return value(point, at); };
    const Rgba colour = panels.ui().theme.head(head);
    plot.lines.push_back({lab_points(*panels.a, of_head), colour, 2, false,
                          panels.heads() <= 8 ? lab_head_name(panels.recipe(), head) : ""});
    if (panels.b != nullptr)
      plot.lines.push_back({lab_points(*panels.b, of_head, panels.b->branch), colour, 1.25f, true, {}});
  }
  return plot;
}

/// The weight that every head puts on a score's keys, and what uniform weights would put there.
LabPlot score_plot(const TrainingPanels& panels, std::size_t score) {
  const std::string_view name = panels.lab.task->scores[score].name;
  LabPlot plot = head_plot(
      panels, name, lab_title(panels.ui(), name), "weight, per head",
      [score](const LabPoint& point, std::size_t head) { return point.metrics.scores[score][head]; });
  if (panels.a->points.empty()) return plot;
  plot.floor = panels.a->points.back()->metrics.even_scores[score];
  plot.floor_name = "even weights " + fixed(*plot.floor, 2);
  return plot;
}

LabPlot gradient_plot(const TrainingPanels& panels) {
  LabPlot plot{"gradient", "Gradient norm", "‖∂W‖, last layer", 0, 1, {}, {}, {}};
  const Theme& theme = panels.ui().theme;
  struct Projection {
    double training::ProjectionNorms::*norm;
    const char* name;
    Rgba colour;
  };
  for (const Projection& one : {Projection{&training::ProjectionNorms::query, "Q", theme.query},
                                Projection{&training::ProjectionNorms::key, "K", theme.key},
                                Projection{&training::ProjectionNorms::value, "V", theme.value},
                                Projection{&training::ProjectionNorms::output, "O", theme.text1}})
    plot.lines.push_back({lab_points(*panels.a,
                                     [&one](const LabPoint& point) {
                                       if (point.metrics.step == 0 || point.metrics.gradients.empty())
                                         return std::numeric_limits<double>::quiet_NaN();
                                       return point.metrics.gradients.back().*one.norm;
                                     }),
                          one.colour, 1.5f, false, one.name});
  // 1, 2 or 5 times a power of ten: the axis stays as it is while the curves move below it.
  plot.high = std::max(0.01, nice_step(highest(plot, 0) * 1.02, 1));
  return plot;
}

/// The plots that the page shows, in their order.
std::vector<LabPlot> all_plots(const TrainingPanels& panels) {
  std::vector<LabPlot> plots{loss_plot(panels), accuracy_plot(panels)};
  plots.push_back(
      head_plot(panels, "entropy", "Entropy", "per head, of its most",
                [](const LabPoint& point, std::size_t head) { return point.metrics.entropy[head]; }));
  for (std::size_t s = 0; s < panels.lab.task->scores.size() && (s < 2 || !panels.plots.empty()); ++s)
    plots.push_back(score_plot(panels, s));
  plots.push_back(gradient_plot(panels));
  plots.push_back(head_plot(panels, "cost", "Cost of muting", "accuracy lost",
                            [&panels](const LabPoint& point, std::size_t head) {
                              const double cost = training::largest_cost(*panels.lab.task, point, head);
                              return std::isnan(cost) ? cost : std::max(0., cost);
                            }));
  std::erase_if(plots, [&panels](const LabPlot& plot) { return !panels.has_plot(plot.name); });
  return plots;
}

/// The loss at an earlier step that is looked at, right of the title where there is room.
void tell_shown_loss(const TrainingPanels& panels, const LabPlot& plot, const Box& box) {
  const Ui& ui = panels.ui();
  const LabPoint* const point = panels.a->point_at(panels.step);
  if (!panels.enlarges || !panels.state().step || plot.name != "loss" || point == nullptr) return;
  const auto goal = static_cast<std::size_t>(panels.lab.task->goal_group);
  const std::string words = "step " + grouped(point->metrics.step) + ": " +
                            inner(std::string(panels.lab.task->groups[goal].name)) + " " +
                            fixed(point->metrics.groups[goal].loss, 2);
  const float title =
      ui.text_width(plot.title, type::label, Ink::Medium) + ui.px(8) + ui.text_width(plot.unit, type::tick);
  if (title + ui.px(24) + ui.text_width(words, type::tick, Ink::Medium) > box.w) return;
  ui.text(box.right(), box.y + ui.px(10), words, {type::tick, ui.theme.query, Ink::Medium, Align::Right});
}

}  // namespace

void draw_lab_plots(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float gap = ui.px(panels.narrow ? 10 : 18), pad = ui.px(panels.narrow ? 12 : 20);
  const Box inner{box.x + pad, box.y + ui.px(panels.narrow ? 8 : 14), box.w - 2 * pad,
                  box.h - ui.px(panels.narrow ? 14 : 24)};
  std::vector<LabPlot> plots = all_plots(panels);
  const auto front = std::ranges::find(plots, panels.front.empty() ? "loss" : panels.front, &LabPlot::name);
  if (front != plots.end()) std::rotate(plots.begin(), front, front + 1);
  if (plots.empty()) return;
  const std::size_t others = plots.size() - 1, most = panels.small_rows < 2 ? 2 : 3,
                    rows = std::min(static_cast<std::size_t>(panels.small_rows), (others + most - 1) / most),
                    columns = std::min(most, others);
  const float large = rows == 0 ? inner.h : std::floor(inner.h * (rows == 1 ? 0.62f : 0.48f));
  const Box front_box{inner.x, inner.y, inner.w, large};
  panels.draws_front ? panels.draws_front(front_box)
                     : draw_lab_plot(panels, plots[0], front_box, std::string(front_label));
  if (!panels.draws_front) tell_shown_loss(panels, plots[0], front_box);
  if (rows == 0) return;
  if (panels.draws_small)
    return panels.draws_small({inner.x, inner.y + large + gap, inner.w, inner.h - large - gap});
  const float high = std::floor((inner.h - large - gap) / static_cast<float>(rows)) - ui.px(4),
              wide =
                  std::floor((inner.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  for (std::size_t i = 0; i < others && i < columns * rows; ++i)
    draw_lab_plot(panels, plots[i + 1],
                  {inner.x + (wide + gap) * static_cast<float>(i % columns),
                   inner.y + large + gap + (high + ui.px(8)) * static_cast<float>(i / columns), wide, high},
                  "lab plot " + std::to_string(i));
}

TrainingPanels training_panels(Scene& scene, const training::ShownLab& lab) {
  TrainingPanels panels{scene, lab, scene.training->wall()};
  const training::LabRun* const active = lab.run();
  panels.a = active->parent >= 0 ? lab.runs[static_cast<std::size_t>(active->parent)].get() : active;
  if (active->parent >= 0) {
    panels.b = active;
  } else {
    for (const training::LabRunPtr& run : lab.runs)
      if (run->parent == active->number) panels.b = run.get();  // the newest branch
  }
  panels.last = std::max<std::int64_t>(1, panels.recipe().steps);
  panels.step = lab_step_of(scene, lab);
  panels.narrow = scene.compact;
  panels.phase = phase_change(*lab.task, *panels.a, panels.last);
  return panels;
}

std::int64_t lab_axis_end(const TrainingPanels& panels, std::int64_t meant) {
  std::int64_t last = std::max(meant, panels.a->step);
  if (panels.b != nullptr) last = std::max(last, panels.b->step);
  const std::int64_t hundreds = std::max<std::int64_t>(100, (last + 99) / 100 * 100);
  return std::min<std::int64_t>(std::max<std::int64_t>(1, panels.recipe().steps), hundreds);
}

std::optional<double> lab_rate_slider(const Ui& ui, const Box& row, double rate, double recipes) {
  const auto peak = static_cast<float>(recipes);
  const auto moved =
      slider(ui, "learning rate", "learning rate", rate < 0.01 ? tight(rate) : fixed(rate, 2), row,
             static_cast<float>(rate), {0.01f * peak, 300 * peak, peak, true}, rate != recipes,
             {"Learning rate", {}, "Its peak; a double click goes back to the recipe's.", {}});
  if (!moved) return std::nullopt;
  return *moved == peak ? recipes : static_cast<double>(*moved);
}

}  // namespace attnscope

// app/views/lab: the wall of seeds: the same recipe again and again, its curve, and which head took which
// job.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "app/ui/number_format.hpp"
#include "app/views/lab/lab.hpp"
#include "app/views/lab/page.hpp"
#include "app/widgets/widgets.hpp"

namespace attnscope {
namespace {

using training::WallRun;

bool is_wall_busy(const training::WallSight& wall) {
  return wall.recipe != nullptr && !wall.stopped && wall.done() < wall.count && wall.problem.empty();
}

std::size_t wall_size(const LabPage& page) { return static_cast<std::size_t>(page.state().wall_seeds); }

/// The first letter of what a score is called.
std::string job_letter(const LabPage& page, int job) {
  const char first = page.lab.task->scores[static_cast<std::size_t>(job)].name.front();
  return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(first))));
}

void draw_wall_run(const LabPage& page, const WallRun& run, const Box& box) {
  const Ui& ui = page.ui();
  const std::int64_t layers = page.recipe().network.layers, per_layer = page.recipe().network.heads;
  const float jobs =
      std::min(box.w * 0.5f, box.h * static_cast<float>(per_layer) / static_cast<float>(layers));
  const Box curve{box.x, box.y, box.w - jobs - ui.px(4), box.h};
  ui.fill(curve, ui.theme.canvas, ui.px(3));
  std::vector<ImVec2> points;
  const float last = static_cast<float>(page.recipe().steps);
  for (const WallRun::At& at : run.curve)
    points.push_back(
        {curve.x + ui.px(4) + (curve.w - ui.px(8)) * std::min(1.f, static_cast<float>(at.step) / last),
         curve.bottom() - ui.px(4) - (curve.h - ui.px(8)) * static_cast<float>(at.accuracy)});
  if (points.size() > 1) ui.polyline(points, ui.theme.text1, ui.px(1.5f));
  // In a low cell the number would stand on the curve: it goes to the corner that a curve that rose leaves.
  const bool is_low = curve.h < ui.px(44);
  ui.text(is_low ? curve.right() - ui.px(4) : curve.x + ui.px(5),
          is_low ? curve.bottom() - ui.px(8) : curve.y + ui.px(9), std::to_string(run.seed),
          {type::tick, ui.theme.text2, Ink::Regular, is_low ? Align::Right : Align::Left});
  const float cell_w = std::floor(jobs / static_cast<float>(per_layer)),
              cell_h = std::floor(box.h / static_cast<float>(layers));
  for (std::int64_t head = 0; head < layers * per_layer; ++head) {
    const Box at{curve.right() + ui.px(4) + cell_w * static_cast<float>(head % per_layer),
                 box.y + cell_h * static_cast<float>(head / per_layer), cell_w - ui.px(2), cell_h - ui.px(2)};
    const int job =
        static_cast<std::size_t>(head) < run.jobs.size() ? run.jobs[static_cast<std::size_t>(head)] : -1;
    if (job < 0) {
      ui.frame(at, ui.theme.border, 1, ui.px(3));
    } else {
      ui.fill(at, ui.theme.head(head), ui.px(3));
      if (at.w > ui.px(14))
        ui.text(at.centre_x(), at.centre_y(), own(job_letter(page, job)),
                {type::tick, ui.theme.canvas, Ink::Semibold, Align::Centre});
    }
  }
}

/// Of each head, how many of the seeds gave it its most frequent job.
void draw_wall_jobs(const LabPage& page, const Box& box) {
  const Ui& ui = page.ui();
  ui.text(box.x, box.y + ui.px(16), "Who took which job",
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, box.w});
  const auto done = static_cast<std::int64_t>(page.wall.done());
  const std::int64_t heads = page.heads();
  const float line = std::min(ui.px(26), (box.h - ui.px(52)) / static_cast<float>(heads));
  if (line < ui.px(12)) return;
  for (std::int64_t head = 0; head < heads; ++head) {
    std::map<int, int> counts;
    for (const auto& run : page.wall.runs)
      if (static_cast<std::size_t>(head) < run->jobs.size())
        ++counts[run->jobs[static_cast<std::size_t>(head)]];
    int best = -1, most = 0;
    for (const auto& [job, count] : counts)
      if (job >= 0 && count > most) best = job, most = count;
    const float y = box.y + ui.px(34) + line * (static_cast<float>(head) + 0.5f);
    const std::string name = lab_head_name(page.recipe(), head);
    const float wide = ui.px(40);
    badge(ui, {box.x, y - ui.px(8), wide, ui.px(16)}, own(name), fade(ui.theme.head(head), 0.3f),
          ui.theme.head(head));
    const Box track{box.x + wide + ui.px(8), y - ui.px(4), box.w - wide - ui.px(8) - ui.px(86), ui.px(8)};
    ui.fill(track, ui.theme.control, ui.px(2));
    if (done > 0)
      ui.fill({track.x, track.y, track.w * static_cast<float>(most) / static_cast<float>(done), track.h},
              ui.theme.head(head), ui.px(2));
    const std::string words =
        best < 0 ? "no name"
                 : own(job_letter(page, best)) + "  " + std::to_string(most) + " of " + std::to_string(done);
    ui.text(box.right(), y, words, {type::tick, ui.theme.text2, Ink::Regular, Align::Right, ui.px(82)});
  }
}

/// As many places as runs were asked for, or are about to be.
void draw_wall_runs(const LabPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const bool has_wall = page.wall.recipe != nullptr;
  const std::size_t count = std::max(has_wall ? page.wall.count : 0, wall_size(page));
  const std::size_t columns = count > 16 ? 16 : 8, lines = (count + columns - 1) / columns;
  const float gap = ui.px(lines > 2 ? 5 : columns > 8 ? 7 : 10);
  const float wide =
                  std::floor((box.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
              high = std::floor((box.h - gap * static_cast<float>(lines - 1)) / static_cast<float>(lines));
  for (std::size_t i = 0; i < count; ++i) {
    const Box cell{box.x + (wide + gap) * static_cast<float>(i % columns),
                   box.y + (high + gap) * static_cast<float>(i / columns), wide, high};
    if (i < page.wall.runs.size())
      draw_wall_run(page, *page.wall.runs[i], cell);
    else
      ui.frame(cell, ui.theme.hairline, 1, ui.px(3));
  }
}

void draw_wall_button(const LabPage& page, const Box& box) {
  const std::string seeds = std::to_string(wall_size(page));
  const std::string why = "The same recipe with " + seeds +
                          " seeds, one after the other behind the window. Runs that are done are kept.",
                    words = is_wall_busy(page.wall) ? "Stop" : "Run " + seeds + " seeds";
  if (button(page.ui(), "Run the seeds", box, {"Seed wall", {}, why, "W"}, words)) lab_wall(page.scene);
}

void draw_wall_sizes(const LabPage& page, const Box& box) {
  std::array<std::string, wall_sizes.size()> numbers;
  std::array<std::string_view, wall_sizes.size()> names;
  for (std::size_t i = 0; i < wall_sizes.size(); ++i) names[i] = numbers[i] = std::to_string(wall_sizes[i]);
  // A session may bring a number between two of them.
  const auto chosen = std::ranges::lower_bound(wall_sizes, page.state().wall_seeds) - wall_sizes.begin();
  if (const auto picked = segments(page.ui(), "Seeds", box, names, static_cast<int>(chosen)))
    page.state().wall_seeds = wall_sizes[static_cast<std::size_t>(*picked)];
}

}  // namespace

void lab_wall(Scene& scene) {
  if (scene.training == nullptr || scene.training->sight().recipe == nullptr) return;
  if (is_wall_busy(scene.training->wall()))
    scene.training->stop_wall();
  else
    scene.training->run_wall(*scene.training->sight().recipe,
                             static_cast<std::size_t>(scene.view.lab->wall_seeds));
}

void draw_lab_wall(const LabPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const float pad = ui.px(page.narrow ? 12 : 20), right = ui.px(page.narrow ? 200 : 268);
  const float title =
      ui.text(box.x + pad, box.y + ui.px(18), "Seed wall", {type::body, ui.theme.text1, Ink::Semibold});
  const Box run{box.right() - right - pad - ui.px(132), box.y + ui.px(6), ui.px(132), ui.px(26)};
  draw_wall_button(page, run);
  const Box sizes{run.x - ui.px(8 + 126), run.y, ui.px(126), run.h};
  draw_wall_sizes(page, sizes);
  const std::string note = page.wall.recipe != nullptr
                               ? std::to_string(page.wall.done()) + " of " + std::to_string(page.wall.count) +
                                     " runs: accuracy, and the job each head took"
                               : std::string("which head takes which job depends on the seed");
  ui.text(box.x + pad + title + ui.px(12), box.y + ui.px(18), note,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, sizes.x - box.x - pad - title - ui.px(24)});
  draw_wall_runs(page, {box.x + pad, box.y + ui.px(38), box.w - right - 2 * pad, box.h - ui.px(46)});
  ui.vertical(box.right() - right, box.y + ui.px(8), box.h - ui.px(16), ui.theme.hairline);
  draw_wall_jobs(page, {box.right() - right + ui.px(16), box.y, right - ui.px(16) - pad, box.h});
}

}  // namespace attnscope

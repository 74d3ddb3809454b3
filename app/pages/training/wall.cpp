// app/pages/training: the wall of seeds: the same recipe with many seeds; for each its curve, and the heads
// by score and by what ablating each costs.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/pages/training/acts.hpp"
#include "app/pages/training/parts.hpp"
#include "app/training/run_words.hpp"

namespace attnscope {
namespace {

using training::WallRun;

std::size_t wall_size(const TrainingPanels& panels) {
  return static_cast<std::size_t>(panels.state().wall_seeds);
}

/// The first letter of the score's name.
std::string job_letter(const TrainingPanels& panels, int job) {
  const char first = panels.lab.task->scores[static_cast<std::size_t>(job)].name.front();
  return std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(first))));
}

void draw_wall_run(const TrainingPanels& panels, const WallRun& run, const Box& box) {
  const Ui& ui = panels.ui();
  const std::int64_t layers = panels.recipe().network.layers, per_layer = panels.recipe().network.heads;
  const float jobs =
      std::min(box.w * 0.5f, box.h * static_cast<float>(per_layer) / static_cast<float>(layers));
  const Box curve{box.x, box.y, box.w - jobs - ui.px(4), box.h};
  ui.fill(curve, ui.theme.canvas, ui.px(3));
  std::vector<ImVec2> points;
  const float last = static_cast<float>(panels.recipe().steps);
  for (const WallRun::At& at : run.curve)
    points.push_back(
        {curve.x + ui.px(4) + (curve.w - ui.px(8)) * std::min(1.f, static_cast<float>(at.step) / last),
         curve.bottom() - ui.px(4) - (curve.h - ui.px(8)) * static_cast<float>(at.accuracy)});
  if (points.size() > 1) ui.polyline(points, ui.theme.text1, ui.px(1.5f));
  // In a low cell the seed would cover the curve: it goes to the lower right corner, which a risen curve
  // leaves free.
  const bool is_low = curve.h < ui.px(44);
  ui.text(is_low ? curve.right() - ui.px(4) : curve.x + ui.px(5),
          is_low ? curve.bottom() - ui.px(8) : curve.y + ui.px(9), std::to_string(run.seed),
          {type::tick, ui.theme.text2, Ink::Regular, is_low ? Align::Right : Align::Left});
  const float cell_w = std::floor(jobs / static_cast<float>(per_layer)),
              cell_h = std::floor(box.h / static_cast<float>(layers));
  for (std::int64_t head = 0; head < layers * per_layer; ++head) {
    const Box at{curve.right() + ui.px(4) + cell_w * static_cast<float>(head % per_layer),
                 box.y + cell_h * static_cast<float>(head / per_layer), cell_w - ui.px(2), cell_h - ui.px(2)};
    const training::HeadJob job = static_cast<std::size_t>(head) < run.jobs.size()
                                      ? run.jobs[static_cast<std::size_t>(head)]
                                      : training::HeadJob();
    if (job.score < 0) {
      ui.frame(at, ui.theme.border, 1, ui.px(3));
      continue;
    }
    const bool needed = job.need == training::Need::Needed;
    const Rgba hue = ui.theme.head(head);
    ui.fill(at, needed ? hue : fade(hue, 0.25f), ui.px(3));
    if (at.w > ui.px(14))
      ui.text(at.centre_x(), at.centre_y(), own(job_letter(panels, job.score)),
              {type::tick, needed ? ui.theme.canvas : hue, Ink::Semibold, Align::Centre});
  }
}

/// For each score the number of seeds in which a head has it, in which several have it, and in which a head
/// is needed for it. Returns the y below.
float draw_wall_scores(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float column = std::floor(std::min(ui.px(56), box.w / 4)), line = ui.px(16);
  const auto cell = [&](int place, float y, std::string_view words, Rgba colour) {
    ui.text(box.right() - column * static_cast<float>(2 - place), y, words,
            {type::tick, colour, Ink::Regular, Align::Right, column - ui.px(4)});
  };
  float y = box.y + line / 2;
  constexpr std::array<std::string_view, 3> heads{"seeds", "several", "needed"};
  for (int place = 0; place < 3; ++place)
    cell(place, y, heads[static_cast<std::size_t>(place)], ui.theme.text3);
  for (std::size_t s = 0; s < panels.lab.task->scores.size() && s < 4; ++s) {
    y += line;
    const training::JobCount count = training::count_job(panels.wall, static_cast<int>(s));
    // The letter is the legend of the runs.
    const float letter = ui.px(16);
    ui.text(box.x + letter / 2 - ui.px(2), y, own(job_letter(panels, static_cast<int>(s))),
            {type::tick, ui.theme.text1, Ink::Semibold, Align::Centre});
    ui.text(box.x + letter, y, lab_title(ui, panels.lab.task->scores[s].name),
            {type::tick, ui.theme.text1, Ink::Medium, Align::Left, box.w - 3 * column - letter});
    cell(0, y, std::to_string(count.runs), ui.theme.text1);
    cell(1, y, std::to_string(count.several), ui.theme.text1);
    cell(2, y, std::to_string(count.needed), ui.theme.text1);
  }
  return y + line / 2 + ui.px(4);
}

/// What the seeds have in common, in a sentence. Returns the y below.
float draw_wall_sentence(const TrainingPanels& panels, float x, float y, float width) {
  const Ui& ui = panels.ui();
  const training::WorkCount work = training::count_work(panels.wall);
  const std::string sentence = "Redundancy in " + counted(work.redundant, "seed", "seeds") +
                               ", divided work in " + std::to_string(work.divided) + ".";
  const Box box{x, y, width, ui.paragraph_height(width, sentence, type::tick)};
  const Ui::Touch touch = ui.touch("Wall sentence", box, false);
  ui.paragraph(x, y, width, sentence, {type::tick, ui.theme.text2});
  tooltip(
      ui, touch.hovered, box,
      {"Redundancy, divided work",
       {},
       "Redundancy: several heads have the same score, whatever muting one of them costs. Divided work: two "
       "heads or more have a score, each another one, and each of these heads is needed.",
       {}});
  return box.bottom() + ui.px(4);
}

struct HeadCount {
  int score = -1;  // the score that the head had most often
  int runs = 0, needed = 0;
};
HeadCount count_of_head(const training::ShownWall& wall, std::size_t head) {
  std::map<int, HeadCount> counts;
  for (const auto& run : wall.runs) {
    if (head >= run->jobs.size() || run->jobs[head].score < 0) continue;
    HeadCount& count = counts[run->jobs[head].score];
    count.score = run->jobs[head].score;
    ++count.runs;
    count.needed += run->jobs[head].need == training::Need::Needed ? 1 : 0;
  }
  HeadCount most;
  for (const auto& [score, count] : counts)
    if (count.runs > most.runs) most = count;
  return most;
}

void draw_wall_head(const TrainingPanels& panels, std::int64_t head, const Box& row) {
  const Ui& ui = panels.ui();
  const float y = row.centre_y(), wide = ui.px(40);
  const Rgba hue = ui.theme.head(head);
  badge(ui, {row.x, y - ui.px(8), wide, ui.px(16)}, own(lab_head_name(panels.recipe(), head)),
        fade(hue, 0.3f), hue);
  const auto done = static_cast<float>(panels.wall.done());
  const HeadCount count = count_of_head(panels.wall, static_cast<std::size_t>(head));
  const std::string words = count.score < 0
                                ? "no name"
                                : own(job_letter(panels, count.score)) + "  " + std::to_string(count.runs) +
                                      " of " + std::to_string(panels.wall.done());
  const float said =
      ui.text(row.right(), y, words,
              {type::tick, ui.theme.text2, Ink::Regular, Align::Right, row.w - wide - ui.px(8)});
  const Box track{row.x + wide + ui.px(8), y - ui.px(4), row.w - wide - said - ui.px(16), ui.px(8)};
  if (track.w < ui.px(20)) return;
  ui.fill(track, ui.theme.control, ui.px(2));
  if (done <= 0) return;
  const auto part = [&](int runs) {
    return Box{track.x, track.y, track.w * static_cast<float>(runs) / done, track.h};
  };
  ui.fill(part(count.runs), fade(hue, 0.35f), ui.px(2));
  ui.fill(part(count.needed), hue, ui.px(2));
}

/// What the seeds have in common: by score, by what is needed, and by head.
void draw_wall_jobs(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  ui.text(box.x, box.y + ui.px(16), "By score and by need",
          {type::label, ui.theme.text1, Ink::Semibold, Align::Left, box.w});
  float top = draw_wall_scores(panels, {box.x, box.y + ui.px(28), box.w, 0});
  top = draw_wall_sentence(panels, box.x, top, box.w);
  const std::int64_t heads = panels.heads(), columns = heads > 4 ? 2 : 1,
                     lines = (heads + columns - 1) / columns;
  const float line = std::min(ui.px(22), (box.bottom() - ui.px(6) - top) / static_cast<float>(lines));
  if (line < ui.px(14)) return;
  const float gap = ui.px(12),
              wide = (box.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  for (std::int64_t head = 0; head < heads; ++head)
    draw_wall_head(panels, head,
                   {box.x + (wide + gap) * static_cast<float>(head % columns),
                    top + line * static_cast<float>(head / columns), wide, line});
}

/// One place for each run of the wall, or of the chosen size if that is larger.
void draw_wall_runs(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const bool has_wall = panels.wall.recipe != nullptr;
  const std::size_t count = std::max(has_wall ? panels.wall.count : 0, wall_size(panels));
  const std::size_t columns = count > 16 ? 16 : 8, lines = (count + columns - 1) / columns;
  const float gap = ui.px(lines > 2 ? 5 : columns > 8 ? 7 : 10);
  const float wide =
                  std::floor((box.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
              high = std::floor((box.h - gap * static_cast<float>(lines - 1)) / static_cast<float>(lines));
  for (std::size_t i = 0; i < count; ++i) {
    const Box cell{box.x + (wide + gap) * static_cast<float>(i % columns),
                   box.y + (high + gap) * static_cast<float>(i / columns), wide, high};
    if (i < panels.wall.runs.size())
      draw_wall_run(panels, *panels.wall.runs[i], cell);
    else
      ui.frame(cell, ui.theme.hairline, 1, ui.px(3));
  }
}

void draw_wall_button(const TrainingPanels& panels, const Box& box) {
  const std::string seeds = std::to_string(wall_size(panels));
  const std::string why = "The same recipe with " + seeds +
                          " seeds, one after the other in the background. Runs that are done are kept.",
                    words = is_wall_busy(panels.wall) ? "Stop" : "Run " + seeds + " seeds";
  if (button(panels.ui(), "Run the seeds", box, {"Seed wall", {}, why, "W"}, words)) lab_wall(panels.scene);
}

void draw_wall_sizes(const TrainingPanels& panels, const Box& box) {
  std::array<std::string, wall_sizes.size()> numbers;
  std::array<std::string_view, wall_sizes.size()> names;
  for (std::size_t i = 0; i < wall_sizes.size(); ++i) names[i] = numbers[i] = std::to_string(wall_sizes[i]);
  // A session may hold a number between two sizes; the next larger one is shown as chosen.
  const auto chosen = std::ranges::lower_bound(wall_sizes, panels.state().wall_seeds) - wall_sizes.begin();
  if (const auto picked = segments(panels.ui(), "Seeds", box, names, static_cast<int>(chosen)))
    panels.state().wall_seeds = wall_sizes[static_cast<std::size_t>(*picked)];
}

}  // namespace

bool is_wall_busy(const training::ShownWall& wall) {
  return wall.recipe != nullptr && !wall.stopped && wall.done() < wall.count && wall.problem.empty();
}

void draw_lab_wall(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float pad = ui.px(panels.narrow ? 12 : 20), right = ui.px(panels.narrow ? 200 : 268);
  const float title =
      ui.text(box.x + pad, box.y + ui.px(18), "Seed wall", {type::body, ui.theme.text1, Ink::Semibold});
  const Box run{box.right() - right - pad - ui.px(132), box.y + ui.px(6), ui.px(132), ui.px(26)};
  draw_wall_button(panels, run);
  const Box sizes{run.x - ui.px(8 + 126), run.y, ui.px(126), run.h};
  draw_wall_sizes(panels, sizes);
  const std::string note =
      panels.wall.recipe != nullptr
          ? std::to_string(panels.wall.done()) + " of " + std::to_string(panels.wall.count) +
                " runs: accuracy, and what each head does, filled where it is needed, empty without "
                "a name"
          : std::string("which head does what depends on the seed");
  ui.text(box.x + pad + title + ui.px(12), box.y + ui.px(18), note,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, sizes.x - box.x - pad - title - ui.px(24)});
  draw_wall_runs(panels, {box.x + pad, box.y + ui.px(38), box.w - right - 2 * pad, box.h - ui.px(46)});
  ui.vertical(box.right() - right, box.y + ui.px(8), box.h - ui.px(16), ui.theme.hairline);
  draw_wall_jobs(panels, {box.right() - right + ui.px(16), box.y, right - ui.px(16) - pad, box.h});
}

}  // namespace attnscope

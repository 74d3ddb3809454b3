// app/training: the strip of time: pictures of the heads at some steps, the shown step, and where a branch
// leaves its parent.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/transport.hpp"
#include "app/training/panels.hpp"

namespace attnscope {
namespace {

using training::LabMoment;
using training::LabRun;

constexpr int lab_stops = 13;

/// The steps that have pictures.
std::vector<std::int64_t> stops_of(const TrainingPanels& panels, int count) {
  std::vector<std::int64_t> stops;
  const std::int64_t every = std::max(1, panels.recipe().measure_every);
  // Equally spaced, by a multiple of measure_every.
  const std::int64_t parts = std::max(1, count - 1) * every;
  const std::int64_t apart = std::max<std::int64_t>(1, (panels.last + parts - 1) / parts) * every;
  for (std::int64_t stop = 0; stop <= panels.last; stop += apart) stops.push_back(stop);
  return stops;
}

struct TimeLine {
  Box track;
  std::int64_t last;
  float x(std::int64_t step) const {
    return track.x + track.w * static_cast<float>(step) / static_cast<float>(std::max<std::int64_t>(1, last));
  }
};

void draw_stops(const TrainingPanels& panels, const LabRun& run, const TimeLine& line,
                std::span<const std::int64_t> stops, float top, float side, std::int64_t from) {
  const Ui& ui = panels.ui();
  for (const std::int64_t stop : stops) {
    if (stop > run.step || stop < from) continue;
    const std::shared_ptr<const LabMoment> moment = panels.moment_at(run, stop);
    if (moment == nullptr) continue;
    const Box box{std::round(line.x(stop) - side / 2), top, side, side};
    const std::string place = "lab stop " + std::to_string(run.number) + " " + std::to_string(stop);
    draw_lab_heads_small(panels, moment, place.c_str(), box);
    if (panels.moment_at(run, panels.step) == moment && &run == panels.shown())
      ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
  }
}

}  // namespace

void draw_lab_time(const TrainingPanels& panels, const Box& box) {
  const Ui& ui = panels.ui();
  const float pad = ui.px(panels.narrow ? 12 : 20), head = ui.px(panels.narrow ? 52 : 96);
  ui.text(box.x + pad, box.y + ui.px(16), "Time", {type::body, ui.theme.text1, Ink::Semibold});
  const TimeLine line{{box.x + pad + head, box.y, box.w - 2 * pad - head - ui.px(24), box.h}, panels.last};
  const bool has_b = panels.b != nullptr;
  const float side =
      panels.has_verdict_row
          ? ui.px(30)
          : std::floor(std::min(ui.px(54), (box.h - ui.px(has_b ? 76 : 70)) / (has_b ? 2.f : 1.f)));
  const int count = std::clamp(static_cast<int>(line.track.w / (side + ui.px(16))), 2, lab_stops);
  const std::vector<std::int64_t> stops = stops_of(panels, count);
  for (const std::int64_t stop : stops)
    ui.text(line.x(stop), box.y + ui.px(16), grouped(stop),
            {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
  const float top = box.y + ui.px(30), y = top + side + ui.px(16);
  if (side >= 8 && !panels.covers_heads) draw_stops(panels, *panels.a, line, stops, top, side, 0);
  const Ui::Touch touch =
      ui.touch("Lab time", {line.track.x - ui.px(8), y - ui.px(12), line.track.w + ui.px(16), ui.px(24)});
  if (touch.held && ImGui::GetIO().MouseDown[0]) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - line.track.x) / line.track.w, 0.f, 1.f);
    panels.state().step = std::llround(static_cast<double>(share) * static_cast<double>(panels.last));
  }
  if (panels.phase)
    ui.fill({line.x(panels.phase->from), y - ui.px(4), line.x(panels.phase->to) - line.x(panels.phase->from),
             ui.px(8)},
            ui.theme.control_hover, ui.px(2));
  ui.fill({line.track.x, y - ui.px(1), line.track.w, ui.px(2)}, ui.theme.control_hover);
  ui.fill({line.track.x, y - ui.px(1), line.x(panels.a->step) - line.track.x, ui.px(2)}, ui.theme.text1);
  for (const std::int64_t stop : stops)
    ui.disc({line.x(stop), y}, ui.px(3), stop <= panels.a->step ? ui.theme.text1 : ui.theme.text3);
  ui.text(box.x + pad, y, "A", {type::label, ui.theme.text1, Ink::Semibold});
  if (has_b) {
    const float below = y + ui.px(14);
    const ImVec2 bend[3] = {{line.x(panels.b->branch), y},
                            {line.x(panels.b->branch) + ui.px(10), below},
                            {std::max(line.x(panels.b->step), line.x(panels.b->branch) + ui.px(10)), below}};
    ui.polyline(bend, ui.theme.b, ui.px(2));
    ui.ring({line.x(panels.b->branch), y}, ui.px(5), ui.theme.b, ui.px(2));
    ui.text(box.x + pad, below + ui.px(2), "B", {type::label, ui.theme.b, Ink::Semibold});
    if (side >= 8 && !panels.covers_heads)
      draw_stops(panels, *panels.b, line, stops, below + ui.px(8), side, panels.b->branch + 1);
  }
  if (panels.has_verdicts) {
    // Those of B begin right of where it branches off; the sentences stand left of them or below.
    const bool row = panels.has_verdict_row;
    const float top_of_cards = y + (row ? ui.px(28) + side : ui.px(16)),
                end = has_b && !row ? line.x(panels.b->branch) - side / 2 - ui.px(12) : line.track.right();
    draw_verdicts(ui, verdicts(ui, panels.judged()),
                  {line.track.x, top_of_cards, end - line.track.x, box.bottom() - ui.px(8) - top_of_cards});
  }
  draw_scrub_knob(ui, {line.x(panels.step), y}, touch);
}

}  // namespace attnscope

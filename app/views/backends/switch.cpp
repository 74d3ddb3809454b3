#include "app/views/backends/switch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// The backend of the result on screen; one that is computing the next result counts already.
std::size_t chosen(const Scene& scene) {
  const std::vector<BackendChoice>& all = scene.backends.choices();
  const std::shared_ptr<Backend> now = scene.engine.backend();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const BackendChoice& choice) { return choice.backend == now; });
  return found == all.end() ? 0 : static_cast<std::size_t>(found - all.begin());
}

/// The times of all backends of this machine, and their widths on screen.
struct TimesLine {
  std::vector<std::string> times;
  std::vector<bool> computing;
  std::string ratio;
  float width = 0, ratio_width = 0;
};

/// In a model the times are those of all its heads and its prediction.
bool in_model(const Scene& scene) { return scene.model != nullptr && scene.view.mode == Mode::Model; }

/// The CPU runs small models even if another backend is chosen.
std::size_t who_computes(const Scene& scene) {
  if (!in_model(scene)) return chosen(scene);
  return scene.backends.find(scene.model->backend).value_or(0);
}

std::string time_of(const Scene& scene, std::size_t choice) {
  if (!in_model(scene)) return time_words(scene.backends.times(choice));
  const std::optional<double> time = scene.backends.model_time(choice);
  return time ? time_words(*time) : "–";
}

const std::string& note_of(const Scene& scene) {
  return in_model(scene) ? scene.model->backend_note : scene.run.backend_note;
}

/// The gap between the times, with a dot in its middle.
float gap_between(const Ui& ui) { return ui.px(13); }

TimesLine times_line(const Scene& scene, bool of_all) {
  const Ui& ui = scene.ui;
  TimesLine line;
  const std::vector<BackendChoice>& all = scene.backends.choices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].backend || !(of_all || i == who_computes(scene))) continue;
    line.times.push_back(time_of(scene, i));
    line.computing.push_back(i == who_computes(scene));
    line.width += ui.text_width(line.times.back(), type::label, Ink::Medium);
  }
  line.width += gap_between(ui) * static_cast<float>(line.times.size() - 1);
  if (const auto ratio = in_model(scene) ? scene.backends.model_ratio() : scene.backends.ratio()) {
    line.ratio = ratio_words(*ratio);
    line.ratio_width = ui.text_width(line.ratio, type::label, Ink::Semibold) + ui.px(10);
  }
  return line;
}

void draw_times(Scene& scene, const TimesLine& line, const Box& area, bool with_ratio) {
  const Ui& ui = scene.ui;
  const Ui::Touch touch = ui.touch("Backend", area);
  if (touch.hovered || scene.view.timings) ui.fill(area, ui.theme.control_hover, ui.px(6));
  if (touch.focused) ui.frame(area.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(8));
  const float y = area.centre_y();
  float x = area.x + ui.px(8);
  if (!note_of(scene).empty()) {
    ui.disc({x + ui.px(3), std::round(y)}, ui.px(3.5f), ui.theme.error);
    x += ui.px(14);
  }
  for (std::size_t i = 0; i < line.times.size(); ++i) {
    if (i > 0) {
      ui.disc({x + gap_between(ui) / 2, std::round(y)}, std::max(1.f, ui.px(1)), ui.theme.text3);
      x += gap_between(ui);
    }
    const Rgba ink = line.computing[i] ? ui.theme.text1 : ui.theme.text2;
    ui.text(x, y, line.times[i], {type::label, ink, Ink::Medium});
    x += ui.text_width(line.times[i], type::label, Ink::Medium);
  }
  if (with_ratio)
    ui.text(area.right() - ui.px(8), y, line.ratio,
            {type::label, ui.theme.query, Ink::Semibold, Align::Right});
  const std::string why =
      !note_of(scene).empty() ? note_of(scene)
      : in_model(scene)
          ? "What each took when it last ran all of this model."
          : "What each took when it last computed all of this document. A click shows every stage.";
  if (!scene.view.timings) tooltip(ui, touch.hovered, area, {"Times of both backends", line.ratio, why, "H"});
  if (touch.clicked) scene.view.timings = !scene.view.timings;
}

}  // namespace

std::string time_words(double ms) {
  return ms < 10'000 ? fixed(ms, ms < 1000 ? 2 : 0) + " ms" : fixed(ms / 1000, 1) + " s";
}

std::string time_words(const WholeTimes* times) { return times ? time_words(times->total()) : "–"; }

std::string ratio_words(double ratio) { return fixed(ratio, ratio < 100 ? 1 : 0) + "×"; }

std::string backend_words(const std::string& name) {
  constexpr std::string_view cpu = "CPU · ";
  if (!name.starts_with(cpu)) return own(name);
  const std::string threads = name.substr(cpu.size(), name.find(' ', cpu.size()) - cpu.size());
  const bool is_one = threads == "1";
  return "CPU · " + own(threads) + (is_one ? " thread" : " threads");
}

std::string backend_note(const Scene& scene) {
  return note_of(scene).empty() ? scene.backends.why_alone() : note_of(scene);
}

float backend_switch_width(const Scene& scene) {
  const Ui& ui = scene.ui;
  float widest = 0;
  for (const BackendChoice& choice : scene.backends.choices())
    widest = std::max(widest, ui.text_width(own(choice.name), type::label, Ink::Medium));
  return (widest + ui.px(22)) * static_cast<float>(scene.backends.choices().size()) + ui.px(4);
}

void draw_backend_switch(Scene& scene, const char* label, const Box& box) {
  const Ui& ui = scene.ui;
  const std::vector<BackendChoice>& all = scene.backends.choices();
  std::vector<std::string> names, titles;
  for (const BackendChoice& choice : all) {
    names.push_back(own(choice.name));
    titles.push_back(own(choice.backend ? choice.backend->name() : std::string_view(choice.name)));
  }
  std::vector<std::string_view> shown(names.begin(), names.end());
  std::vector<Tip> tips;
  SegmentsStyle style;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool there = all[i].backend != nullptr;
    if (!there) style.disabled |= 1u << i;
    tips.push_back({titles[i],
                    {},
                    there ? std::string_view("Computes from here on; this document is computed anew.")
                          : std::string_view(all[i].why_not),
                    "U"});
  }
  const auto picked = segments(ui, label, box, shown, static_cast<int>(chosen(scene)), tips, style);
  if (picked) scene.requests.backend = static_cast<std::size_t>(*picked);
}

void draw_backend_bar(Scene& scene, float left, float right, float y) {
  const Ui& ui = scene.ui;
  const float inset = ui.px(16) + (note_of(scene).empty() ? 0 : ui.px(14));
  const float room = right - left, switch_width = backend_switch_width(scene), gap = ui.px(6);
  // If the line does not fit, the ratio is left out first, then the other backend's time, then all times.
  TimesLine line = times_line(scene, true);
  const auto fits = [&](float more) { return switch_width + gap + inset + line.width + more <= room; };
  const bool with_ratio = !line.ratio.empty() && fits(line.ratio_width);
  if (!fits(0)) line = times_line(scene, false);
  float x = right;
  if (fits(0)) {
    const float times = inset + line.width + (with_ratio ? line.ratio_width : 0);
    x -= times;
    draw_times(scene, line, {x, y - ui.px(14), times, ui.px(28)}, with_ratio);
    x -= gap;
  }
  if (switch_width <= room)
    draw_backend_switch(scene, "Backends", {x - switch_width, y - ui.px(15), switch_width, ui.px(30)});
}

void next_backend(Scene& scene) {
  const std::size_t now = chosen(scene), next = scene.backends.next(now);
  if (next != now) {
    scene.requests.backend = next;
  } else {
    scene.view.notices.say("There is no other backend to switch to. " + scene.backends.why_alone());
  }
}

}  // namespace attnscope

// app/views/watch: the texts about the process in the bars above and below.
#include <algorithm>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"

namespace attnscope {

namespace {

/// The pass whose row is followed; for the mean the newest. Null if there is none.
const WatchedPass* followed_pass(const WatchView& v) {
  const std::vector<WatchedPass>& passes = v.text().passes;
  for (const WatchedPass& pass : passes)
    if (v.state.row && pass.text == v.text().text && v.position >= pass.first &&
        v.position <= last_row_of(pass))
      return &pass;
  return passes.empty() ? nullptr : &passes.back();
}

}  // namespace

std::string_view watch_end_words(WatchEnd end) {
  return end == WatchEnd::WatchClosed   ? "watch closed"
         : end == WatchEnd::ProcessGone ? "process gone"
                                        : "process ended";
}

std::string_view watch_end_sentence(WatchEnd end) {
  if (end == WatchEnd::WatchClosed)
    return "The watch was closed there; the process goes on. What it sent last stays; a new watch is found "
           "by "
           "itself.";
  if (end == WatchEnd::ProcessGone)
    return "The process is gone and did not close the watch: it was killed, or it crashed. What it sent "
           "last "
           "stays; a new process is found by itself.";
  return "The process has ended. What it sent last stays; a new process is found by itself.";
}

std::string watched_title(const WatchState& state) {
  if (!state.shown || state.shown->connection.state == WatchConnection::State::Listening) return "No process";
  return "watch · " + watched_process(state.shown->connection);
}

void draw_watch_rate(Scene& scene, float left, float right, float y) {
  const Ui& ui = scene.ui;
  const WatchView v = watch_view(scene);
  using State = WatchConnection::State;
  const State state = v.connection().state;
  const std::string_view name = state == State::Listening ? "listening"
                                : state == State::Ended   ? watch_end_words(v.connection().end)
                                : v.state.paused          ? "paused"
                                                          : "python";
  std::string rate;
  if (state == State::Live && !v.state.paused) rate = fixed(v.connection().rate, 1) + " passes/s";
  const float gap = ui.px(8), dot = ui.px(16), name_wide = ui.text_width(name, type::label);
  float wide = dot + name_wide;
  if (!rate.empty()) wide += gap + ui.text_width(rate, type::label, Ink::Medium);
  if (left + wide > right && !rate.empty()) {
    rate.clear();
    wide = dot + name_wide;
  }
  if (left + wide > right) return;
  const float x = scene.compact ? right - wide : left + ui.px(12);
  const bool steady = state == State::Live && !v.state.paused;
  ui.disc({x + ui.px(4), std::round(y)}, ui.px(3.5f),
          state == State::Ended                 ? ui.theme.text3
          : steady || state == State::Listening ? ui.theme.value
                                                : ui.theme.key);
  ui.text(x + dot, y, name, {type::label, ui.theme.text2});
  if (!rate.empty()) ui.text(x + dot + name_wide + gap, y, rate, {type::label, ui.theme.text1, Ink::Medium});
}

void draw_watch_status(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const WatchView v = watch_view(scene);
  const float y = bar.centre_y(), pad = ui.px(16);
  std::string right = "listening", left = "Watch   ·   no process   ·   Ctrl O opens a file";
  if (v.connection().state != WatchConnection::State::Listening) {
    right = counted(v.text().keys, "token", "tokens") + "   ·   " +
            own_number(grouped(static_cast<std::int64_t>(v.connection().counts.dropped))) + " dropped";
    left = "no pass yet";
    if (!scene.compact && v.head != nullptr) right = "weights computed here from q, k, v   ·   " + right;
    if (const WatchedPass* const pass = followed_pass(v))
      left = "pass " + own(std::to_string(pass->number)) + ", head " + watched_head_name(v) + "   ·   " +
             (v.state.paused ? "Space goes on" : "Space pauses") +
             "   ·   \\ holds what is shown   ·   ← → through the passes   ·   F7 back to the model";
  }
  if (!scene.view.hint.empty()) left = scene.view.hint;
  std::string trouble = v.connection().trouble.empty() ? v.shown.trouble : v.connection().trouble;
  if (trouble.empty()) trouble = v.shown.text->note;
  const float wide =
      ui.text(bar.right() - pad, y, right, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  if (!trouble.empty()) left = trouble;
  if (const float room = bar.w - wide - 3 * pad; room > ui.px(40))
    ui.text(bar.x + pad, y, left,
            {type::tick, trouble.empty() ? ui.theme.text2 : ui.theme.key, Ink::Regular, Align::Left, room});
}

}  // namespace attnscope

#include "app/views/presenter/speaker_page.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "core/base/error.hpp"

namespace attnscope {

void draw_speaker_page(const Ui& ui, const Box& page, const lessons::Lesson& lesson, const LessonState& state,
                       double seconds) {
  ui.fill(page, ui.theme.panel);
  const float pad = ui.px(28), x = page.x + pad, width = page.w - 2 * pad;
  const auto minutes = static_cast<std::int64_t>(seconds) / 60,
             rest = static_cast<std::int64_t>(seconds) % 60;
  const std::string time = std::to_string(minutes) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  float y = page.y + ui.px(36);
  const float clock =
      ui.text(x + width, y, time, {type::readout - 8, ui.theme.text1, Ink::Semibold, Align::Right});
  const std::int64_t count = std::ssize(lesson.steps),
                     at = std::clamp<std::int64_t>(state.step, 0, count - 1);
  ui.text(x, y, "step " + std::to_string(at + 1) + " of " + std::to_string(count),
          {type::title, ui.theme.text2, Ink::Regular, Align::Left, width - clock - ui.px(20)});
  const auto draw_step = [&](const lessons::Step& shown, std::string_view said, float size, Rgba colour) {
    y += ui.px(8) + ui.paragraph(x, y, width, own(shown.title), {size, colour, Ink::Semibold});
    const std::string notes = own(said);
    if (!shown.notes.empty()) y += ui.paragraph(x, y, width, notes, {size, colour});
  };
  y += ui.px(32);
  draw_step(lesson.steps[static_cast<std::size_t>(at)], state.spoken, type::title + 4, ui.theme.text1);
  if (at + 1 >= count) return;
  y += ui.px(24);
  ui.horizontal(x, y, width, ui.theme.hairline);
  y += ui.px(22);
  ui.text(x, y, "Then", {type::label, ui.theme.query, Ink::Medium});
  y += ui.px(18);
  const lessons::Step& next = lesson.steps[static_cast<std::size_t>(at) + 1];
  const auto unknown = [](std::string_view, std::span<const double>) -> double { throw Error("…"); };
  draw_step(next, lessons::notes_said(next, unknown), type::body, ui.theme.text2);
}

}  // namespace attnscope

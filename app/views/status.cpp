// app/views: the last line: what the mouse is on, how far a long computation is, and a way to stop it.
#include <algorithm>

#include "app/number_format.hpp"
#include "app/picture.hpp"

namespace attnscope {

void draw_status(Scene& scene, const Box& bar) {
  const Ui& ui = scene.ui;
  const float y = bar.centre_y(), pad = ui.px(16);
  ui.horizontal(bar.x, bar.y, bar.w, ui.theme.hairline);
  const Cell cell = scene.cell();
  std::string text = "cell  " + token_label(scene.result, scene.sequence(), cell.query) + " → " +
                     token_label(scene.result, scene.sequence(), cell.key);
  text += scene.selection.locked ? "   ·   locked, Esc unlocks" : "   ·   hover previews, click locks";
  if (!scene.view.hint.empty()) text = scene.view.hint;

  const Measures& m = scene.result.measures;
  std::string right = "float32   ·   seed " + std::to_string(scene.result.document.weights.seed);
  if (scene.result.document.input.given) right = "float32";
  if (const std::int64_t bad = m.head(scene.sequence(), scene.head()).not_finite; bad > 0)
    right = grouped(bad) + " weights are not finite   ·   " + right;

  const auto running = scene.engine.running_for().count();
  if (running > 0.2) {
    const Progress& progress = scene.engine.progress();
    const int total = std::max(1, progress.total.load()), done = std::clamp(progress.done.load(), 0, total);
    const Box cancel{bar.right() - pad - ui.px(64), bar.y + ui.px(2), ui.px(64), ui.px(20)};
    if (button(ui, "Cancel", cancel, {"Cancel", {}, "Stops computing and keeps the last picture.", {}}))
      scene.engine.cancel();
    const Box track{cancel.x - ui.px(132), y - ui.px(2), ui.px(120), ui.px(4)};
    ui.fill(track, ui.theme.control_hover, ui.px(2));
    ui.fill({track.x, track.y, track.w * static_cast<float>(done) / static_cast<float>(total), track.h},
            ui.theme.query, ui.px(2));
    ui.text(track.x - ui.px(12), y,
            "computing, stage " + std::to_string(done) + " of " + std::to_string(total),
            {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
    right.clear();
  }
  const float right_width =
      ui.text(bar.right() - pad, y, right, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(bar.x + pad, y, text,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, bar.w - right_width - pad * 3});
}

}  // namespace attnscope

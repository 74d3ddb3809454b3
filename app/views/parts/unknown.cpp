#include "app/views/parts/unknown.hpp"

#include <cmath>

#include "app/scene/scene.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {

bool has_weights_alone(const Scene& scene) { return !knows_scores(scene.document); }

bool refuse_without_scores(Scene& scene) {
  if (!has_weights_alone(scene)) return false;
  scene.view.notices.say(
      "The file has the attention weights alone: there are no scores that this could change.");
  return true;
}

float draw_unknown(const Ui& ui, const Box& area, std::string_view what, std::string_view why) {
  const float y = area.y + ui.px(12);
  const float used = ui.text(area.x, y, what, {type::label, ui.theme.text2});
  ui.text(area.right(), y, not_in_file,
          {type::label, ui.theme.text3, Ink::Regular, Align::Right, std::max(1.f, area.w - used - ui.px(8))});
  return y + ui.px(12) +
         ui.paragraph(area.x, std::round(y + ui.px(10)), area.w, why, {type::tick, ui.theme.text3});
}

std::string_view why_no_scores() { return "The file has the attention weights alone."; }

std::string_view why_no_values(const Document& document) {
  return knows_scores(document) ? "The file has queries and keys, but no values." : why_no_scores();
}

}  // namespace attnscope

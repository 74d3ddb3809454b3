// app/shell: the window's message on a card at its lower edge, above the status line.
#include <algorithm>
#include <cmath>

#include "app/kit/widgets/card_window.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/shell/regions.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {

bool draw_message(const Ui& ui, const Layout& layout, ViewState& view) {
  const Notice* const newest = view.notices.newest();
  if (newest == nullptr) return false;
  if (newest->source == Notice::Source::Engine && newest->text == view.refusal)
    return false;  // it has a card of its own
  constexpr const char* reopen = "Reopen";
  const std::string text = newest->text;
  const bool passes = newest->source == Notice::Source::Success;
  const bool offers = newest->offer == Notice::Offer::ReopenLast;
  const float screen = layout.status.right(), pad = ui.px(14), inset = ui.px(10);
  const float order = offers ? ui.text_width(reopen, type::label, Ink::Medium) + ui.px(24) : 0;
  const float beside = 2 * pad + ui.px(30) + (offers ? order + ui.px(12) : 0);
  const float most = std::min(ui.px(760), screen - ui.px(32));
  if (most - beside < ui.px(60)) return false;
  // Two pixels more than its width, so that rounding does not break a text measured as one line.
  const float words = std::min(ui.text_width(text, type::label) + 2, most - beside);
  const float lines = ui.paragraph_height(words, text, type::label);
  const float height = std::max(lines + 2 * inset, offers ? ui.px(44) : 0.f);
  const float width = words + beside, bottom = layout.status.bottom() - ui.px(3);
  const Box card{std::round((screen - width) / 2), std::round(bottom - height), width, height};
  ui.fill({card.x + ui.px(2), card.y + ui.px(4), card.w, card.h}, 0x50000000u, ui.px(8));

  bool taken = false;
  const CardWindow window(ui, "Message", card, ImGuiWindowFlags_NoDecoration);
  ui.fill({card.x + ui.px(1), card.y + ui.px(6), ui.px(3), card.h - ui.px(12)},
          passes ? ui.theme.query : ui.theme.key);
  ui.paragraph(card.x + pad, std::round(card.y + (card.h - lines) / 2), words, text,
               {type::label, ui.theme.text1});
  const Box close{card.right() - ui.px(32), std::round(card.centre_y() - ui.px(12)), ui.px(24), ui.px(24)};
  if (offers) {
    const Box box{close.x - ui.px(8) - order, std::round(card.centre_y() - ui.px(14)), order, ui.px(28)};
    taken = button(ui, reopen, box, {});
  }
  const Ui::Touch touch = ui.touch("Dismiss", close);
  if (touch.hovered) ui.fill(close, ui.theme.control_hover, ui.px(4));
  ui.text(close.centre_x(), close.centre_y(), "×", {type::body, ui.theme.text2, Ink::Regular, Align::Centre});
  if (touch.clicked || taken) view.notices.dismiss();
  view.notices.let_leave(ImGui::IsWindowHovered());
  return taken;
}

}  // namespace attnscope

#include "app/pages/walk/card.hpp"

#include <algorithm>

#include "app/pages/walk/operands.hpp"

namespace attnscope::walk {

void draw_card(const View& v, Contents& contents, const Box& card) {
  const Ui& ui = v.ui();
  if (card.w < ui.px(80) || card.h < ui.px(40)) return;
  ui.fill(card, ui.theme.raised, ui.px(8));
  ui.clip(card);
  const MoveWords words = words_of(v);
  const bool narrow = card.w < ui.px(720);
  const float pad = ui.px(narrow ? 14 : 24);
  const float column = std::clamp(card.w * 0.2f, ui.px(170), ui.px(280));
  const float text = ui.paragraph_height(column, words.sentence, type::label), title = ui.px(24);
  const float top = card.centre_y() - std::min(card.h - ui.px(8), title + text) / 2;
  ui.text(card.x + pad, top + ui.px(10), words.title,
          {type::title, ui.theme.query, Ink::Semibold, Align::Left, column});
  ui.paragraph(card.x + pad, top + title, column, words.sentence, {type::label, ui.theme.text2});
  const float x = card.x + pad + column + ui.px(narrow ? 12 : 24);
  ui.vertical(x, card.y + ui.px(16), card.h - ui.px(32), ui.theme.border);
  const float from = x + ui.px(narrow ? 12 : 24), room = card.right() - ui.px(16) - from;
  Formula formula;
  for (const float size : {type::title, type::body, type::label}) {
    formula = formula_of_move(v, contents, room, size);
    if (formula.width(ui) <= room) break;
  }
  formula.draw(ui, from, card.centre_y());
  ui.unclip();
}

}  // namespace attnscope::walk

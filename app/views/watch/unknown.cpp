// app/views/watch: facts that a stream of queries, keys and values does not contain, and how to get them.
#include <string>

#include <fmt/format.h>

#include "app/kit/ui/own_words.hpp"
#include "app/views/watch/parts.hpp"

namespace attnscope {

void draw_watch_unknown(WatchView& v, const Box& region) {
  const Ui& ui = v.ui;
  ui.fill(region, ui.theme.panel);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const float x = region.x + watch_pad(v.scene), right = region.right() - watch_pad(v.scene);
  ui.text(x, region.y + ui.px(20), "Not known here", {type::label, ui.theme.text1, Ink::Semibold});
  const float offer = draw_watch_offer(
      v, {x, region.y + ui.px(40), right - x, region.bottom() - ui.px(14) - (region.y + ui.px(40))});
  const float bottom = region.bottom() - (offer > 0 ? offer + ui.px(22) : 0);
  float y = region.y + ui.px(50);
  const auto line = [&](std::string_view what, std::string_view why) {
    if (y + ui.px(12) > bottom) return;
    const float wide = ui.text_width(what, type::label);
    ui.text(x, y, what, {type::label, ui.theme.text1});
    if (right - x - wide > ui.px(60))
      ui.text(right, y, why,
              {type::tick, ui.theme.text3, Ink::Regular, Align::Right, right - x - wide - ui.px(12)});
    y += ui.px(24);
  };
  if (v.shown.text->tokens.empty())
    line("words",
         v.shown.text->ids.empty() ? "positions only; no ids were seen" : "token ids only; pass tokenizer=");
  line("what a head is worth", "nothing is changed there");
  line("what the MLPs add", "only attention is sent");
  line("Why?", "needs the weights on disk");
  if (v.shown.text->sequences > 1) {
    const std::string which = own(std::to_string(v.shown.text->sequence));
    line("other sequences", fmt::format("sequence {} is shown", which));
  }
}

}  // namespace attnscope

// app/views/controls: what kind of head the shown one is: where its weight goes, how far, over how many keys.
#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"
#include "app/views/controls/column.hpp"

namespace attnscope {
namespace {

/// "on itself  ▬▬▬───  0.42": a share of the weight.
void share_row(Column& c, const char* label, std::string_view shown, double share, const Tip& tip) {
  const Ui& ui = c.ui();
  const Box line = c.row(20, 4);
  const Ui::Touch touch = ui.touch(label, line, false);
  ui.text(line.x, line.centre_y(), shown, {type::label, ui.theme.text2});
  const bool known = std::isfinite(share);
  ui.text(line.right(), line.centre_y(), known ? fixed(share, 2) : "n/a",
          {type::label, ui.theme.text1, Ink::Regular, Align::Right});
  const float left = line.x + std::round(line.w * 0.46f), right = line.right() - ui.px(44);
  const Box track{left, std::round(line.centre_y() - ui.px(2)), right - left, ui.px(4)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  const auto unit = static_cast<float>(known ? std::clamp(share, 0.0, 1.0) : 0);
  ui.fill({track.x, track.y, track.w * unit, track.h}, ui.theme.head(c.scene.head()), ui.px(2));
  tooltip(ui, touch.hovered, line, tip);
}

std::string verdict(const HeadMeasures& head) {
  if (head.collapsed) return "collapsed";
  return head.uniform ? "uniform" : "";
}

}  // namespace

void statistics_section(Column& c) {
  const Result& r = c.scene.result;
  const HeadMeasures& head = r.measures.head(c.scene.sequence(), c.scene.head());
  std::string note = "head " + std::to_string(c.scene.head());
  if (const std::string flag = verdict(head); !flag.empty()) note += ", " + flag;
  if (c.begin(
          {.which = Section::Statistics, .label = "Statistics", .note = note, .opens = Opens::OnDemand})) {
    c.fact("Effective keys", "effective keys", fixed(head.effective, 2),
           {"Effective keys",
            "e^H, mean over rows",
            "Perplexity of the row: as many equal weights have this entropy.",
            {}});
    c.fact("Mean distance", "mean distance", fixed(head.distance, 2),
           {"Mean distance",
            "Σ A · |query − key|, in tokens",
            "Distance between query and key, averaged by the weights.",
            {}});
    if (!is_cross(r)) {
      share_row(c, "Mass on itself", "on itself", head.self,
                {"On itself", "mean of A_ii", "Weight of each token on itself.", {}});
      share_row(c, "Mass on previous", "on previous", head.previous,
                {"On the previous token", "mean of A_i,i−1", "High in a previous-token head.", {}});
      share_row(c, "Mass on next", "on next", head.next,
                {"On the next token", "mean of A_i,i+1", "Always 0 under a causal mask.", {}});
    }
    share_row(c, "Mass on first", "on first", head.first,
              {"On the first token",
               "mean of A_i0",
               "Compare it with uniform attention before calling it a sink.",
               {}});
    share_row(
        c, "Mass on special", "on special", head.special,
        {"On special tokens", "[CLS], [SEP], </s> …", "Special tokens often serve as attention sinks.", {}});
    if (r.dimensions.extra > 0)
      share_row(c, "Mass on extra", "on extra keys", head.extra,
                {"On keys of no token", "learned and zero key", "Weight that does not go to tokens.", {}});
    if (head.collapsed)
      c.remark("Collapsed: low mean entropy, most queries attend to one key. Normal for positional heads.",
               true);
    if (head.uniform) c.remark("Uniform: nearly equal weights on all allowed keys.", true);
  }
  c.end();
}

}  // namespace attnscope

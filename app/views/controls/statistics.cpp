// app/views/controls: statistics of the shown head: where its weight goes, how far, over how many keys.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

std::string number(double value) { return own_number(std::isfinite(value) ? fixed(value, 2) : "n/a"); }

/// The explanation `why` with the value of uniform attention appended.
std::string beside(std::string_view why, double uniform) {
  if (!std::isfinite(uniform)) return std::string(why);
  return std::string(why) + "  Uniform attention under this mask has " + number(uniform) + ".";
}

/// "3.20 vs 4.50": the second is that of uniform attention.
void fact_row(Column& c, const char* label, std::string_view shown, double value, double uniform,
              const Tip& tip) {
  const std::string why = beside(tip.why, uniform);
  c.fact(label, shown, std::isfinite(value) ? fixed(value, 2) + " vs " + number(uniform) : "n/a",
         {tip.title, tip.formula, why});
}

/// "on itself  ▬▬▬─|─  0.42": a share of the weight, with a tick at that of uniform attention.
void share_row(Column& c, const char* label, std::string_view shown, double share, double uniform, Tip tip) {
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
  if (std::isfinite(uniform)) {
    const float x =
        std::round(track.x + track.w * static_cast<float>(std::clamp(uniform, 0.0, 1.0)) - ui.px(1));
    ui.fill({x, track.y - ui.px(3), ui.px(2), track.h + ui.px(6)}, ui.theme.text1);
  }
  const std::string why = beside(tip.why, uniform);
  tip.why = why;
  tooltip(ui, touch.hovered, line, tip);
}

std::string verdict(const HeadMeasures& head) {
  if (head.one_key) return "one key per row";
  return head.is_uniform ? "uniform" : "";
}

}  // namespace

void statistics_section(Column& c) {
  const LayerResult& r = c.scene.result;
  const HeadMeasures& head = r.measures.head(c.scene.sequence(), c.scene.head());
  std::string note = "head " + std::to_string(c.scene.head());
  if (const std::string flag = verdict(head); !flag.empty()) note += " · " + flag;
  if (c.begin(
          {.which = Section::Statistics, .label = "Statistics", .note = note, .opens = Opens::OnDemand})) {
    const RowMeans& even = head.uniform;
    fact_row(c, "Effective keys", "effective keys", head.effective, even.effective,
             {"Effective keys", "e^H, mean over rows",
              "Perplexity of the row: as many equal weights have this entropy."});
    fact_row(c, "Mean distance", "mean distance", head.distance, even.distance,
             {"Mean distance", "Σ A · |query − key|, in tokens",
              "Distance between query and key, averaged by the weights."});
    if (!is_cross(r)) {
      share_row(c, "Mass on itself", "on itself", head.self, even.self,
                {"On itself", "mean of A_ii", "Weight of each token on itself."});
      share_row(c, "Mass on previous", "on previous", head.previous, even.previous,
                {"On the previous token", "mean of A_i,i−1", "High in a previous-token head."});
      share_row(c, "Mass on next", "on next", head.next, even.next,
                {"On the next token", "mean of A_i,i+1", "Always 0 under a causal mask."});
    }
    share_row(c, "Mass on first", "on first", head.first, even.first,
              {"On the first token", "mean of A_i0",
               "Compare it with uniform attention before calling it a sink."});
    share_row(
        c, "Mass on special", "on special", head.special, even.special,
        {"On special tokens", "[CLS], [SEP], </s> …", "Special tokens often serve as attention sinks."});
    if (r.dimensions.extra > 0)
      share_row(c, "Mass on extra", "on extra keys", head.extra, even.extra,
                {"On keys of no token", "learned and zero key", "Weight that does not go to tokens."});
    if (has_sinks(r.document.layer()) && !r.document.layer().linear)
      share_row(c, "Share of sink", "to the sink", head.sink, even.sink,
                {"To the learned sink", "e^(s/τ) / (Σ e^(M/τ) + e^(s/τ))",
                 "What the weights of a row lack to 1. Entropy and effective keys are of the rest."});
    c.remark("Means over the queries that may see at least two keys.");
    if (head.one_key)
      c.remark("One key per row: normal for a positional head, else a saturated softmax.", true);
    if (head.is_uniform) c.remark("Uniform: nearly equal weights on all allowed keys.", true);
  }
  c.end();
}

}  // namespace attnscope

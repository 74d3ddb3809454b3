// app/views/inspector: the whole row of a query: every key with its weight as a bar, the cumulative weight,
// and the measures of the row.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/row_list.hpp"
#include "app/scene/cell_rows.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/inspector/pages.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

constexpr float least_key_line = 20, most_key_line = 26;

/// The places of the columns; numbers are right-aligned at their x.
struct RowColumns {
  float token, token_width, score, weight, bars, bars_width, sum;
  bool has_score;
};

RowColumns row_columns(const Ui& ui, const Box& area, bool has_scores) {
  const bool wide = area.w >= ui.px(300) && has_scores;
  const float token = ui.px(wide ? 84 : 60), score = area.x + token + ui.px(wide ? 48 : 0);
  const float weight = score + ui.px(52), bars = weight + ui.px(10);
  const float sum = area.right(), end = sum - ui.px(36);
  return {area.x, token, score, weight, bars, std::max(ui.px(8), end - bars), sum, wide};
}

std::string written_weight(double weight) {
  if (weight > 0 && weight < 5e-4) return tight(weight);
  return fixed(weight, 3);
}

double largest_weight(const std::vector<RowKey>& keys) {
  double most = 0;
  for (const RowKey& key : keys)
    if (std::isfinite(key.weight)) most = std::max(most, key.weight);
  return most > 0 ? most : 1;
}

void draw_header(const Ui& ui, const RowColumns& x, float y, double most) {
  ui.text(x.token, y, "key", {type::tick, ui.theme.key, Ink::Medium});
  if (x.has_score) ui.text(x.score, y, "q · k", {type::tick, ui.theme.text2, Ink::Medium, Align::Right});
  ui.text(x.weight, y, "weight", {type::tick, ui.theme.text2, Ink::Medium, Align::Right});
  ui.text(x.bars, y, "0 … " + written_weight(most),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Left, x.bars_width});
  ui.text(x.sum, y, "Σ", {type::tick, ui.theme.text3, Ink::Medium, Align::Right});
}

void draw_key(Scene& scene, const CellPlace& at, const RowKey& key, const RowColumns& x, const Box& row,
              double most) {
  const Ui& ui = scene.ui;
  const Ui::Touch touch = ui.touch(("row key " + std::to_string(key.key)).c_str(), row, false);
  point_at_key(scene, at, key.key, touch);
  const bool chosen = key.key == at.key;
  const float y = row.centre_y();
  if (touch.hovered || chosen)
    ui.fill({row.x - ui.px(6), row.y, row.w + ui.px(10), row.h},
            touch.hovered ? ui.theme.control_hover : ui.theme.raised, ui.px(4));
  if (chosen)
    ui.fill({row.x - ui.px(6), row.y + ui.px(3), ui.px(3), row.h - ui.px(6)}, ui.theme.key, ui.px(1));
  const Rgba quiet = key.masked ? ui.theme.text3 : ui.theme.text2;
  ui.text(x.token, y, key_label(scene.result, at.b, key.key),
          {type::label, chosen ? ui.theme.key : quiet, chosen ? Ink::Semibold : Ink::Regular, Align::Left,
           x.token_width - ui.px(4)});
  if (x.has_score)
    ui.text(x.score, y, score_text(key.score), {type::tick, quiet, Ink::Regular, Align::Right});
  if (key.masked) {
    ui.text(x.weight, y, knows_scores(scene.result.document) ? "masked" : "0",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
    return;
  }
  ui.text(x.weight, y, written_weight(key.weight),
          {type::tick, ui.theme.text1, chosen ? Ink::Semibold : Ink::Regular, Align::Right});
  const Box track{x.bars, std::round(y - ui.px(4)), x.bars_width, ui.px(8)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  if (!std::isfinite(key.weight)) {
    ui.fill(track, ui.theme.nan, ui.px(2));
  } else {
    const float length = static_cast<float>(std::clamp(key.weight / most, 0.0, 1.0)) * track.w;
    ui.fill({track.x, track.y, length > 0 ? std::max(1.f, length) : 0, track.h},
            chosen ? ui.theme.key : ui.theme.bar, ui.px(2));
  }
  // The cumulative weight, with a line below it of proportional length.
  const float room = ui.px(28);
  ui.text(x.sum, y - ui.px(1), in_cell(key.cumulative),
          {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const Box whole{x.sum - room, row.bottom() - ui.px(3), room, ui.px(2)};
  ui.fill(whole, ui.theme.bar_ground, ui.px(1));
  if (std::isfinite(key.cumulative))
    ui.fill({whole.x, whole.y, static_cast<float>(std::clamp(key.cumulative, 0.0, 1.0)) * room, ui.px(2)},
            ui.theme.bar, ui.px(1));
}

struct Fact {
  std::string name, value;
  Tip tip;
};

std::string share(double mass) { return fixed(mass, 3); }
std::string defined(double value, int places) { return std::isnan(value) ? "n/a" : fixed(value, places); }

std::vector<Fact> facts_of_row(const Shown& shown, const CellRow& cells) {
  const LayerResult& r = shown.result;
  const RowMeasures& m = cells.measures;
  std::vector<Fact> facts;
  const auto add = [&facts](std::string_view name, const std::string& value, const Tip& tip) {
    facts.push_back({std::string(name), value, tip});
  };
  add("of ln(allowed)", std::isfinite(m.normalised) ? fixed(100 * m.normalised, 0) + " %" : "n/a",
      {"Normalised entropy", "H / ln(allowed keys)", "100 %: uniform weights. 0 %: all weight on one key."});
  add("effective keys", defined(m.effective, 2),
      {"Effective keys", "e^H", "Perplexity of the row: as many equal weights have this entropy."});
  add("largest", share(m.largest),
      {"Largest weight", "max over keys",
       "Near 1: one key has nearly all the weight (trivial if only one is allowed)."});
  add("mean distance", fixed(m.distance, 2),
      {"Mean distance", "Σ A · |query − key|, in tokens",
       "Distance between query and key, averaged by the weights."});
  if (!is_cross(r)) {
    add("on itself", share(m.self), {"On itself", "A_ii", "Weight of each token on itself."});
    add("on previous", share(m.previous),
        {"On the previous token", "A_i,i−1", "High in a previous-token head."});
    add("on next", share(m.next), {"On the next token", "A_i,i+1", "Always 0 under a causal mask."});
  }
  add("on first", share(m.first),
      {"On the first token", "A_i0", "Compare it with uniform attention before calling it a sink."});
  if (m.special > 0)
    add("on special", share(m.special),
        {"On special tokens", "[CLS], [SEP], </s> …", "Special tokens often serve as attention sinks."});
  if (r.dimensions.extra > 0)
    add("on extra keys", share(m.extra),
        {"On keys of no token", "learned and zero key", "Weight that does not go to tokens."});
  if (has_sinks(r.document.layer()) && !r.document.layer().linear)
    add("to the sink", share(m.sink),
        {"To the learned sink", "e^(s/τ) / (Σ e^(M/τ) + e^(s/τ))",
         "What the weights of a row lack to 1. Entropy and effective keys are of the rest."});
  if (shown.stats.rule().is_sparse())
    add("masked mass", share(m.dropped),
        {"Masked mass", "Σ of full attention's weights on hidden keys",
         "Share of the row's full attention on keys that the window or pattern masks."});
  if (!knows_scores(r.document)) return facts;  // the facts below are of scores
  add("log-sum-exp", fixed(m.log_sum_exp, 2),
      {"Log-sum-exp",
       has_sinks(r.document.layer()) ? "ln (Σ exp(masked / τ) + exp(s / τ))" : "ln Σ exp(masked / τ)",
       "weight = exp(masked / τ − log-sum-exp)"});
  add("‖∂A/∂M‖", defined(m.jacobian, 3),
      {"Softmax's Jacobian", "‖diag(w) − w·wᵀ‖, uniform attention = 1",
       "Frobenius norm: 0 where one key has all the weight, so that no gradient passes the softmax."});
  return facts;
}

/// Two columns of "name  value".
void draw_facts(const Shown& shown, const std::vector<Fact>& facts, const Box& area, float line) {
  const Ui& ui = shown.ui;
  const float gap = ui.px(shown.compact ? 16 : 28), width = std::floor((area.w - gap) / 2);
  const std::size_t rows = (facts.size() + 1) / 2;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const float x = i < rows ? area.x : area.right() - width;
    const Box box{x, area.y + line * static_cast<float>(i % rows), width, line};
    const Ui::Touch touch = ui.touch(("row fact " + facts[i].name).c_str(), box, false);
    const float size = shown.compact ? type::tick : type::label;
    const float used = ui.text(box.right(), box.centre_y(), facts[i].value,
                               {size, ui.theme.text1, Ink::Medium, Align::Right});
    ui.text(box.x, box.centre_y(), facts[i].name,
            {size, ui.theme.text2, Ink::Regular, Align::Left, box.w - used - ui.px(6)});
    tooltip(ui, touch.hovered, box, facts[i].tip);
  }
}

float draw_head(Scene& scene, const CellPlace& at, const RowMeasures& m, const Box& area) {
  const Ui& ui = scene.ui;
  const bool none = m.allowed == 0;
  // No entropy: the head is muted, or linear attention implies negative weights.
  const bool is_off = std::isnan(m.entropy) && std::isfinite(m.largest);
  draw_readout(scene, at, {area.x, area.y, area.w, ui.px(readout_height)},
               none                      ? "no key"
               : m.allowed < 2 || is_off ? "n/a"
                                         : fixed(m.entropy, 3),
               Tags::Query);
  const Box line{area.x, area.y + ui.px(readout_height), area.w, ui.px(words_height)};
  const float used =
      ui.text(line.x, line.centre_y(), "entropy H", {type::label, ui.theme.text2, Ink::Medium});
  const std::string remark = none            ? "every key is masked: N removes the mask"
                             : m.allowed < 2 ? "only one key is allowed"
                             : is_off        ? "not defined for these weights"
                                             : "nats, over " + grouped(m.allowed) + " keys";
  ui.text(line.x + used + ui.px(10), line.centre_y(), remark,
          {type::label, none ? ui.theme.key : ui.theme.text3, Ink::Regular, Align::Left,
           line.w - used - ui.px(10)});
  return line.bottom();
}

float draw_sorting(Scene& scene, const Box& line) {
  const Ui& ui = scene.ui;
  constexpr std::array<std::string_view, 2> names{"by position", "by weight"};
  constexpr std::array<Tip, 2> tips{
      Tip{"By position", {}, "Keys as they stand in the text."},
      Tip{"By weight", {}, "The strongest key first: Σ shows how few keys hold most of the mass."}};
  const float wide = std::min(ui.px(184), line.w - ui.px(44));
  if (const auto chosen =
          segments(ui, "Row order", {line.right() - wide, line.y, wide, line.h}, names,
                   inspector_of(scene.view).row_by_weight ? 1 : 0, tips, {.text_size = type::tick}))
    inspector_of(scene.view).row_by_weight = *chosen == 1;
  ui.text(line.x, line.centre_y(), "Keys", {type::label, ui.theme.text1, Ink::Medium});
  return line.bottom();
}

}  // namespace

float draw_row_page(Scene& scene, const CellPlace& at, const Box& area) {
  const Ui& ui = scene.ui;
  const std::optional<CellRow> cells = row_of(scene, at.b, at.h, at.query);
  if (!cells) return area.y + ui.px(readout_height);
  float y = draw_head(scene, at, cells->measures, area) + ui.px(6);
  ui.horizontal(area.x, y, area.w, ui.theme.hairline);
  y = draw_sorting(scene, {area.x, y + ui.px(8), area.w, ui.px(24)});
  const RowColumns x = row_columns(ui, area, knows_scores(scene.result.document));
  const std::vector<RowKey> keys =
      keys_of_row(*cells, scene.stats.rule(), at, inspector_of(scene.view).row_by_weight);
  const double most = largest_weight(keys);
  y += ui.px(14);
  draw_header(ui, x, y, most);
  y += ui.px(10);

  const std::vector<Fact> facts = facts_of_row(scene, *cells);
  const float fact = ui.px(scene.compact ? 19 : 21);
  const float below = fact * static_cast<float>((facts.size() + 1) / 2) + ui.px(18);
  const float room = std::max(area.bottom() - y - below, ui.px(4 * least_key_line));
  const float line = std::clamp(std::floor(room / static_cast<float>(std::ssize(keys))),
                                ui.px(least_key_line), ui.px(most_key_line));
  const auto rows = std::min(static_cast<std::int64_t>(room / line), std::ssize(keys));
  const Box box{area.x, y, area.w, line * static_cast<float>(rows)};
  const Cell locked = scene.selection.cell;
  const auto followed =
      std::find_if(keys.begin(), keys.end(), [&](const RowKey& k) { return k.key == locked.key; });
  {
    const RowList list(ui, "row keys", box, line, std::ssize(keys), inspector_of(scene.view).key_row,
                       followed - keys.begin());
    for (std::int64_t i = list.first(); i < list.last(); ++i)
      draw_key(scene, at, keys[static_cast<std::size_t>(i)], x, list.row(i), most);
  }
  y = box.bottom() + ui.px(8);
  ui.horizontal(area.x, y, area.w, ui.theme.hairline);
  y += ui.px(8);
  draw_facts(scene, facts, {area.x, y, area.w, below}, fact);
  return y + below - ui.px(18);
}

}  // namespace attnscope

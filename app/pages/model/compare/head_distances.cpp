// app/pages/model: the distance of every head to the same head of B, as a map and as a list.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/model_compare/tables.hpp"

namespace attnscope {
namespace {

std::string distance_in_map(double value) {
  if (value == 0) return "0";
  return std::abs(value) < 0.005 ? tight(value) : in_cell(value);
}
std::string change_in_map(double value) {
  if (value == 0) return "0";
  return (value > 0 ? "+" : "") + distance_in_map(value);
}

/// Numbers of the heads of one attention of A, layer after layer.
struct DistanceColumns {
  explicit DistanceColumns(const ComparedModels& compared) {
    const AttentionOf of = compared.attention.of;
    const ModelSpec& spec = compared.spec_a();
    for (int block = 0; block < blocks_in(spec, of); ++block)
      for (int head = 0; head < heads_in(spec, of, block); ++head) {
        heads.push_back({block, head});
        const HeadDifference* const found = compared.difference.head(of, block, head);
        distance.push_back(found != nullptr ? found->distance : NAN);
        largest.push_back(found != nullptr ? static_cast<double>(found->largest) : NAN);
      }
  }
  std::vector<HeadPlace> heads;
  std::vector<double> distance, largest;
};

/// One row for each head of the list.
std::vector<ComparedHead> rows_of(const ComparedModels& compared, const std::vector<HeadPlace>& heads) {
  std::vector<ComparedHead> rows;
  for (const HeadPlace& head : heads) rows.push_back({compared.attention.of, head.block, head.head});
  return rows;
}

HeadTip distance_tip_of(const ComparedModels& compared, const HeadPlace& place) {
  const AttentionOf of = compared.attention.of;
  const ModelHead head{of, place.block, place.head};
  HeadTip tip{.title = "head " + head_name(compared.spec_a(), head), .numbers = "not known yet", .why = {}};
  const int layer = place.block + compared.difference.asked.shift;
  if (compared.difference.asked.shift != 0)
    tip.title += "  ·  held " + head_name(compared.spec_b(), {of, layer, place.head});
  const HeadDifference* const found = compared.difference.head(of, place.block, place.head);
  if (found == nullptr) {
    const auto& known = compared.attention.layers[static_cast<std::size_t>(place.block)];
    if (known) tip.numbers = "what is held has no such head";
    return tip;
  }
  tip.numbers =
      "distance " + distance_words(found->distance) + "   uniform " + distance_words(found->uniform);
  if (found->largest != 0)
    tip.numbers += "   largest " + change_words(static_cast<double>(found->largest)) + " at " +
                   row_word(compared.a(), of, found->query) + " → " + key_word(compared.a(), of, found->key);
  tip.why = "Uniform is the baseline: the distance of this head to uniform attention.";
  return tip;
}

std::string distances_note(const Scene& scene, const ComparedModels& compared) {
  const std::string note = model_state_of(scene.view).compare.measure == HeadDistance::Largest
                               ? "largest change of a weight, now − held"
                               : "total variation distance, now to held";
  // Left-out tokens come first, as the end may be cut.
  if (const std::string words = match_words(compared.attention.queries); !words.empty())
    return "compared: " + inner(words) + "  ·  " + note;
  if (compared.attention.queries.kind == TokenMatch::Kind::Position) return note + "  ·  tokens by position";
  return scene.compact ? note : note + "  ·  rows are layers";
}

void draw_comparison_progress(Scene& scene, const Box& list) {
  const HeldModel& held = *scene.held_model;
  switch (draw_progress_row(scene.ui, {list.x, list.bottom() - scene.ui.px(28), list.w, scene.ui.px(28)},
                            {"comparison", held.difference->known, held.difference->count, held.is_busy})) {
    case ProgressPress::Cancel: scene.requests.cancel_difference = true; break;
    case ProgressPress::GoOn: scene.requests.resume_difference = true; break;
    case ProgressPress::None: break;
  }
}

}  // namespace

void draw_head_distances(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  CompareHeadsState& state = model_state_of(scene.view).compare;
  const std::optional<ComparedModels> compared = compared_models(scene);
  if (!compared) {
    const Box area = begin_screen_region(scene, region, "Compare", {}, nullptr, nullptr);
    ui.paragraph(area.x, area.y + ui.px(8), std::min(area.w, ui.px(640)), why_not_compared(scene),
                 {type::label, ui.theme.text2});
    return;
  }
  const DistanceColumns numbers(*compared);
  const bool is_largest = state.measure == HeadDistance::Largest;
  const std::vector<double>& values = is_largest ? numbers.largest : numbers.distance;
  ColourScale scale = centred_scale(ui, values);
  if (!is_largest) scale = {.map = ui.theme.weights, .low = 0, .high = scale.high};
  const Box area = begin_screen_region(scene, region, "Compare", distances_note(scene, *compared), &scale,
                                       is_largest ? change_words : distance_words);
  const Box list = list_part(scene, area);
  const float gap = list.w > 0 ? ui.px(scene.compact ? 16 : 28) : 0;
  const AttentionOf of = compared->attention.of;
  draw_head_map_of(scene, {area.x, area.y, list.x - area.x - gap, area.h},
                   {.label = "Compared heads",
                    .heads = numbers.heads,
                    .values = values,
                    .scale = scale,
                    .written = is_largest ? change_in_map : distance_in_map,
                    .tip = [&](std::size_t i) { return distance_tip_of(*compared, numbers.heads[i]); },
                    .of = of});
  if (list.w <= 0) return;
  const bool is_whole = compared->difference.is_complete;
  const float below = is_whole ? 0 : ui.px(36);
  draw_head_list(scene, {list.x, list.y, list.w, list.h - below},
                 {.label = "distance of",
                  .heads = numbers.heads,
                  .table = compared_heads_table(compared->difference, rows_of(*compared, numbers.heads)),
                  .colour =
                      [&](std::size_t i) {
                        return std::isnan(values[i]) ? ui.theme.hatch_ground
                                                     : colour_of(scale, static_cast<float>(values[i]));
                      },
                  .of = of},
                 state.order);
  if (!is_whole) draw_comparison_progress(scene, list);
}

}  // namespace attnscope

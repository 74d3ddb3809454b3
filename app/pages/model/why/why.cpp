#include "app/pages/model/why/why.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/cell_facts.hpp"
#include "core/models/run_heads.hpp"

namespace attnscope {
namespace {

/// The words without the space that many tokens begin with.
std::string trimmed(const std::string& words) {
  const std::string text = plain(words);
  const std::size_t begin = text.find_first_not_of(' ');
  return own(begin == text.npos ? text : text.substr(begin));
}

std::string token_words(const Sequence& rows, std::int64_t row) {
  return row >= 0 && row < std::ssize(rows.tokens) ? trimmed(rows.tokens[static_cast<std::size_t>(row)].text)
                                                   : std::to_string(row);
}

/// The lines from a score to its weight.
class WhyLadder {
 public:
  WhyLadder(Scene& scene, const WhyReading* why, const Box& region)
      : scene_(scene), ui_(scene.ui), why_(why), pad_(region_pad(scene)), region_(region) {}

  static float height(const Scene& scene) { return scene.ui.px(scene.compact ? 148 : 184); }

  void draw() {
    top_ = region_.y;
    line_ = ui_.px(scene_.compact ? 20 : 25);
    std::optional<CellFacts> facts;
    const bool is_without = shown_run(scene_) != scene_.model->run;
    if (is_layer_on_screen(scene_) && !is_without) facts = facts_of(scene_, chosen_place(scene_));
    draw_weight(facts);
    const float left = region_.x + pad_, width = region_.w - 2 * pad_;
    ui_.horizontal(left, top_, width, ui_.theme.hairline);
    top_ += ui_.px(4);
    if (why_ != nullptr && why_->score_problem.empty()) draw_score();
    if (facts && !facts->masked) draw_softmax(*facts);
  }

 private:
  void draw_weight(const std::optional<CellFacts>& facts) {
    const float y = top_ + ui_.px(scene_.compact ? 14 : 20);
    const WhyState& split = model_state_of(scene_.view).split;
    if (facts)
      ui_.text(region_.x + pad_, y, in_full(shown_weight(*facts)),
               {scene_.compact ? type::title : type::readout * 0.85f, ui_.theme.text1, Ink::Semibold});
    const std::string to =
        why_ != nullptr ? split.key : key_label(scene_.result, scene_.sequence(), scene_.selection.cell.key);
    const std::string from = why_ != nullptr
                                 ? split.query
                                 : query_label(scene_.result, scene_.sequence(), scene_.selection.cell.query);
    float right = region_.right() - pad_;
    right -= chip(right, y, to, ui_.theme.key) + ui_.px(6);
    right -= ui_.text(right, y, "→", {type::label, ui_.theme.text2, Ink::Regular, Align::Right}) + ui_.px(6);
    chip(right, y, from, ui_.theme.query);
    top_ += ui_.px(scene_.compact ? 28 : 42);
  }

  /// The weight that map and strip show: for a zeroed head, which mixes nothing, the one that it computes.
  double shown_weight(const CellFacts& facts) const {
    return is_head_out(scene_.result.document, facts.h) ? facts.own : facts.weight;
  }

  float chip(float right, float y, const std::string& text, Rgba hue) const {
    const float wide = std::min(ui_.px(80), ui_.text_width(text, type::label, Ink::Medium) + ui_.px(20));
    const Box box{right - wide, std::round(y - ui_.px(11)), wide, ui_.px(22)};
    ui_.fill(box, fade(hue, 0.25f), ui_.px(4));
    ui_.text(box.centre_x(), y, text, {type::label, hue, Ink::Medium, Align::Centre, wide - ui_.px(10)});
    return wide;
  }

  void row(std::string_view name, const std::string& how, const std::string& value, bool accent = false) {
    if (top_ + line_ > region_.bottom()) return;
    const Box box{region_.x + pad_ - ui_.px(6), top_, region_.w - 2 * pad_ + ui_.px(12), line_};
    if (accent) {
      ui_.fill(box, ui_.theme.raised, ui_.px(3));
      ui_.fill({box.x, box.y, ui_.px(2), box.h}, ui_.theme.query);
    }
    const float y = box.centre_y(), name_width = ui_.px(scene_.compact ? 84 : 112);
    ui_.text(region_.x + pad_, y, name,
             {type::label, accent ? ui_.theme.text1 : ui_.theme.text2, Ink::Regular, Align::Left,
              name_width - ui_.px(4)});
    const float right = region_.right() - pad_;
    const float width =
        ui_.text(right, y, value,
                 {type::label, accent ? ui_.theme.query : ui_.theme.text1, Ink::Medium, Align::Right});
    const float left = region_.x + pad_ + name_width;
    ui_.text(left, y, how,
             {type::label, ui_.theme.text3, Ink::Regular, Align::Left, right - width - left - ui_.px(8)});
    top_ += line_;
  }

  void draw_score() {
    const ScoreSplit& score = why_->score;
    const double square = score.scale > 0 ? 1 / (score.scale * score.scale) : 0;
    const bool is_root = square > 0 && std::abs(square - std::round(square)) < 1e-3 * square;
    const std::string how = score.scale == 1 ? "q · k"
                            : is_root        ? "q · k / √" + fixed(square, 0)
                                             : "q · k × " + fixed(score.scale, 4);
    const bool over_mean = why_->asked.score.over_mean;
    row("score", how, fixed(score.raw, 3), !over_mean);
    row("row mean", "of " + counted(score.allowed, "key", "keys"), fixed(score.mean, 3));
    row("over the mean", over_mean ? "split at right" : "", fixed(score.raw - score.mean, 3), over_mean);
  }

  /// The steps from score to weight in this layer; lines of absent steps are left out.
  void draw_softmax(const CellFacts& facts) {
    const LayerSpec& layer = scene_.result.document.layer();
    if (layer.linear) return row("weight", "linear attention", in_full(facts.own));
    if (std::abs(facts.capped - facts.scaled) > 1e-9) row("soft-capped", "", fixed(facts.capped, 3));
    if (facts.has_bias) row("with bias", fixed(facts.bias, 3), fixed(facts.hidden, 3));
    const double tau = static_cast<double>(layer.temperature);
    const int places = scene_.compact ? 2 : 3;
    if (layer.softmax == SoftmaxKind::Naive) {
      if (tau != 1) row("divided", "x / " + fixed(tau, 2), fixed(facts.shifted, 3));
    } else {
      row("shifted",
          tau == 1 ? "− max " + fixed(facts.largest, 3)
                   : "(− max " + fixed(facts.largest, 2) + ") / " + fixed(tau, 2),
          fixed(facts.shifted, 3));
    }
    row("weight",
        (facts.overflows ? "∞" : "exp(" + fixed(facts.shifted, places) + ")") + " / " +
            fixed(facts.sum, places),
        in_full(facts.softmax));
  }

  Scene& scene_;
  const Ui& ui_;
  const WhyReading* why_;
  float pad_;
  Box region_;
  float top_ = 0, line_ = 0;
};

}  // namespace

const WhyReading* shown_why(Scene& scene) {
  WhyState& split = model_state_of(scene.view).split;
  const ModelReading& reading = *scene.model;
  if (reading.why && reading.why != split.shown) {
    split.shown = reading.why;
    split.of = reading.within.model;
    split.groups.reset();
    const WhyReading& why = *split.shown;
    split.query = token_words(reading.tokens->queries_of(why.asked.score.of), why.asked.score.query);
    split.key = token_words(reading.tokens->keys_of(why.asked.score.of), why.asked.score.key);
    split.token_name = why.token >= 0 ? trimmed(predicted_name(reading, why.token)) : std::string();
    split.minus_name = why.asked.minus ? trimmed(predicted_name(reading, *why.asked.minus)) : std::string();
  }
  if (shown_run(scene) != reading.run) return nullptr;  // splits are of the changed model
  return split.of == reading.within.model ? split.shown.get() : nullptr;
}

std::shared_ptr<const WhyGroups> why_groups(WhyState& state) {
  if (state.groups && state.groups->query_parts == state.query_parts &&
      state.groups->key_parts == state.key_parts)
    return state.groups;
  const ScoreSplit& split = state.shown->score;
  const auto made = std::make_shared<WhyGroups>();
  made->query_parts = state.query_parts;
  made->key_parts = state.key_parts;
  made->by_key = key_sums(split);
  made->queries =
      group_parts(split.query_parts, query_sums(split), static_cast<std::size_t>(state.query_parts));
  made->keys = group_parts(split.key_parts, made->by_key, static_cast<std::size_t>(state.key_parts));
  made->cells = grouped_cells(split, made->queries, made->keys);
  return state.groups = made;
}

std::string_view no_why(const Scene& scene) {
  if (shown_run(scene) != scene.model->run) return "Of the model without its changes nothing is split.";
  return "Computing.";
}

PartName part_name(const std::vector<StreamPart>& parts, const PartGroup& group) {
  switch (group.kind) {
    case PartGroup::Kind::Heads: return {"other", "heads"};
    case PartGroup::Kind::Mlps: return {"other", "MLPs"};
    case PartGroup::Kind::Rest: return {"rest", ""};
    case PartGroup::Kind::Single: break;
  }
  const StreamPart& part = parts[group.members.front()];
  using enum StreamPart::Kind;
  switch (part.kind) {
    case Embedding: return {"embed", ""};
    case Mlp: return {"MLP", std::to_string(part.block)};
    case Head: return {"head", own(std::to_string(part.block) + "." + std::to_string(part.head))};
    case CrossHead: return {"cross", own(std::to_string(part.block) + "." + std::to_string(part.head))};
    case Position: return {"position", ""};
    case AttentionBias:
    case CrossBias: return {"bias", std::to_string(part.block)};
    case Centring: return {"centring", ""};
    case NormBias: return {"norm bias", ""};
    case Bias: return {"bias", ""};
  }
  return {name_of(part), ""};
}

std::optional<ModelHead> head_of(AttentionOf of, const std::vector<StreamPart>& parts,
                                 const PartGroup& group) {
  if (group.kind != PartGroup::Kind::Single) return std::nullopt;
  const StreamPart& part = parts[group.members.front()];
  if (part.kind == StreamPart::Kind::Head) return ModelHead{of, part.block, part.head};
  if (part.kind == StreamPart::Kind::CrossHead) return ModelHead{AttentionOf::Cross, part.block, part.head};
  return std::nullopt;
}

bool begin_why(Scene& scene, const Box& region, const WhyRegion& what) {
  const Ui& ui = scene.ui;
  ui.fill(region, what.ground);
  ui.vertical(region.x, region.y, region.h, ui.theme.hairline);
  const float pad = region_pad(scene);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, region.h};
  draw_region_title(ui, line, what.title, what.note, line.right());
  if (what.problem.empty()) return true;
  ui.paragraph(line.x, line.y + title_height(ui) + ui.px(8), line.w, what.problem,
               {type::label, ui.theme.text2});
  return false;
}

void draw_link_marks(const Ui& ui, const Ui::Touch& touch, const Box& box, bool is_link) {
  if (is_link && touch.hovered) ui.fill(box, ui.theme.control_hover, ui.px(4));
  if (is_link && touch.focused) ui.frame(box, ui.theme.query, ui.px(2), ui.px(4));
}

bool step_why_part(Scene& scene, std::int64_t down, std::int64_t right) {
  WhyState& split = model_state_of(scene.view).split;
  const bool is_shown =
      scene.view.mode == Mode::Model && model_state_of(scene.view).screen == ModelScreen::Why;
  if (!is_shown || scene.model == nullptr || split.rows == 0 || split.columns == 0) return false;
  if (!split.mark) {
    split.mark = WhyState::Mark{};
    return true;
  }
  split.mark->query = std::clamp<std::int64_t>(split.mark->query + down, 0, split.rows - 1);
  split.mark->key = std::clamp<std::int64_t>(split.mark->key + right, 0, split.columns - 1);
  return true;
}

void go_to_marked_part(Scene& scene) {
  const WhyState& split = model_state_of(scene.view).split;
  const bool is_shown = scene.model != nullptr && model_state_of(scene.view).screen == ModelScreen::Why;
  if (!is_shown || !split.mark || !split.marked_head)
    return scene.view.notices.say(
        "No part of a score is marked that is a head: the arrows step through them in \"Why did it look "
        "there?\".");
  go_to_head(scene, *split.marked_head, split.marked_row);
}

std::string signed_number(double value) {
  const std::string number = fixed(std::abs(value), std::abs(value) < 100 ? 2 : 0);
  return (value < 0 && number != "0.00" ? "−" : "+") + number;
}

Rgba colour_of_share(const Ui& ui, double value) {
  const ColourScale scale{.map = ui.theme.scores, .low = -1, .high = 1, .zero_centred = true};
  return colour_of(scale, value < 0 ? -0.62f : 0.62f);
}

void draw_why_ladder(Scene& scene, const WhyReading* why, const Box& region) {
  WhyLadder(scene, why, region).draw();
}

void draw_model_why(Scene& scene, const ModelRegions& regions) {
  const Ui& ui = scene.ui;
  const WhyReading* const why = shown_why(scene);
  model_state_of(scene.view).hovered.reset();
  const float all = regions.grid.w + regions.head.w;
  const float left = std::min(ui.px(scene.compact ? 260 : 340), std::floor(all * 0.3f));
  const float right = regions.head.w >= ui.px(120) ? regions.head.w : 0;
  const Box map{regions.grid.x, regions.grid.y, left, regions.grid.h};
  const Box table{map.right(), map.y, all - left - right, map.h};
  const float ladder = std::min(WhyLadder::height(scene), map.h);
  draw_model_head_map(scene, {map.x, map.y, map.w, map.h - ladder});
  ui.fill({map.x, map.bottom() - ladder, map.w, ladder}, ui.theme.panel);
  draw_why_ladder(scene, why, {map.x, map.bottom() - ladder, map.w, ladder});
  draw_why_table(scene, why, table);
  if (right > 0) draw_why_logit(scene, why, {table.right(), map.y, right, map.h});
}

}  // namespace attnscope

#include "app/pages/model/atlas/patching.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/atlas/parts.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/atlas/tables.hpp"
#include "core/models/opened/text_pairs.hpp"
#include "core/readouts/patching.hpp"

namespace attnscope {
namespace {

const PatchingReading& patching_of(const Scene& scene) { return *scene.model->patching; }

HeadTip patching_tip(const ModelReading& reading, const PatchedShares& shares, std::size_t index) {
  const PatchingReading& patching = *reading.patching;
  const ModelSpec& spec = reading.within.model->model->spec;
  HeadTip tip{.title = "head " + head_name(spec, model_head(spec, patching.heads[index])),
              .numbers = {},
              .why = "The corrupted text is run with what this head gave in the clean one, in all rows."};
  if (!std::isnan(shares.exact[index]))
    tip.numbers =
        "brings back " + with_sign(shares.exact[index]) + ", logits " + with_sign(patching.whole[index]);
  if (index < shares.estimated.size())
    tip.numbers = (tip.numbers.empty() ? std::string() : tip.numbers + "   ") + "estimate " +
                  with_sign(shares.estimated[index]);
  if (tip.numbers.empty()) tip.numbers = "not known yet";
  return tip;
}

/// The heads with the largest shares, one row each, position by position.
class PatchedRows {
 public:
  PatchedRows(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        reading_(*scene.model),
        patching_(*reading_.patching),
        spec_(reading_.within.model->model->spec),
        shares_(shares_of(patching_)),
        order_(largest_first(shares_)) {
    const float pad = region_pad(scene), label = ui_.px(84), sum = ui_.px(64), names = ui_.px(38);
    const float top = region.y + title_height(ui_) + names;
    area_ = {region.x + pad + label, top, region.w - 2 * pad - label - sum,
             region.bottom() - top - ui_.px(10)};
    const auto room = static_cast<std::int64_t>(area_.h / ui_.px(16));
    rows_ = std::min<std::int64_t>(std::max<std::int64_t>(room, 0), std::ssize(order_));
    if (rows_ == 0 || patching_.rows == 0) return;
    const float high = std::min(std::floor(area_.h / static_cast<float>(rows_)), ui_.px(26));
    const float wide = std::min(area_.w / static_cast<float>(patching_.rows), ui_.px(72));
    map_ = {area_.x, area_.y, wide >= 6 ? std::floor(wide) * static_cast<float>(patching_.rows) : area_.w,
            high * static_cast<float>(rows_)};
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t row = 0; row < patching_.rows; ++row) {
        const double share = share_at(i, row);
        if (std::isfinite(share)) most_ = std::max(most_, std::abs(share));
      }
  }

  double most() const { return most_; }

  void draw() {
    if (map_.w < ui_.px(40) || map_.h < ui_.px(14)) return;
    const auto most = static_cast<float>(most_);
    scale_ = {.map = ui_.theme.scores, .low = -most, .high = most, .zero_centred = true};
    draw_map();
    draw_tokens(reading_.tokens->queries_of(output_attention(spec_)), map_.y - ui_.px(26), false);
    draw_tokens(patching_.corrupted->queries_of(output_attention(spec_)), map_.y - ui_.px(10), true);
    for (std::int64_t i = 0; i < rows_; ++i) draw_row(i);
    take_mouse();
  }

 private:
  std::size_t head_at(std::int64_t i) const { return order_[static_cast<std::size_t>(i)]; }
  double share_at(std::int64_t i, std::int64_t row) const {
    return patching_.recovered(patching_.at(head_at(i), row));
  }

  /// Whether the position is at or behind the first token that differs, and its share is known.
  bool is_open(std::int64_t i, std::int64_t row) const {
    return row >= patching_.first_row && std::isfinite(share_at(i, row));
  }

  void draw_map() {
    std::uint64_t content = mix_hash(mix_hash(reading_.ticket, reading_.refinement), scale_.high);
    for (const float number : {map_.w, map_.h, static_cast<float>(rows_), static_cast<float>(ui_.theme.name)})
      content = mix_hash(content, number);
    ui_.matrix("patched rows", content, map_, [&](const Ui::UseJob& use) {
      Tensor values(Shape{rows_, patching_.rows});
      for (std::int64_t i = 0; i < rows_; ++i)
        for (std::int64_t row = 0; row < patching_.rows; ++row) {
          const double share = share_at(i, row);
          values.matrix()(i, row) = std::isfinite(share) ? static_cast<float>(share) : 0;
        }
      RasterJob job = whole_matrix(ui_, std::as_const(values).matrix(), colormap(scale_.map), map_);
      job.low = scale_.low;
      job.high = scale_.high;
      job.row_kinds = [&](std::int64_t i, std::span<CellKind> kinds) {
        for (std::size_t row = 0; row < kinds.size(); ++row)
          kinds[row] = is_open(i, static_cast<std::int64_t>(row)) ? CellKind::Number : CellKind::Masked;
      };
      use(job);
    });
  }

  Box cell(std::int64_t i, std::int64_t row) const { return cell_box(map_, i, row, rows_, patching_.rows); }

  /// Token names above the columns, as many as fit; for the corrupted text those that differ.
  void draw_tokens(const Sequence& tokens, float y, bool corrupted) {
    const Sequence& clean = reading_.tokens->queries_of(output_attention(spec_));
    const std::string_view name = corrupted ? "corrupted" : "clean";
    const Rgba colour = corrupted ? ui_.theme.key : ui_.theme.text2;
    ui_.text(map_.x - ui_.px(8), y, name, {type::tick, colour, Ink::Regular, Align::Right});
    float end = -1e9f;
    for (std::int64_t row = 0; row < std::min<std::int64_t>(patching_.rows, std::ssize(tokens.tokens));
         ++row) {
      const auto at = static_cast<std::size_t>(row);
      if (corrupted && at < clean.tokens.size() && clean.tokens[at].id == tokens.tokens[at].id) continue;
      const Box column = cell(0, row);
      const float room = std::max(column.w, ui_.px(34)) - ui_.px(4);
      const std::string words = own(tokens.tokens[at].text);
      const float width = std::min(room, ui_.text_width(words, type::tick));
      if (column.centre_x() - width / 2 < end) continue;
      end = column.centre_x() + width / 2 + ui_.px(4);
      ui_.text(column.centre_x(), y, words,
               {type::tick,
                corrupted              ? ui_.theme.key
                : row == patching_.row ? ui_.theme.query
                                       : ui_.theme.text2,
                Ink::Regular, Align::Centre, room});
    }
  }

  void draw_row(std::int64_t i) {
    const ModelHead head = model_head(spec_, patching_.heads[head_at(i)]);
    const Box first = cell(i, 0);
    const float y = first.centre_y();
    const bool chosen = head == chosen_head(scene_);
    ui_.text(map_.x - ui_.px(8), y, head_name(spec_, head),
             {type::tick, chosen ? ui_.theme.query : ui_.theme.text1, chosen ? Ink::Semibold : Ink::Regular,
              Align::Right, ui_.px(76)});
    const double share = shares_.shown[head_at(i)];
    if (!std::isnan(share))
      ui_.text(map_.right() + ui_.px(54), y, with_sign(share),
               {type::tick, ui_.theme.text1, Ink::Medium, Align::Right});
    if (first.w < ui_.px(28) || first.h < ui_.px(14)) return;
    for (std::int64_t row = 0; row < patching_.rows; ++row) {
      const double value = share_at(i, row);
      if (!std::isfinite(value) || std::abs(value) < 0.005) continue;
      const Box box = cell(i, row);
      ui_.text(
          box.centre_x(), box.centre_y(), in_cell(value),
          {type::tick, ink_on(colour_of(scale_, static_cast<float>(value))), Ink::Regular, Align::Centre});
    }
  }

  void take_mouse() {
    const Ui::Touch touch = ui_.touch("Patched positions", map_);
    if (touch.focused) ui_.frame(map_.grown(ui_.px(3)), ui_.theme.query, ui_.px(2), ui_.px(4));
    if (!touch.pointed && !touch.clicked) return;
    const Cell at = cell_at(map_, ImGui::GetIO().MousePos, rows_, patching_.rows);
    const ModelHead head = model_head(spec_, patching_.heads[head_at(at.query)]);
    const auto name_in = [&](const Sequence& tokens) {
      const auto row = static_cast<std::size_t>(at.key);
      return row < tokens.tokens.size() ? own(tokens.tokens[row].text) : std::to_string(at.key);
    };
    const AttentionOf of = output_attention(spec_);
    const std::string clean = name_in(reading_.tokens->queries_of(of)),
                      corrupted = name_in(patching_.corrupted->queries_of(of));
    std::string title = "head " + head_name(spec_, head) + "  ·  at “" + clean + "”";
    if (plain(clean) != plain(corrupted)) title += "  ·  corrupted “" + corrupted + "”";
    const double share = share_at(at.query, at.key);
    const std::string number = std::isfinite(share) ? "brings back " + with_sign(share) : "not known yet";
    const std::string_view why =
        at.key < patching_.first_row
            ? std::string_view("Both texts are the same up to here: there is nothing to bring back.")
            : std::string_view(
                  "The corrupted text with what this head gave at this position of the clean one.");
    point_at_head(scene_, head);
    ui_.frame(cell(at.query, at.key), ui_.theme.text1, std::max(1.f, ui_.px(1)));
    tooltip(ui_, touch.hovered, cell(at.query, at.key), {title, number, why, {}}, Clear::OfRowAndColumn);
    if (touch.clicked) click_on_head(scene_, head);
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const PatchingReading& patching_;
  const ModelSpec& spec_;
  PatchedShares shares_;
  std::vector<std::size_t> order_;
  Box area_, map_;
  std::int64_t rows_ = 0;
  double most_ = 1e-6;
  ColourScale scale_;
};

}  // namespace

PatchedShares shares_of(const PatchingReading& patching) {
  PatchedShares shares;
  for (const double effect : patching.whole) shares.exact.push_back(patching.recovered(effect));
  for (const double effect : patching.estimates) shares.estimated.push_back(patching.recovered(effect));
  for (std::size_t i = 0; i < shares.exact.size(); ++i) {
    const bool open = std::isnan(shares.exact[i]) && i < shares.estimated.size();
    shares.shown.push_back(open ? shares.estimated[i] : shares.exact[i]);
    shares.is_estimate.push_back(open);
  }
  return shares;
}

std::vector<std::size_t> largest_first(const PatchedShares& shares) {
  std::vector<std::size_t> order(shares.shown.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t i) {
    return std::isnan(shares.shown[i]) ? -1.0 : std::abs(shares.shown[i]);
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  return order;
}

std::string why_not_patched(const Scene& scene) {
  const PatchingState& state = model_state_of(scene.view).patching;
  const ModelReading& reading = *scene.model;
  if (!reading.within.model->tokenizer) return "Pairs are of texts; this model reads pictures.";
  if (!reading.prediction || reading.prediction->row < 0)
    return "There is no prediction here whose answer could be brought back.";
  if (state.corrupted.empty()) return "Type a corrupted text at the left: as many tokens, another answer.";
  if (state.corrupted == reading.within.input.text)
    return "Both texts are the same; change a word of the corrupted one.";
  if (!reading.patching) return "Computing.";
  if (!reading.patching->problem.empty()) return reading.patching->problem;
  if (reading.patching->heads.empty() || reading.patching->whole.empty()) return "Computing.";
  if (std::abs(reading.patching->clean_answer - reading.patching->corrupted_answer) < least_answer_difference)
    return "Both texts give the same answer, so there is nothing to bring back.";
  return {};
}

void suggest_corrupted(PatchingState& state, const OpenedModel& opened, const ModelText& clean) {
  PatchingState::Suggested& suggested = state.suggested;
  if (suggested.clean != clean.text) {  // the answers belong to another text
    if (state.answer == suggested.answer) state.answer.clear();
    if (state.other == suggested.other) state.other.clear();
    suggested.answer = suggested.other = "";
  }
  state.corrupted = corrupted_like(opened, clean);
  suggested.clean = clean.text;
  suggested.corrupted = state.corrupted;
  state.is_running = true;
}

void begin_patching(Scene& scene) {
  PatchingState& state = model_state_of(scene.view).patching;
  const ModelContext& within = scene.model->within;
  const ModelContext& newest = scene.document.within.read();
  // While the user types, the reading is of an earlier text: suggest only for the text that was read.
  if (within.model == newest.model && within.input.text == newest.input.text) {
    const bool is_other_model = std::exchange(state.begun, within.model) != within.model;
    const bool is_other_text = state.suggested.clean != within.input.text;
    const bool is_due = state.corrupted.empty()
                            ? is_other_model || is_other_text
                            : is_other_text && state.corrupted == state.suggested.corrupted;
    if (is_due) suggest_corrupted(state, *within.model, within.input);
    // The user stopped the patching of the previous text, not of this one.
    if (std::exchange(state.clean, within.input.text) != within.input.text) state.is_running = true;
  }
  for (std::size_t i = 0; i < state.answers.size(); ++i) {
    const std::string& words = i == 0 ? state.answer : state.other;
    PatchingState::Answer& answer = state.answers[i];
    if (answer.of == within.model && answer.words == words) continue;
    answer = {within.model, words, {}, {}};
    if (words.empty()) continue;
    const AnswerToken found = answer_token(*within.model, words);
    answer.id = found.id;
    answer.problem = found.problem;
  }
}

void draw_patched_heads(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  PatchingState& state = model_state_of(scene.view).patching;
  if (const std::string why = why_not_patched(scene); !why.empty()) {
    const Box area = begin_screen_region(scene, region, "Activation patching", {}, nullptr, nullptr);
    ui.paragraph(area.x, area.y + ui.px(8), std::min(area.w, ui.px(640)), why, {type::label, ui.theme.text2});
    return;
  }
  const PatchingReading& patching = patching_of(scene);
  const PatchedShares shares = shares_of(patching);
  const ColourScale scale = centred_scale(ui, shares.shown);
  std::string note = "share of the clean answer brought back  ·  0 none, 1 all";
  if (std::ranges::count(shares.is_estimate, true) > 0) note += "  ·  with a corner: an estimate";
  const Box area = begin_screen_region(scene, region, "Activation patching", note, &scale, with_sign);
  const Box list = list_part(scene, area);
  const float gap = list.w > 0 ? ui.px(scene.compact ? 16 : 28) : 0;
  draw_head_map_of(scene, {area.x, area.y, list.x - area.x - gap, area.h},
                   {.label = "Patched heads",
                    .heads = patching.heads,
                    .values = shares.shown,
                    .is_estimate = shares.is_estimate,
                    .scale = scale,
                    .written = with_sign_in_cell,
                    .tip = [&](std::size_t i) { return patching_tip(*scene.model, shares, i); }});
  if (list.w <= 0) return;
  const std::int64_t all = std::ssize(patching.whole) + std::ssize(patching.cells);
  const float below = patching.known < all ? ui.px(36) : 0;
  const HeadList rows{.label = "patching of",
                      .heads = patching.heads,
                      .table = patched_heads_table(*scene.model),
                      .colour = [&](std::size_t i) {
                        return std::isnan(shares.shown[i])
                                   ? ui.theme.hatch_ground
                                   : colour_of(scale, static_cast<float>(shares.shown[i]));
                      }};
  draw_head_list(scene, {list.x, list.y, list.w, list.h - below}, rows, state.order);
  if (below == 0) return;
  const bool is_stopped = scene.model->is_stopped;  // in the status line, with all that was to come
  switch (draw_progress_row(ui, {list.x, list.bottom() - ui.px(28), list.w, ui.px(28)},
                            {"patching", patching.known, all, state.is_running && !is_stopped})) {
    case ProgressPress::Cancel: state.is_running = false; break;
    case ProgressPress::GoOn:
      state.is_running = true;
      scene.requests.resume_model = is_stopped;
      break;
    case ProgressPress::None: break;
  }
}

void draw_patched_rows(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.panel);
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const float pad = region_pad(scene);
  const Box line{region.x + pad, region.y, region.w - 2 * pad, title_height(ui)};
  if (!why_not_patched(scene).empty()) {
    draw_region_title(ui, line, "By position", {}, line.right());
    return;
  }
  PatchedRows rows(scene, region);
  const auto most = static_cast<float>(rows.most());
  const ColourScale scale{.map = ui.theme.scores, .low = -most, .high = most, .zero_centred = true};
  const float left = most == 0  // nothing is known yet
                         ? line.right() + ui.px(12)
                         : draw_small_ramp(ui, "position ramp", line.right(), line.y + ui.px(22), scale, most,
                                           with_sign(-rows.most()), with_sign(rows.most()), ui.px(72));
  draw_region_title(ui, line, "By position", "a head patched at one token alone; at the right in all rows",
                    left - ui.px(12));
  rows.draw();
}

}  // namespace attnscope

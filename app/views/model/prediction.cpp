// app/views/model: the model's prediction: the likeliest tokens before and after the changes inside it. A
// click appends one, or puts it in the place of the mask.
#include "core/readouts/text/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_words.hpp"
#include "app/results/listed_tokens.hpp"
#include "app/state/model_look.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/tokens/masking.hpp"
#include "core/edits/masking.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

std::string tenths_of_percent(double share) { return fixed(100 * share, 1); }

/// The title of the prediction, and the effects of clicks, also for a followed token.
struct Said {
  std::string_view title, click, followed;
};
Said said_by(const ModelSpec& spec) {
  switch (spec.head.kind) {
    case HeadKind::NextToken:
      return {"Next token", "A click appends it to the text. A right click keeps it in this list.",
              "A click appends it to the text. A right click lets it go."};
    case HeadKind::MaskedToken:
      return {"Masked word", "A click puts it in the place of the mask. A right click keeps it in this list.",
              "A click puts it in the place of the mask. A right click lets it go."};
    case HeadKind::TokenClass:
      return {spec.head.names_referents ? "Refers to" : "Class of the token", {}, {}};
    case HeadKind::SequenceClass: return {is_score(spec) ? "Score" : "Class", {}, {}};
    case HeadKind::AnswerSpan: return {"Answer", {}, {}};
    case HeadKind::None: break;
  }
  return {"Prediction", {}, {}};
}

/// Replaces the bytes of the predicted row's token in the text by the word.
void fill_mask(Scene& scene, std::int64_t row, std::int64_t id) {
  const ModelReading& reading = *scene.model;
  const OpenedModel& opened = *reading.within.model;
  const Sequence& rows = reading.tokens->queries_of(output_attention(opened.model->spec));
  if (row < 0 || row >= std::ssize(rows.tokens) || !opened.tokenizer) return;
  const Token& token = rows.tokens[static_cast<std::size_t>(row)];
  const std::string& text = scene.document.within.read().input.text;
  if (token.begin < 0 || token.end > std::ssize(text) || text != reading.within.input.text) return;
  std::string word = text_of_token(opened, id);
  if (const std::size_t begin = word.find_first_not_of(' '); begin != word.npos) word.erase(0, begin);
  std::string filled = text;
  filled.replace(static_cast<std::size_t>(token.begin), static_cast<std::size_t>(token.end - token.begin),
                 word);
  change_within(scene, [&](ModelContext within) { return edit::text(std::move(within), filled); });
}

/// The number of appended tokens that stay when another one follows this row: within the typed text all of
/// them.
std::int64_t appended_before(const ModelReading& reading, std::int64_t row) {
  const OpenedModel& opened = *reading.within.model;
  const auto rows = std::ssize(reading.tokens->queries_of(output_attention(opened.model->spec)).tokens);
  const auto appended = std::ssize(reading.within.input.continued);
  const std::int64_t before = row + 1 - (rows - appended);
  return before < 0 ? appended : before;
}

void choose(Scene& scene, std::int64_t row, std::int64_t id) {
  const ModelSpec& spec = scene.model->within.model->model->spec;
  if (spec.head.kind == HeadKind::NextToken) {
    const std::int64_t kept = appended_before(*scene.model, row);
    change_within(scene, [&](ModelContext within) {
      return edit::appended(edit::continued_up_to(std::move(within), kept), id);
    });
    model_look_of(scene.view).predicted_row.reset();
  } else if (spec.head.kind == HeadKind::MaskedToken) {
    fill_mask(scene, row, id);
  }
}

/// The divergences of the changes, each alone, with their sum; empty until all are known.
std::string alone_words(const ModelReading& reading) {
  if (!reading.alone || reading.alone->divergences.size() < 2) return {};
  for (const double one : reading.alone->divergences)
    if (std::isnan(one)) return {};
  return "alone: " + own_number(sum_in_words(reading.alone->divergences, 4));
}

/// The region of one frame.
class Prediction {
 public:
  Prediction(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        reading_(*scene.model),
        spec_(reading_.within.model->model->spec),
        said_(said_by(spec_)),
        pad_(region_pad(scene)),
        line_{region.x + pad_, region.y, region.w - 2 * pad_, region.h} {
    ui_.fill(region, ui_.theme.panel);
    ui_.vertical(region.x, region.y, region.h, ui_.theme.hairline);
    ui_.horizontal(region.x, region.y, region.w, ui_.theme.hairline);
  }

  void draw() {
    const bool is_there =
        reading_.prediction && reading_.prediction->row >= 0 && !reading_.prediction->after.empty();
    const bool is_without = is_there && shown_run(scene_) != reading_.run;
    if (reading_.prediction)
      prediction_ = is_without ? without_changes(*reading_.prediction) : both_sides(*reading_.prediction);
    const PredictionSides* const prediction = prediction_ ? &*prediction_ : nullptr;
    changed_ = is_there && !is_without && !reading_.within.changes.empty();
    make_columns();
    draw_title(prediction);
    if (!is_there) return draw_nothing();
    masked_ = masked_token(reading_.within, *reading_.tokens, prediction->row);
    const ModelLook& state = model_look_of(scene_.view);
    kept_ = {masked_, state.token_in(reading_.within.model->fingerprint, state.followed)};
    all_ = listed_tokens(*prediction, kept_);
    table_.rows = all_.size();
    const float top = line_.y + title_height(ui_) + ui_.px(scene_.compact ? -4 : 2);
    const float effect = changed_ && !is_score(spec_) ? ui_.px(scene_.compact ? 34 : 60) : 0;
    const float word = masked_ && !(changed_ && scene_.compact) ? ui_.px(40) : 0;
    const float below = std::max(ui_.px(8), effect + word);
    const float room = line_.bottom() - below - top;
    const std::size_t rows =
        std::min(all_.size(), static_cast<std::size_t>(std::max(0.f, room / ui_.px(24))));
    if (all_.empty() && !reading_.not_finite.empty())
      ui_.paragraph(line_.x, top, line_.w, reading_.not_finite, {type::label, ui_.theme.nan});
    if (rows == 0) return;
    keep_visible(rows);
    const float height = std::min(ui_.px(32), std::floor(room / static_cast<float>(rows)));
    for (std::size_t i = 0; i < rows; ++i)
      draw_row(i, {line_.x, top + static_cast<float>(i) * height, line_.w, height}, prediction->row);
    if (word > 0) draw_masked({line_.x, line_.bottom() - effect - word, line_.w, word}, prediction->row);
    if (effect > 0) draw_divergence(*prediction, effect);
    const Box heads{line_.x, line_.y + ui_.px(8), line_.w, top - line_.y - ui_.px(8)};
    offer_copy(ui_, "prediction", heads, table_, scene_.requests.copy);
  }

 private:
  /// The columns of the list, for the screen and the clipboard.
  void make_columns() {
    table_.columns.push_back({.title = "token", .cell = [this](std::size_t row) -> TableCell {
                                return predicted_name(reading_, all_[row].id);
                              }});
    if (changed_)
      table_.columns.push_back({.title = "before", .cell = [this](std::size_t row) -> TableCell {
                                  return number_of(all_[row].before, prediction_->before);
                                }});
    const bool score = is_score(spec_);
    table_.columns.push_back({.title = !changed_ ? score ? "logit" : "%"
                                       : score   ? "after"
                                                 : "after %",
                              .cell = [this](std::size_t row) -> TableCell {
                                return number_of(all_[row].after, prediction_->after);
                              }});
  }

  /// A share in tenths of a percent; a score unchanged.
  std::string number_of(double share, std::span<const float> logits) const {
    return is_score(spec_) ? fixed(static_cast<double>(logits.front()), 3) : tenths_of_percent(share);
  }

  bool is_masked(const ListedToken& candidate) const { return candidate.id == masked_; }

  bool is_followed(const ListedToken& candidate) const { return candidate.id == kept_[1]; }

  /// If the list is cut, kept tokens are in its last rows.
  void keep_visible(std::size_t rows) {
    for (std::size_t i = rows; i < all_.size(); ++i) {
      if (!is_kept_token(kept_, all_[i])) continue;
      std::size_t to = rows;
      while (to > 0 && is_kept_token(kept_, all_[to - 1])) --to;
      if (to > 0) std::swap(all_[i], all_[to - 1]);
    }
  }

  void follow(const ListedToken& candidate) {
    ModelLook& state = model_look_of(scene_.view);
    state.choose_tokens_of(reading_.within.model->fingerprint);
    state.followed = is_followed(candidate) ? std::nullopt : std::optional(candidate.id);
  }

  /// The word that the mask replaced, and a button to restore it.
  void draw_masked(const Box& box, std::int64_t row) {
    ui_.horizontal(box.x, box.y + ui_.px(2), box.w, ui_.theme.hairline);
    const float y = std::round(box.centre_y() + ui_.px(1)), wide = ui_.px(84);
    const Box back{box.right() - wide, y - ui_.px(14), wide, ui_.px(28)};
    const std::string place = "rank " + grouped(rank_of(prediction_->after, *masked_));
    float x = box.x + ui_.text(box.x, y, "was", {type::label, ui_.theme.text3}) + ui_.px(8);
    const float room = back.x - ui_.px(12) - ui_.text_width(place, type::label) - ui_.px(10) - x;
    x += ui_.text(x, y, predicted_name(reading_, *masked_),
                  {type::label, ui_.theme.text1, Ink::Semibold, Align::Left, room}) +
         ui_.px(10);
    ui_.text(x, y, place, {type::label, ui_.theme.text2, Ink::Regular, Align::Left, back.x - ui_.px(8) - x});
    if (button(ui_, "Put back", back,
               {"Put the word back",
                {},
                "The word that was masked takes the place of the mask again.",
                "Shift+W"}))
      toggle_mask(scene_, row);
  }

  void draw_title(const PredictionSides* prediction) {
    const float y = line_.y + ui_.px(22);
    float right = line_.right();
    const auto head = [&](const TableColumn& column, Rgba colour, Ink ink) {
      return ui_.text(right, y, column.title, {type::tick, colour, ink, Align::Right});
    };
    if (changed_) {
      right -= head(table_.columns.back(), ui_.theme.query, Ink::Medium) + ui_.px(8);
      right -= head(table_.columns[1], ui_.theme.text2, Ink::Regular) + ui_.px(6);
      if (!scene_.compact)
        ui_.fill({right - ui_.px(8), y - ui_.px(4), ui_.px(8), ui_.px(8)}, ui_.theme.bar, ui_.px(2));
      right -= ui_.px(scene_.compact ? 8 : 20);
    } else {
      right -= head(table_.columns.back(), ui_.theme.text3, Ink::Regular) + ui_.px(12);
    }
    std::string note;
    const bool of_token = spec_.head.kind == HeadKind::TokenClass;
    const bool masks = spec_.head.kind == HeadKind::MaskedToken;
    if (prediction != nullptr && prediction->row >= 0 &&
        (model_look_of(scene_.view).predicted_row || of_token))
      note = masks ? "token " + std::to_string(prediction->row)
                   : (spec_.decoder ? "after " : "of ") + row_name(reading_, prediction->row);
    draw_region_title(ui_, line_, said_.title, note, right);
  }

  void draw_nothing() {
    std::string_view why = "Nothing is predicted by this model: its files have no head that makes logits.";
    const bool masks = spec_.head.kind == HeadKind::MaskedToken && reading_.prediction != nullptr;
    if (spec_.has_logits() && reading_.prediction == nullptr) why = "Computing.";
    if (masks) why = "No word is masked. Alt+click a word in the strip above, or:";
    const float y = line_.y + title_height(ui_);
    const float used = ui_.paragraph(line_.x, y, line_.w, why, {type::label, ui_.theme.text2});
    if (masks) draw_mask_button(y + used + ui_.px(10));
  }

  /// Masks the token that is looked at.
  void draw_mask_button(float y) {
    const std::int64_t row = scene_.selection.cell.query;
    const std::optional<std::string> word = maskable_word(reading_.within, *reading_.tokens, row);
    if (!word) {
      ui_.text(line_.x, y + ui_.px(14), "choose a word first: the chosen token is none",
               {type::label, ui_.theme.text3, Ink::Regular, Align::Left, line_.w});
      return;
    }
    const std::string shown = "Mask “" + own(*word) + "”";
    const float wide = std::min(line_.w, ui_.text_width(shown, type::label, Ink::Medium) + ui_.px(28));
    if (button(ui_, "Mask the chosen word", {line_.x, y, wide, ui_.px(28)},
               {"Mask the chosen word",
                {},
                "The mask takes its place in the text, and the model says which word it expects there.",
                "Shift+W"},
               shown))
      toggle_mask(scene_, row);
  }

  bool can_be_chosen() const { return !said_.click.empty(); }

  void draw_row(std::size_t index, const Box& row, std::int64_t of_row) {
    const Theme& theme = ui_.theme;
    const ListedToken& candidate = all_[index];
    const std::string name = written_cell(table_.columns.front(), index);
    const float y = row.centre_y(), high = std::min(ui_.px(26), row.h - ui_.px(4));
    const float chip_room = ui_.px(scene_.compact ? 62 : 72);
    const float wide = std::min(
        chip_room, std::max(ui_.px(32), ui_.text_width(name, type::label, Ink::Medium) + ui_.px(18)));
    const Box chip{row.x, std::round(y - high / 2), wide, high};
    const std::string label = "predicted " + plain(name) + " " + std::to_string(candidate.id);
    const Ui::Touch touch = ui_.touch(label.c_str(), row, can_be_chosen());
    ui_.fill(chip, touch.hovered && can_be_chosen() ? theme.control_hover : theme.control, ui_.px(6));
    if (is_followed(candidate)) ui_.frame(chip, theme.key, std::max(1.f, ui_.px(1.5f)), ui_.px(6));
    if (is_masked(candidate)) ui_.frame(chip, theme.text2, std::max(1.f, ui_.px(1.5f)), ui_.px(6));
    if (touch.focused) ui_.frame(chip.grown(ui_.px(2)), theme.query, ui_.px(2), ui_.px(8));
    const bool first = changed_ && prediction_->top_after.front().id == candidate.id;
    ui_.text(chip.x + ui_.px(9), y, name,
             {type::label, first ? theme.text1 : theme.text2, first ? Ink::Semibold : Ink::Regular,
              Align::Left, chip.w - ui_.px(14)});
    const float after_width = ui_.px(42), before_width = changed_ ? ui_.px(42) : 0;
    const float left = row.x + chip_room + ui_.px(10);
    const Box bars{left, row.y, row.right() - after_width - before_width - left, row.h};
    if (!is_score(spec_)) draw_bars(candidate, bars);
    ui_.text(row.right(), y, written_cell(table_.columns.back(), index),
             {type::label, theme.text1, Ink::Medium, Align::Right});
    if (changed_)
      ui_.text(row.right() - after_width, y, written_cell(table_.columns[1], index),
               {type::label, theme.text3, Ink::Regular, Align::Right});
    show_tip(candidate, name, touch.hovered, row);
    if (touch.pointed && can_be_chosen() && ImGui::IsMouseClicked(1)) follow(candidate);
    if (touch.clicked && can_be_chosen()) choose(scene_, of_row, candidate.id);
  }

  void draw_bars(const ListedToken& candidate, const Box& area) {
    const Theme& theme = ui_.theme;
    const float y = std::round(area.centre_y()), thick = ui_.px(7);
    const auto length = [&](double share) {
      return std::max(ui_.px(1), std::round(area.w * static_cast<float>(std::clamp(share, 0.0, 1.0))));
    };
    if (!changed_) {
      const Box track{area.x, y - ui_.px(4), area.w, ui_.px(8)};
      ui_.fill(track, theme.bar_ground, ui_.px(2));
      ui_.fill({track.x, track.y, length(candidate.after), track.h}, theme.bar, ui_.px(2));
      return;
    }
    ui_.fill({area.x, y - thick, area.w, 2 * thick}, theme.bar_ground, ui_.px(2));
    ui_.fill({area.x, y - thick, length(candidate.before), thick}, theme.bar, ui_.px(2));
    ui_.fill({area.x, y, length(candidate.after), thick}, theme.query, ui_.px(2));
  }

  void show_tip(const ListedToken& candidate, const std::string& name, bool hovered, const Box& row) {
    if (!hovered) return;
    const auto at = static_cast<std::size_t>(candidate.id);
    const PredictionSides& p = *prediction_;
    std::string numbers = "p " + tight(candidate.after) + ", logit " +
                          fixed(static_cast<double>(p.after[at]), 2) + ", rank " +
                          grouped(rank_of(p.after, candidate.id));
    if (changed_ && at < p.before.size())
      numbers += "  ·  before: p " + tight(candidate.before) + ", logit " +
                 fixed(static_cast<double>(p.before[at]), 2) + ", rank " +
                 grouped(rank_of(p.before, candidate.id));
    const std::string_view why = is_masked(candidate)     ? "The word that was masked."
                                 : is_followed(candidate) ? said_.followed
                                                          : said_.click;
    tooltip(ui_, hovered, row, {name, numbers, why, {}});
  }

  void draw_divergence(const PredictionSides& prediction, float height) {
    const float y = line_.bottom() - height / 2 - ui_.px(2);
    ui_.horizontal(line_.x, line_.bottom() - height, line_.w, ui_.theme.hairline);
    const std::string value = "KL " + (prediction.divergence < 0.005 && prediction.divergence > 0
                                           ? tight(prediction.divergence)
                                           : fixed(prediction.divergence, 2));
    const float size = scene_.compact ? 17.f : 24.f;
    const float x =
        line_.x + ui_.text(line_.x, y, value, {size, ui_.theme.text1, Ink::Semibold}) + ui_.px(20);
    const std::size_t count = reading_.within.changes.blocks.size() + reading_.within.changes.heads.size();
    const std::string together = count == 1 ? std::string("nats, by the change")
                                            : "nats, the " + std::to_string(count) + " changes together";
    const std::string alone = alone_words(reading_);
    const TextStyle style{type::tick, ui_.theme.text2, Ink::Regular, Align::Left, line_.right() - x};
    // Without room for more only the unit is shown, not the beginning of a sentence.
    const bool fits = ui_.text_width(together, type::tick) <= line_.right() - x;
    const std::string_view said = fits ? std::string_view(together) : "nats";
    if (alone.empty() || scene_.compact) {
      ui_.text(x, y, said, style);
    } else {
      ui_.text(x, y - ui_.px(9), said, style);
      ui_.text(x, y + ui_.px(9), alone,
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, line_.right() - x});
    }
    const Box box{line_.x, line_.bottom() - height, line_.w, height};
    const Ui::Touch touch = ui_.touch("KL", box, false);
    tooltip(ui_, touch.hovered, box,
            {"Kullback–Leibler divergence",
             "Σ p ln(p / q)",
             "How far the prediction with the changes, q, is from the one without, p.",
             {}});
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  Said said_;
  float pad_;
  Box line_;
  bool changed_ = false;
  std::optional<PredictionSides> prediction_;  // the one on screen
  std::vector<ListedToken> all_;
  Table table_;  // of the listed tokens, in their order
  KeptTokens kept_;
  std::optional<std::int64_t> masked_;  // the token of the predicted row before it was masked
};

}  // namespace

bool is_score(const ModelSpec& spec) {
  return spec.head.kind == HeadKind::SequenceClass && spec.head.classes.size() == 1;
}

std::string_view prediction_title(const ModelSpec& spec) { return said_by(spec).title; }

void draw_model_prediction(Scene& scene, const Box& region) { Prediction(scene, region).draw(); }

}  // namespace attnscope

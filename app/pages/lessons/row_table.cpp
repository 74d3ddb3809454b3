// app/pages/lessons: the chosen row number by number: each key's score at every stage up to its weight, and
// the same key's number in B.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/parts/held_cell.hpp"
#include "app/pages/lessons/step/head_weights.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

struct RowColumn {
  std::string_view name;
  Rgba colour;
  Stage stage;
  bool of_held = false;
  float wide = 0, right = 0;
};

/// A table for one frame.
class RowTable {
 public:
  RowTable(const LessonPage& page, const Box& column)
      : page_(page),
        ui_(page.ui()),
        result_(page.scene.result),
        column_(column),
        head_(page.scene.head()),
        row_(lesson_row(page)),
        line_(ui_.px(page.scene.compact ? 24 : 26)) {
    find_held();
    find_columns();
  }

  /// Returns the y below.
  float draw_at(float y) const {
    const float x = column_.x + pad();
    const float title = ui_.text(x, y + ui_.px(8), "Row", {type::label, ui_.theme.text1, Ink::Semibold});
    const float name = ui_.text(x + title + ui_.px(8), y + ui_.px(8), placed_query_label(result_, 0, row_),
                                {type::label, ui_.theme.query, Ink::Semibold});
    // B's row is of another token.
    if (held_ != nullptr && !place_.is_same)
      ui_.text(column_.right() - pad(), y + ui_.px(8), "held: " + placed_query_label(*held_, 0, place_.at),
               {type::label, ui_.theme.b, Ink::Semibold, Align::Right,
                std::max(1.f, column_.w - 2 * pad() - title - name - ui_.px(24))});
    y += ui_.px(26);
    if (columns_.empty()) return y;
    ui_.text(x, y + ui_.px(8), "key", {type::tick, ui_.theme.key});
    for (const RowColumn& each : columns_)
      ui_.text(each.right, y + ui_.px(8), each.name,
               {type::tick, each.colour, Ink::Regular, Align::Right, each.wide - ui_.px(4)});
    y += ui_.px(24);
    for (const HeldPlaces::KeyLine& key : keys_) {
      if (y + line_ > column_.bottom()) break;
      draw_key(key, y);
      y += line_;
    }
    y = draw_what_it_gives(y);
    return y + ui_.px(12);
  }

 private:
  float pad() const { return ui_.px(12); }
  float first() const { return ui_.px(page_.scene.compact ? 56 : 64); }  // width of the keys' names
  bool hides_shown() const { return page_.hides() && page_.scene.held == nullptr; }

  /// B has a column if it has as many heads as A and has the row.
  void find_held() {
    const LayerResult* const held =
        page_.scene.held != nullptr ? &page_.scene.held->result->layer() : nullptr;
    if (held != nullptr && !held->is_long() && held->dimensions.heads == result_.dimensions.heads) {
      const HeldPlaces places(page_.step, result_, *held);
      place_ = places.row(row_);
      if (place_.at >= 0) {
        held_ = held;
        keys_ = places.key_lines();
        return;
      }
    }
    for (std::int64_t j = 0; j < result_.dimensions.keys; ++j) keys_.push_back({j, -1});
  }

  /// Columns up to the last stage that the step shows; B has a column of that stage.
  void find_columns() {
    // If the question is about scores, they are hidden as well; so are those of a trained model, whose
    // largest score would reveal the answer.
    const bool of_scores = page_.step.stage && *page_.step.stage != "weights";
    const bool asks_scores = page_.hides() && (of_scores || page_.lesson().of_model());
    const auto add = [&](const char* name, Stage stage, Rgba colour) {
      if (lessons::shows_stage(page_.step, stage)) columns_.push_back({name, colour, stage});
    };
    if (knows_scores(result_.document) && !asks_scores) {
      add("q·k", Stage::Score, ui_.theme.text2);
      add("scaled", Stage::Scale, ui_.theme.text2);
    }
    add("weight", lesson_weights(page_, result_, head_), ui_.theme.text1);
    if (held_ != nullptr && !columns_.empty()) {
      const Stage last = columns_.back().stage;
      const Stage there = holds_weights(last) ? lesson_weights(page_, *held_, head_) : last;
      if (held_->trace[there]) columns_.push_back({"held", ui_.theme.b, there, true});
    }
    if (columns_.empty()) return;
    place_columns();
  }

  /// Each column is as wide as its name or its numbers; the remaining width is shared equally.
  void place_columns() {
    const auto count = static_cast<float>(columns_.size());
    const float room = column_.w - 2 * pad() - first();
    wide_ = room / count;
    float wanted = 0;
    for (RowColumn& each : columns_) {
      each.wide = std::max(ui_.px(40), ui_.text_width(each.name, type::tick) + ui_.px(6));
      wanted += each.wide;
    }
    float right = column_.x + pad() + first();
    for (RowColumn& each : columns_) {
      each.wide += (room - wanted) / count;
      each.right = right += each.wide;
    }
  }

  void draw_key(const HeldPlaces::KeyLine& key, float y) const {
    const bool here = key.shown >= 0, chosen = here && key.shown == page_.scene.cell().key;
    if (chosen) ui_.fill({column_.x, y, column_.w, line_}, ui_.theme.control);
    const Rgba colour = chosen ? ui_.theme.key : here ? ui_.theme.text2 : ui_.theme.b;
    ui_.text(column_.x + pad(), y + line_ / 2,
             here ? placed_key_label(result_, 0, key.shown) : placed_key_label(*held_, 0, key.held),
             {type::label, colour, chosen ? Ink::Semibold : Ink::Regular, Align::Left, first()});
    for (const RowColumn& each : columns_) draw_number(each, key, y + line_ / 2, chosen);
  }

  void draw_number(const RowColumn& of, const HeldPlaces::KeyLine& key, float y, bool chosen) const {
    const std::int64_t j = of.of_held ? key.held : key.shown;
    const bool is_weight = holds_weights(of.stage);
    const bool hidden = of.of_held ? page_.hides() : is_weight && hides_shown();
    if (j >= 0 && hidden) {
      ui_.fill({of.right - ui_.px(34), y - ui_.px(7), ui_.px(34), ui_.px(14)}, ui_.theme.hatch_ground,
               ui_.px(3));
      return;
    }
    const Ink ink = is_weight && !of.of_held && chosen ? Ink::Semibold : Ink::Regular;
    ui_.text(of.right, y, text_of_number(of, j), {type::label, ui_.theme.text1, ink, Align::Right});
  }

  bool is_masked(const RowColumn& of, std::int64_t j) const {
    const Scene& scene = page_.scene;
    if (!of.of_held) return scene.is_masked(0, head_, row_, j);
    return !scene.held->stats->rule().allows(0, head_, place_.at, j);
  }

  /// "–" for a key that this side does not have.
  std::string text_of_number(const RowColumn& of, std::int64_t j) const {
    if (j < 0) return "–";
    const LayerResult& result = of.of_held ? *held_ : result_;
    const float value = result.trace[of.stage]->matrix(0, head_)(of.of_held ? place_.at : row_, j);
    const bool is_weight = holds_weights(of.stage);
    if (is_weight && value == 0 && is_masked(of, j)) return wide_ > ui_.px(60) ? "masked" : "–";
    return fixed(static_cast<double>(value), is_weight ? 3 : 2);
  }

  /// For a zeroed head: the length that its output would have, struck out, and 0.
  float draw_what_it_gives(float y) const {
    if (page_.hides()) return y;
    float left = column_.right();  // of the first number
    for (const RowColumn& each : columns_) {
      const LayerResult& result = each.of_held ? *held_ : result_;
      if (!holds_weights(each.stage) || !gives_nothing(result.document, head_)) continue;
      const float middle = y + line_ / 2;
      const float zero =
          ui_.text(each.right, middle, "0", {type::label, ui_.theme.text1, Ink::Semibold, Align::Right});
      const double before = length_before_zeroing(result, head_, each.of_held ? place_.at : row_);
      const float end = each.right - zero - ui_.px(6);
      const float wide =
          ui_.text(end, middle, fixed(before, 2), {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
      ui_.fill({end - wide, std::round(middle), wide, std::max(1.f, ui_.px(1.5f))}, ui_.theme.text2);
      left = std::min(left, end - wide);
    }
    if (left == column_.right()) return y;
    const float x = column_.x + pad();
    ui_.text(x, y + line_ / 2, "what it gives",
             {type::label, ui_.theme.text1, Ink::Medium, Align::Left, std::max(1.f, left - x - ui_.px(8))});
    return y + line_;
  }

  const LessonPage& page_;
  const Ui& ui_;
  const LayerResult& result_;
  Box column_;
  std::int64_t head_, row_;
  float line_, wide_ = 0;
  const LayerResult* held_ = nullptr;
  HeldPlace place_;  // of the row in B
  std::vector<HeldPlaces::KeyLine> keys_;
  std::vector<RowColumn> columns_;
};

}  // namespace

float draw_lesson_row(const LessonPage& page, const Box& column, float y) {
  const RowTable table(page, column);
  return table.draw_at(y);
}

}  // namespace attnscope

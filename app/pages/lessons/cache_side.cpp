// app/pages/lessons: the key/value cache as a step's picture: the key and value of every token, which are
// kept and which are new, what the chosen token's query reads of them, and all that in bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/until.hpp"
#include "app/pages/lessons/step/head_weights.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/scene/picture.hpp"
#include "app/views/inspector/numbers.hpp"
#include "app/views/parts/strips.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"
#include "core/document/precision.hpp"

namespace attnscope {
namespace {

/// Rows of keys and values, one for each token of the text.
struct CacheRows {
  std::int64_t now = 0;    // the row of the chosen token
  std::int64_t kept = 0;   // the first ones: computed before
  std::int64_t there = 0;  // the kept and the new ones
  std::int64_t all = 0;
};

/// With a cache the Document says what is kept. Without one the text is taken as written token by token: the
/// chosen token is the new one, and those after it are not there yet.
CacheRows cache_rows(const LessonPage& page) {
  const Dimensions& d = page.scene.result.dimensions;
  CacheRows rows;
  rows.all = d.token_keys();
  // What is chosen, not what is pointed at: pointing at a row must not make another token the new one.
  const std::int64_t chosen =
      page.covered && page.step.query ? *page.step.query : page.scene.selection.cell.query;
  rows.now = std::clamp<std::int64_t>(chosen, 0, d.queries - 1) + d.past;
  rows.kept = d.past > 0 ? d.past : rows.now;
  rows.there = d.past > 0 ? rows.all : rows.now + 1;
  return rows;
}

StripMatrix strip_rows(const Tensor& of, std::int64_t head, std::int64_t first, std::int64_t count) {
  return of.matrix(0, head).middleRows(first, count);
}

/// A picture for one frame.
class CachePicture {
 public:
  CachePicture(LessonPage& page, const Box& area)
      : page_(page),
        ui_(page.ui()),
        result_(page.scene.result),
        d_(result_.dimensions),
        head_(std::min(page.scene.head(), d_.heads - 1)),
        kv_(head_ * d_.kv_heads / d_.heads),
        rows_(cache_rows(page)),
        area_(area),
        shows_weights_(lessons::shows_stage(page.step, own_weights_stage(result_.document))),
        shows_output_(shows_weights_ && lessons::shows_stage(page.step, Stage::Mix)) {
    place();
  }

  void draw() {
    if (shown_ < 1) return;
    draw_titles();
    draw_query();
    draw_matrix_of(Stage::RotateKey, keys_, 0, ui_.theme.key);
    draw_matrix_of(Stage::Value, values_, 1, ui_.theme.value);
    draw_names();
    if (shows_weights_) draw_weights();
    if (shows_output_) draw_output();
    for (std::int64_t row = first_; row < first_ + shown_; ++row) take_mouse(row);
    draw_account();
    ring_word();
  }

 private:
  void place() {
    const bool low = page_.scene.compact;
    for (std::int64_t row = 0; row < std::min<std::int64_t>(rows_.all, 64); ++row)
      labels_ = std::max(labels_, ui_.text_width(key_label(result_, 0, row), type::label, Ink::Semibold));
    labels_ = std::round(std::min(labels_, ui_.px(88)) + ui_.px(14));
    const float gap = ui_.px(low ? 12 : 18), weights = shows_weights_ ? ui_.px(low ? 78 : 104) + gap : 0;
    const float room = (area_.w - labels_ - weights - gap) / 2;
    // A key or value of few numbers has cells of at most this width.
    const auto wide = [&](std::int64_t numbers) {
      return std::floor(std::min(room, ui_.px(64) * static_cast<float>(numbers)));
    };
    const float title = ui_.px(24), strip = ui_.px(26), between = ui_.px(8);
    const float output = shows_output_ ? between + strip : 0, account = between + ui_.px(4 * 21);
    const float high = area_.h - title - strip - between - output - account;
    line_ = std::clamp(std::floor(high / static_cast<float>(rows_.all)), ui_.px(15), ui_.px(48));
    shown_ = std::min(rows_.all, static_cast<std::int64_t>(std::max(0.f, high) / line_));
    if (room < ui_.px(24) || shown_ < 1) {
      shown_ = 0;
      return;
    }
    // The new token is in sight, and one after it.
    first_ = std::clamp<std::int64_t>(rows_.now + 2 - shown_, 0, rows_.all - shown_);
    query_ = {area_.x + labels_, area_.y + title, wide(d_.d_k), strip};
    keys_ = {query_.x, query_.bottom() + between, query_.w, line_ * static_cast<float>(shown_)};
    values_ = {keys_.right() + gap, keys_.y, wide(d_.d_v), keys_.h};
    weights_ = {values_.right() + gap, keys_.y, std::max(0.f, weights - gap), keys_.h};
    output_ = {values_.x, values_.bottom() + between, values_.w, strip};
    // Beside it stands a button, see offer_next_token().
    const float beside = std::max(std::min(area_.w, ui_.px(280)), area_.w - ui_.px(132) - ui_.px(12));
    account_ = {area_.x, keys_.bottom() + output + between, std::min(beside, ui_.px(420)), ui_.px(4 * 21)};
  }

  Box row_of(const Box& of, std::int64_t row) const {
    return {of.x, of.y + line_ * static_cast<float>(row - first_), of.w, line_};
  }
  /// The part of rows [from, to) that is in sight; h 0: nothing.
  Box rows_of(const Box& of, std::int64_t from, std::int64_t to) const {
    from = std::clamp(from, first_, first_ + shown_);
    to = std::clamp(to, from, first_ + shown_);
    return {of.x, of.y + line_ * static_cast<float>(from - first_), of.w,
            line_ * static_cast<float>(to - from)};
  }
  bool is_read(std::int64_t row) const {
    return row < rows_.there && !page_.scene.is_masked(0, head_, rows_.now - d_.past, row);
  }

  void draw_titles() const {
    const OperandNames called = operand_names(result_);
    const float y = area_.y + ui_.px(10);
    const auto title = [&](const Box& of, std::string_view symbol, std::string_view name, Rgba colour) {
      const float wide = ui_.text(of.x, y, symbol, {type::body, colour, Ink::Semibold});
      ui_.text(of.x + wide + ui_.px(8), y, name,
               {type::label, ui_.theme.text2, Ink::Regular, Align::Left, of.w - wide - ui_.px(8)});
    };
    // The kept keys are those that the scores are made of: rotated, where positions rotate.
    const std::string_view key = called.key;
    title(keys_, key == "k′" ? "K′" : key == "kₙ" ? "Kₙ" : "K", "keys", ui_.theme.key);
    title(values_, "V", "values", ui_.theme.value);
    if (weights_.w > 0)
      ui_.text(weights_.right(), y, "weight",
               {type::label, ui_.theme.text2, Ink::Regular, Align::Right, weights_.w});
    if (first_ > 0)
      ui_.text(area_.x, y, "… " + grouped(first_) + " more",
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, labels_ - ui_.px(4)});
  }

  /// The query of the new token, above the keys that it meets.
  void draw_query() const {
    const StripMatrix query = strip_rows(*result_.trace[Stage::RotateQuery], head_, rows_.now - d_.past, 1);
    ui_.text(query_.x - ui_.px(10), query_.centre_y(), operand_names(result_).query,
             {type::label, ui_.theme.query, Ink::Semibold, Align::Right, labels_ - ui_.px(12)});
    draw_strips(ui_, {.place = "lesson cache query",
                      .box = query_,
                      .values = query,
                      .most = reach(0, *result_.trace[Stage::RotateKey]),
                      .ground = ui_.theme.panel,
                      .row_gap = 1});
    ui_.frame(query_.grown(ui_.px(2)), ui_.theme.query, ui_.px(2), ui_.px(3));
  }

  /// The colours end at the largest number of all tokens, whichever is new: of queries and keys together,
  /// which are multiplied, and of values.
  float reach(std::size_t which, const Tensor& of) const {
    float most = largest_of(strip_rows(of, kv_, 0, rows_.all));
    if (which == 0)
      most = std::max(most, largest_of(strip_rows(*result_.trace[Stage::RotateQuery], head_, 0, d_.queries)));
    return kept_reach(page_, page_.moments().strip_reach[which], most);
  }

  void draw_matrix_of(Stage stage, const Box& all, std::size_t which, Rgba hue) const {
    const std::int64_t count = std::clamp<std::int64_t>(rows_.there - first_, 0, shown_);
    const Tensor& tensor = *result_.trace[stage];
    const Box there = rows_of(all, first_, first_ + count);
    const StripMatrix numbers = strip_rows(tensor, kv_, first_, count);
    draw_strips(ui_, {.place = which == 0 ? "lesson cache keys" : "lesson cache values",
                      .box = there,
                      .values = numbers,
                      .most = reach(which, tensor),
                      .ground = ui_.theme.panel,
                      .row_gap = 2});
    for (std::int64_t row = first_; row < first_ + count; ++row)  // behind a window or a mask
      if (!is_read(row)) ui_.fill(row_of(all, row), fade(ui_.theme.panel, 0.74f));
    for (std::int64_t row = first_ + count; row < first_ + shown_; ++row) {
      const Box empty = row_of(all, row);
      ui_.frame({empty.x, empty.y, empty.w, empty.h - ui_.px(2)}, ui_.theme.hairline,
                std::max(1.f, ui_.px(1)), ui_.px(2));
    }
    frame_rows(rows_of(all, 0, rows_.kept), hue, ui_.px(1.5f));
    frame_rows(rows_of(all, rows_.kept, rows_.there), ui_.theme.query, ui_.px(2));
  }
  void frame_rows(const Box& rows, Rgba hue, float thick) const {
    if (rows.h < 1) return;
    ui_.frame(Box{rows.x, rows.y, rows.w, rows.h - ui_.px(2)}.grown(ui_.px(2)), hue, std::max(1.f, thick),
              ui_.px(3));
  }

  void draw_names() const {
    const auto step = std::max<std::int64_t>(1, std::llround(std::ceil(ui_.px(15) / line_)));
    for (std::int64_t row = first_; row < first_ + shown_; row += step) {
      const bool is_new = row >= rows_.kept && row < rows_.there;
      const Rgba colour = row >= rows_.there ? ui_.theme.disabled
                          : is_new           ? ui_.theme.query
                          : is_read(row)     ? ui_.theme.text1
                                             : ui_.theme.text3;
      ui_.text(keys_.x - ui_.px(10), row_of(keys_, row).centre_y(), placed_key_label(result_, 0, row),
               {type::label, colour, row == rows_.now ? Ink::Semibold : Ink::Regular, Align::Right,
                labels_ - ui_.px(12)});
    }
  }

  float weight(std::int64_t row) const {
    const Stage stage = lesson_weights(page_, result_, head_);
    return result_.trace[stage]->matrix(0, head_)(rows_.now - d_.past, row);
  }

  void draw_weights() const {
    const Box there = rows_of(weights_, first_, rows_.there);
    if (page_.hides()) return draw_lesson_lid(page_, there, ui_.theme.border);
    const float number = ui_.px(38), track = weights_.w - number;
    for (std::int64_t row = first_; row < std::min(rows_.there, first_ + shown_); ++row) {
      const Box line = row_of(weights_, row);
      const float y = line.centre_y() - ui_.px(1);
      if (!is_read(row)) {
        ui_.text(line.right(), y, "–", {type::label, ui_.theme.text3, Ink::Regular, Align::Right});
        continue;
      }
      const float share = std::clamp(weight(row), 0.f, 1.f), high = std::min(ui_.px(10), line_ * 0.5f);
      ui_.fill({line.x, y - high / 2, track, high}, ui_.theme.bar_ground, ui_.px(2));
      ui_.fill({line.x, y - high / 2, std::round(track * share), high}, ui_.theme.query, ui_.px(2));
      ui_.text(line.right(), y, fixed(static_cast<double>(weight(row)), 2),
               {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    }
  }

  /// What the new token gets: the values, each times its weight.
  void draw_output() const {
    ui_.text(output_.x - ui_.px(12), output_.centre_y(), "Σ weight × v",
             {type::label, ui_.theme.text2, Ink::Regular, Align::Right, keys_.w + labels_ - ui_.px(12)});
    if (page_.hides()) {
      ui_.fill(output_, ui_.theme.hatch_ground, ui_.px(3));
      ui_.text(output_.centre_x(), output_.centre_y(), "?",
               {type::label, ui_.theme.border, Ink::Semibold, Align::Centre});
      return;
    }
    const StripMatrix mixed = strip_rows(*result_.trace[Stage::Mix], head_, rows_.now - d_.past, 1);
    draw_strips(ui_, {.place = "lesson cache output",
                      .box = output_,
                      .values = mixed,
                      .most = reach(1, *result_.trace[Stage::Value]),
                      .ground = ui_.theme.panel,
                      .row_gap = 1});
  }

  void take_mouse(std::int64_t row) const {
    Scene& scene = page_.scene;
    const float right = weights_.w > 0 ? weights_.right() : values_.right();
    const Box line = row_of({area_.x, keys_.y, right - area_.x, keys_.h}, row);
    const Ui::Touch touch = ui_.touch(("lesson cache " + std::to_string(row)).c_str(), line);
    if (touch.hovered || touch.focused) ui_.frame(line, ui_.theme.text3, std::max(1.f, ui_.px(1)), ui_.px(3));
    const std::int64_t query = rows_.now - d_.past;
    if (touch.pointed && is_read(row)) scene.next.hovered_cell = Cell{query, row};
    if (touch.clicked && !page_.covered) scene.next.choose({row >= d_.past ? row - d_.past : query, row});
    const std::string name = own(key_label(result_, 0, row));
    const std::string_view state = row >= rows_.there  ? "not there yet"
                                   : row >= rows_.kept ? "its key and value are new"
                                   : is_read(row)      ? "its key and value are kept"
                                                       : "kept, but not read";
    tooltip(ui_, touch.hovered, line,
            {name, state, row >= d_.past ? "A click makes this token the new one." : "", {}},
            Clear::OfRowAndColumn);
  }

  /// "kept  5  640  2.5 KiB": tokens, numbers and bytes of all key/value heads of the layer.
  void draw_account() {
    const std::int64_t numbers = d_.kv_heads * (d_.d_k + d_.d_v);
    const float line = ui_.px(21), tokens = account_.x + account_.w * 0.5f,
                count = account_.x + account_.w * 0.74f;
    if (account_.bottom() > area_.bottom() + line) return;
    float y = account_.y + line / 2;
    const auto head = [&](float right, std::string_view name) {
      ui_.text(right, y, name, {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    };
    if (d_.kv_heads > 1)
      ui_.text(account_.x, y, "of all " + std::to_string(d_.kv_heads) + " key/value heads",
               {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, account_.w * 0.33f});
    head(tokens, "tokens");
    head(count, "numbers");
    head(account_.right(), "bytes");
    std::int64_t read = 0;
    for (std::int64_t row = 0; row < rows_.there; ++row) read += is_read(row) ? 1 : 0;
    const std::array<std::pair<std::string, std::int64_t>, 3> lines{
        {{"kept", rows_.kept},
         {"new", rows_.there - rows_.kept},
         {"read for “" + own(key_label(result_, 0, rows_.now)) + "”", read}}};
    const Box table{account_.x, account_.y + line, account_.w, 3 * line};
    for (const auto& [told, rows] : lines) {
      y += line;
      ui_.text(account_.x, y, told,
               {type::label, ui_.theme.text1, Ink::Regular, Align::Left, account_.w * 0.38f});
      if (page_.hides()) continue;
      const auto number = [&](float right, const std::string& text) {
        ui_.text(right, y, text, {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
      };
      number(tokens, grouped(rows));
      number(count, grouped(rows * numbers));
      number(account_.right(), own_number(bytes(rows * numbers * bytes_of(result_.document.precision))));
    }
    if (page_.hides()) {
      const float left = account_.x + account_.w * 0.42f;
      draw_lesson_lid(page_, {left, table.y, table.right() - left, table.h}, ui_.theme.border);
    }
    offer_next_token();
  }

  /// A button that makes the token after the new one the new one; after the last one the first.
  void offer_next_token() {
    const Box box{area_.right() - ui_.px(132), account_.y + ui_.px(26), ui_.px(132), ui_.px(32)};
    if (d_.past > 0 || page_.covered || ui_.is_figure() || rows_.all < 2 ||
        box.x < account_.right() + ui_.px(12))
      return;
    const std::int64_t next = rows_.now + 1 < rows_.all ? rows_.now + 1 : 0;
    if (button(ui_, "Next token", box,
               {"Next token", {}, "The new token's key and value are kept, and the next token is new.", {}}))
      page_.scene.next.choose({next, next});
  }

  /// Rings what a word of the prose refers to.
  void ring_word() const {
    using Kind = lessons::Anchor::Kind;
    if (!page_.pointed) return;
    const lessons::Anchor& word = *page_.pointed;
    const std::int64_t at = word.places.empty() ? -1 : word.places.back();
    const auto ring = [&](const Box& box, Rgba colour) {
      if (box.h > 0) ui_.frame(box.grown(ui_.px(3)), colour, ui_.px(3), ui_.px(4));
    };
    const auto part = [&](const Box& of) { return at < 0 ? of : rows_of(of, at, at + 1); };
    if (word.kind == Kind::Query && (at < 0 || at == rows_.now - d_.past)) ring(query_, ui_.theme.query);
    if (word.kind == Kind::Key) ring(part(keys_), ui_.theme.key);
    if (word.kind == Kind::Value) ring(part(values_), ui_.theme.value);
  }

  LessonPage& page_;
  const Ui& ui_;
  const LayerResult& result_;
  const Dimensions& d_;
  std::int64_t head_, kv_;
  CacheRows rows_;
  Box area_;
  bool shows_weights_, shows_output_;
  float labels_ = 0, line_ = 1;
  std::int64_t first_ = 0, shown_ = 0;  // rows in sight
  Box query_, keys_, values_, weights_, output_, account_;
};

}  // namespace

void draw_lesson_cache(LessonPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const bool there = knows_scores(result.document) && knows_values(result.document) &&
                     result.trace[Stage::RotateKey] && result.trace[Stage::Value];
  const bool causal = result.document.layer().masking.causal && !result.trace[Stage::Memory];
  if (there && causal) return CachePicture(page, area).draw();
  const float wide = std::min(area.w, ui.px(440));
  ui.paragraph(std::round(area.centre_x() - wide / 2), std::round(area.y + area.h * 0.3f), wide,
               there ? "Without a causal mask a new token changes every row: later layers could keep nothing."
                     : "Keys and values are not known.",
               {type::body, ui.theme.text2});
}

}  // namespace attnscope

#include "app/walk/arrangement.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope::walk {
namespace {

/// Kinds of matrices: the numbers of all matrices of a kind are printed, or of none.
enum Kind : unsigned {
  Sources = 1,
  Parameters = 2,
  Before = 4,
  HeadVectors = 8,
  Keys = 16,
  Mixed = 32,
  Outputs = 64,
  Combining = 128  // W_O
};

unsigned kind_of(const Want& w) {
  switch (w.unit) {
    case Unit::Model: return w.lower ? Outputs : Sources;
    case Unit::Parameters: return w.lower ? Combining : Parameters;
    case Unit::Before: return Before;
    case Unit::Head: return w.lower ? Mixed : HeadVectors;
    case Unit::Keys: break;
  }
  return Keys;
}

/// Sets of printed kinds for a line, tried from first to last.
constexpr std::array<unsigned, 5> upper_trials{Sources | Parameters | Before | HeadVectors,
                                               Sources | Before | HeadVectors, Before | HeadVectors,
                                               HeadVectors, 0};
constexpr std::array<unsigned, 6> lower_trials{
    Keys | Mixed | Outputs | Combining, Keys | Mixed | Outputs, Keys | Mixed, Keys, Mixed, 0};

float count(std::int64_t n) { return static_cast<float>(n); }

class Arranger {
 public:
  Arranger(const Ui& ui, const Box& area, std::span<const Want> wants, const Heads& heads, bool numbers)
      : ui_(ui), area_(area), wants_(wants), heads_(heads), numbers_(numbers) {
    for (const Want& w : wants) {
      std::int64_t& rows = w.parameter ? (w.lower ? combining_rows_ : parameter_rows_)
                           : w.lower   ? lower_rows_
                                       : upper_rows_;
      rows = std::max(rows, w.rows);
      if (w.unit == Unit::Keys) key_title_ = std::max(key_title_, w.title);
    }
    room_ = area.h - heads.upper - heads.lower - heads.upper_foot - heads.lower_foot - heads.gutter;
  }

  MatrixPlaces run() {
    out_.places.resize(wants_.size());
    choose();
    columns();
    heights();
    for (const bool lower : {false, true}) widths(lower);
    stand();
    return std::move(out_);
  }

 private:
  float px(float logical) const { return ui_.px(logical); }
  float least_row() const { return px(17); }  // of a cell with its number
  float least_column() const { return px(27); }
  float small_cell() const { return px(4); }  // of a cell without its number

  bool is_printed(const Want& w) const { return (printed_ & kind_of(w)) != 0; }
  /// Whether only some of its columns may be in sight.
  bool windowed(const Want& w) const { return windows_ && w.unit == Unit::Keys; }
  float wide(const Want& w, float cells) const { return std::max(cells, w.title) + w.before; }
  /// The fewest columns in sight.
  float printed_columns(const Want& w) const {
    return count(windowed(w) ? std::min<std::int64_t>(w.columns, 4) : w.columns);
  }

  /// The width that a matrix needs at least.
  float least(const Want& w) const {
    if (is_printed(w)) return printed_columns(w) * least_column();
    const float n = count(w.columns);
    switch (w.unit) {
      case Unit::Model: return std::min(n * px(8), px(56));
      case Unit::Parameters: return std::min(n * px(8), px(40));
      case Unit::Before:
      case Unit::Head: return std::min(n * px(8), px(48));
      case Unit::Keys: break;
    }
    if (windowed(w)) return std::min(n * small_cell(), px(40));
    return numbers_ ? n * small_cell() : std::min(n * small_cell(), px(96));
  }

  float line_minimum(bool lower) const {
    float sum = 0;
    for (const Want& w : wants_)
      if (w.lower == lower) sum += wide(w, least(w));
    return sum;
  }

  /// Height that both lines need with token rows of `row`.
  float high(float row) const {
    const auto parameters = [&](std::int64_t rows, unsigned kind) {
      const float n = count(rows);
      return (printed_ & kind) != 0 ? n * row : std::min(px(56), n * px(8));
    };
    return std::max(count(upper_rows_) * row, parameters(parameter_rows_, Parameters)) +
           std::max(count(lower_rows_) * row, parameters(combining_rows_, Combining));
  }

  /// Whether the line has room for the printed numbers. Vectors of the model's width are printed only up to
  /// 24 dimensions and, in a wide window, only if all columns get a comfortable width.
  bool has_room(bool lower) const {
    constexpr std::int64_t few = 24;
    float columns = 0;
    bool long_ones = false;
    for (const Want& w : wants_) {
      if (w.lower != lower || !is_printed(w)) continue;
      columns += printed_columns(w);
      long_ones = long_ones || w.unit == Unit::Model;
      if (w.unit == Unit::Model && w.columns > few) return false;
    }
    const float comfort = long_ones && area_.w >= px(1300) ? columns * px(5) : 0;
    return line_minimum(lower) + comfort <= area_.w;
  }

  /// Chooses the first trial of each line that has room. Only some key columns are in sight if numbers are
  /// asked for, or if nothing else fits.
  void choose() {
    unsigned upper = 0;
    for (const unsigned trial : upper_trials) {
      printed_ = upper = trial;
      if (has_room(false) && ((trial & Parameters) == 0 || high(least_row()) <= room_)) break;
    }
    const auto try_lower = [&](unsigned trial, bool some) {
      printed_ = upper | trial;
      windows_ = some;
      return has_room(true) && ((trial & Combining) == 0 || high(least_row()) <= room_);
    };
    const auto choose_lower = [&] {
      for (const unsigned trial : lower_trials) {
        if (try_lower(trial, false)) return;
        if (numbers_ && (trial & Keys) != 0 && try_lower(trial, true)) return;
      }
      windows_ = true;
    };
    choose_lower();
    // Too many rows for numbers: colours only, unless numbers are asked for, which shows only some rows.
    if (printed_ != 0 && !numbers_ && high(least_row()) > room_) {
      upper = 0;
      if (!try_lower(0, false)) windows_ = true;
    }
    out_.fits = line_minimum(false) <= area_.w && line_minimum(true) <= area_.w;
  }

  /// The width of printed columns: the same in both lines, unless one line is cramped.
  void columns() {
    std::array<float, 2> own{px(88), px(88)};
    for (const bool lower : {false, true}) {
      float columns = 0, request = 0;
      for (const Want& w : wants_) {
        if (w.lower != lower) continue;
        // Matrices without numbers ask for 0.35 of their growth; those with numbers share the rest.
        (is_printed(w) ? columns : request) +=
            is_printed(w) ? printed_columns(w) : (most(w) - least(w)) * 0.35f;
      }
      if (columns == 0) continue;
      const float spare = std::max(0.f, area_.w - line_minimum(lower) - request);
      own[lower ? 1 : 0] =
          std::min(px(windows_ && lower ? 34 : 88), std::floor(least_column() + spare / columns));
    }
    const float both = std::min(own[0], own[1]);
    for (std::size_t i = 0; i < 2; ++i) column_[i] = both >= px(33) ? both : std::min(own[i], px(38));
  }

  void heights() {
    const float column = std::max(column_[0], column_[1]);
    const float fewest = printed_ != 0 ? least_row() : small_cell();
    row_ = printed_ != 0 ? std::min(px(52), std::round(px(14) + column * 0.58f)) : px(28);
    while (row_ > fewest && high(row_) > room_) row_ -= 1;
    // Without numbers all rows are in sight, however thin; if they were thinner than half a pixel, only some
    // are.
    const bool whole = printed_ == 0 && !numbers_;
    if (whole && high(row_) > room_)
      row_ = std::max(0.5f, std::floor(room_ / count(upper_rows_ + lower_rows_) * 16) / 16);
    seen_upper_ = upper_rows_;
    seen_lower_ = lower_rows_;
    if (count(upper_rows_ + lower_rows_) * row_ > room_ || (!whole && high(row_) > room_)) {
      if (printed_ != 0) row_ = px(22);
      const auto fit = static_cast<std::int64_t>(std::max(room_, 0.f) / row_);
      seen_lower_ = std::clamp<std::int64_t>(fit / 2, std::min<std::int64_t>(1, lower_rows_), lower_rows_);
      seen_upper_ = std::clamp<std::int64_t>(fit - seen_lower_, 1, std::max<std::int64_t>(1, upper_rows_));
      seen_lower_ = std::clamp<std::int64_t>(fit - seen_upper_, 1, std::max<std::int64_t>(1, lower_rows_));
    }
    for (float& width : column_) width = std::min(width, std::max(least_column(), row_ * 2));
    const float tokens = std::floor(count(seen_upper_) * row_), lower = std::floor(count(seen_lower_) * row_);
    if (combining_rows_ > 0) {
      const float n = count(combining_rows_);
      combining_height_ = (printed_ & Combining) != 0
                              ? n * row_
                              : std::max(1.f, std::floor(std::min(n * px(8), std::max(lower, px(56)))));
    }
    const float left = room_ - std::max(lower, combining_height_);
    if (parameter_rows_ > 0) {
      const float n = count(parameter_rows_);
      parameter_height_ = n * row_;
      if ((printed_ & Parameters) == 0) {
        const float wanted = std::min({std::max(left, tokens), n * px(8), std::max(tokens * 1.5f, px(160))});
        parameter_height_ = wanted >= n ? std::floor(wanted / n) * n : std::max(1.f, std::floor(wanted));
      }
    }
    upper_height_ = std::max(tokens, parameter_height_);
    lower_height_ = std::max(lower, combining_height_);
  }

  /// How wide a matrix without numbers may grow.
  float most(const Want& w) const {
    const float n = count(w.columns);
    switch (w.unit) {
      case Unit::Model: {
        // A dimension is as wide here as it is high in the parameters.
        const float each =
            parameter_rows_ > 0 && parameter_height_ > 0 ? parameter_height_ / count(parameter_rows_) : px(4);
        return std::max(least(w), std::min(n * each, px(360)));
      }
      case Unit::Parameters: return std::max(least(w), std::min(n * px(10), px(96)));
      case Unit::Before:
      case Unit::Head: return std::max(least(w), std::min(n * px(16), px(260)));
      case Unit::Keys: break;
    }
    return std::max(least(w), n * std::min(row_ * 1.4f, px(30)));
  }

  /// Widths of one line: printed cells first, then pictures, then the gaps.
  void widths(bool lower) {
    const float column = column_[lower ? 1 : 0];
    float used = 0, growth = 0;
    for (std::size_t i = 0; i < wants_.size(); ++i) {
      const Want& w = wants_[i];
      if (w.lower != lower) continue;
      Place& place = out_.places[i];
      place.printed = is_printed(w);
      // The cells may use the width that the heading needs anyway.
      const float heading = w.unit == Unit::Keys ? key_title_ : w.title;
      const float free = std::max(least(w), std::min(heading, limit(w, column)));
      place.cells.w = place.printed && !windowed(w) ? count(w.columns) * column : free;
      used += wide(w, place.cells.w);
      growth += std::max(0.f, limit(w, column) - place.cells.w);
    }
    const float share = growth > 0 ? std::clamp((area_.w - used) / growth, 0.f, 1.f) : 0;
    for (std::size_t i = 0; i < wants_.size(); ++i) {
      const Want& w = wants_[i];
      if (w.lower != lower) continue;
      Place& place = out_.places[i];
      if (!place.printed || windowed(w))
        place.cells.w += std::max(0.f, limit(w, column) - place.cells.w) * share;
      settle_columns(w, place, column);
    }
  }

  float limit(const Want& w, float column) const {
    if (!is_printed(w)) return most(w);
    return count(w.columns) * column;
  }

  /// Whole cells: all columns, or as many as fit.
  void settle_columns(const Want& w, Place& place, float column) {
    const float n = count(w.columns), least_side = place.printed ? column : small_cell();
    place.columns = w.columns;
    if (windowed(w) && place.cells.w < n * least_side) {
      place.columns =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(place.cells.w / least_side), 1, w.columns);
      place.cells.w = count(place.columns) * least_side;
    } else if (place.cells.w >= 2 * n) {
      place.cells.w = std::floor(place.cells.w / n) * n;
    }
    place.cells.w = std::floor(place.cells.w);
    if (w.unit == Unit::Keys) out_.keys_printed = out_.keys_printed && place.printed;
    out_.all_printed = out_.all_printed && place.printed;
    out_.whole = out_.whole && place.columns == w.columns;
  }

  void stand() {
    const float spare = std::max(0.f, room_ - upper_height_ - lower_height_);
    const float gutter = heads_.gutter + std::min(spare * 0.35f, px(64));
    const float top = area_.y + std::round(std::min((spare - (gutter - heads_.gutter)) * 0.4f, px(48)));
    const float lower_top = std::round(top + heads_.upper + upper_height_ + heads_.upper_foot + gutter);
    out_.gutter = {area_.x, lower_top - gutter, area_.w, gutter};
    for (const bool lower : {false, true}) {
      float used = 0, gaps = 0;
      bool first = true;
      for (std::size_t i = 0; i < wants_.size(); ++i) {
        if (wants_[i].lower != lower) continue;
        used += wide(wants_[i], out_.places[i].cells.w);
        if (!first && (lower || wants_[i].begins)) gaps += 1;
        first = false;
      }
      const float gap =
          gaps > 0 ? std::floor(std::clamp((area_.w - used) / gaps, 0.f, px(lower ? 88 : 120))) : 0;
      float x = area_.x;
      first = true;
      for (std::size_t i = 0; i < wants_.size(); ++i) {
        const Want& w = wants_[i];
        if (w.lower != lower) continue;
        if (!first && (lower || w.begins)) x += gap;
        first = false;
        put(w, out_.places[i], x, lower ? lower_top : top);
        x += wide(w, out_.places[i].cells.w);
      }
    }
  }

  void put(const Want& w, Place& place, float x, float top) {
    place.rows = w.parameter ? w.rows : std::min(w.rows, w.lower ? seen_lower_ : seen_upper_);
    out_.whole = out_.whole && place.rows == w.rows;
    const float head = w.lower ? heads_.lower : heads_.upper;
    place.cells.x = std::round(x + w.before);
    place.cells.y = std::round(top + head);
    place.cells.h = !w.parameter ? std::floor(count(place.rows) * row_)
                    : w.lower    ? combining_height_
                                 : parameter_height_;
    place.slot = {place.cells.x, std::round(top), std::max(place.cells.w, w.title),
                  head + place.cells.h + (w.lower ? heads_.lower_foot : heads_.upper_foot)};
  }

  const Ui& ui_;
  Box area_;
  std::span<const Want> wants_;
  Heads heads_;
  bool numbers_;
  std::int64_t upper_rows_ = 0, lower_rows_ = 0;          // of tokens
  std::int64_t parameter_rows_ = 0, combining_rows_ = 0;  // of the parameters above, of W_O
  float key_title_ = 0;   // the widest heading of the stages of queries by keys, which are equally wide
  float room_ = 0;        // for the cells of both lines
  unsigned printed_ = 0;  // kinds
  bool windows_ = false;  // only some of the keys are in sight
  std::array<float, 2> column_{};  // width of printed columns, by line
  float row_ = 0, parameter_height_ = 0, combining_height_ = 0, upper_height_ = 0, lower_height_ = 0;
  std::int64_t seen_upper_ = 0, seen_lower_ = 0;  // rows
  MatrixPlaces out_;
};

}  // namespace

MatrixPlaces arrange(const Ui& ui, const Box& area, std::span<const Want> wants, const Heads& heads,
                     bool numbers) {
  return Arranger(ui, area, wants, heads, numbers).run();
}

}  // namespace attnscope::walk

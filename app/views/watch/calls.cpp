// app/views/watch: a line for every pass: the tokens it read, its time, and the newest row of the chosen
// head.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/watch/parts.hpp"

namespace attnscope {
namespace {

/// The columns of the list, from left to right; those that a narrow window leaves out have width 0.
struct CallColumns {
  float pass = 0, shape = 0, ms = 0, sent = 0, next = 0, largest = 0,
        weight = 0;  // their left, or right ends
  Box strip;
};

class CallList {
 public:
  CallList(WatchView& v, const Box& region) : v_(v), ui_(v.ui), region_(region), pad_(watch_pad(v.scene)) {}

  void draw() {
    ui_.fill(region_, ui_.theme.panel);
    ui_.horizontal(region_.x, region_.y, region_.w, ui_.theme.hairline);
    const Box line{region_.x + pad_, region_.y, region_.w - 2 * pad_, ui_.px(40)};
    const WatchedSnapshot& text = v_.text();
    const std::int64_t kept = std::ssize(text.passes), seen = static_cast<std::int64_t>(text.passes_seen);
    const std::string most = own(std::to_string(WatchedText::kept_passes));
    std::string note = seen > kept ? "the last " + most + " of " + own(grouped(seen)) + " passes are kept"
                                   : counted(kept, "pass", "passes") + ", up to " + most + " are kept";
    if (v_.head != nullptr)
      note += "  ·  the strip is the newest row of head " + watched_head_name(v_) + " over its keys";
    const float y = line.y + ui_.px(v_.state.calls_large ? 22 : 19);
    const float right =
        v_.state.calls_large ? draw_watch_switch(v_, line.right(), y) - ui_.px(16) : line.right();
    draw_region_title(ui_, {line.x, y - ui_.px(22), line.w, line.h}, "Calls", note, right);
    plan(line);
    draw_heads(line.y + ui_.px(44));
    const float row = ui_.px(21), top = line.y + ui_.px(56);
    draw_rows({line.x, top, line.w, region_.bottom() - top - ui_.px(6)}, row);
  }

 private:
  void plan(const Box& line) {
    float x = line.x;
    const auto take = [&](float logical) { return std::exchange(x, x + ui_.px(logical)); };
    const bool wide = line.w > ui_.px(720), some = line.w > ui_.px(480);
    columns_.pass = take(52);
    columns_.shape = take(96);
    if (some) columns_.ms = x = x + ui_.px(44), x += ui_.px(20);
    if (wide) columns_.sent = x = x + ui_.px(56), x += ui_.px(22);
    if (wide) columns_.next = take(80);
    columns_.largest = take(some ? 66 : 56);
    columns_.weight = x = x + ui_.px(32);
    x += ui_.px(26);
    columns_.strip = {x, 0, std::max(0.f, line.right() - x), 0};
  }

  void draw_heads(float y) const {
    const auto head = [&](float x, std::string_view words, Align align, float room) {
      if (x > 0) ui_.text(x, y, words, {type::tick, ui_.theme.text3, Ink::Regular, align, room});
    };
    head(columns_.pass, "pass", Align::Left, ui_.px(46));
    head(columns_.shape, "rows × keys", Align::Left, ui_.px(92));
    head(columns_.ms, "ms", Align::Right, ui_.px(44));
    head(columns_.sent, "sent", Align::Right, ui_.px(60));
    head(columns_.next, "next id", Align::Left, ui_.px(76));
    head(columns_.largest, "largest key", Align::Left, columns_.weight - columns_.largest);
    if (columns_.strip.w > ui_.px(60))
      head(columns_.strip.x, "weight of the newest row", Align::Left, columns_.strip.w);
  }

  /// The held row is above the list and does not scroll.
  void draw_rows(Box area, float row) {
    const auto& passes = v_.text().passes;
    const bool has_held = v_.held_row != nullptr && area.h >= 3 * row;
    const Box held{area.x, area.y, area.w, row};
    if (has_held) {
      area.y += row;
      area.h -= row;
    }
    const auto fitting = static_cast<std::int64_t>(area.h / row);
    if (fitting < 1 || passes.empty()) return;
    const std::int64_t count = std::ssize(passes), shown = std::min(fitting, count);
    const Ui::Touch touch = ui_.touch("Calls list", area);
    if (touch.pointed)
      v_.state.calls_back += static_cast<std::int64_t>(std::lround(ImGui::GetIO().MouseWheel * 3));
    if (const std::int64_t chosen = chosen_pass(); chosen >= 0 && v_.state.row)
      v_.state.calls_back = std::clamp(v_.state.calls_back, count - shown - chosen, count - 1 - chosen);
    v_.state.calls_back = std::clamp<std::int64_t>(v_.state.calls_back, 0, count - shown);
    const std::int64_t first = count - shown - v_.state.calls_back;
    longest_ = has_held ? std::max<std::int64_t>(1, v_.held_end) : 1;
    for (std::int64_t i = 0; i < shown; ++i)
      longest_ = std::max(longest_, passes[static_cast<std::size_t>(first + i)].keys);
    for (std::int64_t i = 0; i < shown; ++i) {
      const Box line{area.x, area.y + static_cast<float>(i) * row, area.w, row};
      if (touch.pointed && ImGui::IsMousePosValid() && line.contains(ImGui::GetIO().MousePos))
        take(passes[static_cast<std::size_t>(first + i)], line, touch.clicked);
      draw_pass(first + i, i, line);
    }
    if (has_held) draw_held(held);
  }

  /// The held row, in the columns of the list.
  void draw_held(const Box& line) const {
    const float y = std::round(line.centre_y());
    const auto put = [&](float x, const std::string& words, float room) {
      ui_.text(x, y, words, {type::label, ui_.theme.b, Ink::Medium, Align::Left, room});
    };
    ui_.fill({line.x - ui_.px(8), line.y, line.w + ui_.px(16), line.h}, fade(ui_.theme.b, 0.12f), ui_.px(4));
    put(columns_.pass, "held", ui_.px(50));
    put(columns_.shape, v_.state.mean ? "mean" : "row " + own(std::to_string(v_.held_position)), ui_.px(90));
    const std::uint64_t content =
        mix_hash(v_.held->ticket, static_cast<std::uint64_t>(v_.state.mean ? -1 : v_.held_position));
    draw_strip(v_.held_row, v_.held_end, "watch held call", content, line, ui_.theme.b, Ink::Medium);
  }

  const WatchedPass& pass(std::int64_t i) const { return v_.text().passes[static_cast<std::size_t>(i)]; }

  /// The index of the pass that the followed row belongs to; -1: none in the list.
  std::int64_t chosen_pass() const {
    if (v_.head == nullptr) return -1;
    for (std::int64_t i = std::ssize(v_.text().passes) - 1; i >= 0; --i)
      if (pass(i).text == v_.head->text->text && v_.position >= pass(i).first &&
          v_.position < pass(i).first + pass(i).rows)
        return i;
    return -1;
  }

  void take(const WatchedPass& of, const Box& line, bool clicked) {
    ui_.fill({line.x - ui_.px(8), line.y, line.w + ui_.px(16), line.h}, fade(ui_.theme.text1, 0.04f),
             ui_.px(4));
    if (!clicked || v_.head == nullptr || of.text != v_.head->text->text) return;
    const std::int64_t last = last_row_of(of);
    if (v_.head->at(last) == nullptr) return;
    v_.state.row = last;
    v_.state.mean = false;
    v_.state.key.reset();
  }

  void draw_pass(std::int64_t index, std::int64_t place, const Box& line) {
    const WatchedPass& of = pass(index);
    const bool chosen = index == chosen_pass();
    const float y = std::round(line.centre_y());
    if (chosen) {
      ui_.fill({line.x - ui_.px(8), line.y, line.w + ui_.px(16), line.h}, fade(ui_.theme.text1, 0.06f),
               ui_.px(4));
      ui_.fill({region_.x, line.y + ui_.px(2), ui_.px(2), line.h - ui_.px(4)}, ui_.theme.query);
    }
    const bool begins = index > 0 && pass(index - 1).text != of.text;
    if (begins) ui_.horizontal(line.x, line.y, line.w, ui_.theme.border);
    const Rgba ink = chosen ? ui_.theme.text1 : ui_.theme.text2;
    const Ink face = chosen ? Ink::Semibold : Ink::Regular;
    const auto put = [&](float x, const std::string& words, Align align, float room, Rgba colour) {
      if (x > 0) ui_.text(x, y, words, {type::label, colour, face, align, room});
    };
    put(columns_.pass, own(std::to_string(of.number)), Align::Left, ui_.px(46), ink);
    put(columns_.shape, own(std::to_string(of.rows) + " × " + std::to_string(of.keys)), Align::Left,
        ui_.px(92), ink);
    put(columns_.ms, fixed(of.ms, of.ms < 10 ? 1 : 0), Align::Right, ui_.px(46), ink);
    put(columns_.sent, bytes(static_cast<std::int64_t>(of.bytes)), Align::Right, ui_.px(66), ink);
    put(columns_.next, of.next_id ? own(std::to_string(*of.next_id)) : "–", Align::Left, ui_.px(76), ink);
    draw_row_of(of, place, line, ink, face);
    if (index + 1 < std::ssize(v_.text().passes) && of.first == 0 && of.rows > 1 &&
        pass(index + 1).text == of.text)
      draw_dashes(line.bottom(), line.x, line.right());
  }

  void draw_dashes(float y, float from, float to) const {
    for (float x = from; x < to; x += ui_.px(8))
      ui_.horizontal(x, std::round(y), std::min(ui_.px(4), to - x), ui_.theme.text3);
  }

  void draw_row_of(const WatchedPass& of, std::int64_t place, const Box& line, Rgba ink, Ink face) {
    const float y = std::round(line.centre_y());
    const bool here = v_.head != nullptr && of.text == v_.head->text->text;
    const std::int64_t last = last_row_of(of);
    const float* const row = here ? v_.head->at(last) : nullptr;
    if (row == nullptr) {
      ui_.text(columns_.largest, y, "–", {type::label, ui_.theme.text3});
      return;
    }
    const std::int64_t end = std::min(v_.head->keys(), v_.head->layer->end_of(v_.head->layer->row_at(last)));
    draw_strip(row, end, "watch call " + std::to_string(place),
               mix_hash(v_.head->ticket, static_cast<std::uint64_t>(last)), line, ink, face);
  }

  /// The largest weight of a row, and the row over its keys. `content`: a number that identifies the row.
  void draw_strip(const float* row, std::int64_t end, const std::string& name, std::uint64_t content,
                  const Box& line, Rgba ink, Ink face) const {
    const float y = std::round(line.centre_y());
    const WatchRowWords words = words_of_row(row, end);
    const Rgba key = face == Ink::Semibold ? ui_.theme.key : ink;
    ui_.text(columns_.largest, y, own(std::to_string(words.largest_key)), {type::label, key, face});
    ui_.text(columns_.weight, y, in_cell(static_cast<double>(words.largest)),
             {type::label, ink, face, Align::Right});
    const float room = columns_.strip.w;
    if (room < ui_.px(60) || end < 1) return;
    const Box whole{columns_.strip.x, std::round(line.y + ui_.px(4)), room, line.h - ui_.px(8)};
    const float cell = std::max(1.f, std::min(ui_.px(20), std::floor(room / static_cast<float>(longest_))));
    const float wide =
        std::min(room, cell >= 2 ? cell * static_cast<float>(end)
                                 : room * static_cast<float>(end) / static_cast<float>(longest_));
    const Box box{whole.x, whole.y, std::max(1.f, std::floor(wide)), whole.h};
    // A ground as wide as the longest row: it shows which share of the keys this row sees.
    if (cell >= 2)
      ui_.fill({whole.x, whole.y, cell * static_cast<float>(longest_), whole.h}, ui_.theme.control);
    content = mix_hash(mix_hash(mix_hash(content, box.w), box.h), static_cast<std::uint64_t>(ui_.theme.name));
    content = mix_hash(content, static_cast<std::uint64_t>(watch_scale(v_.scene).map));
    ui_.matrix(name.c_str(), content, box, [&](const Ui::UseJob& use) {
      use(whole_matrix(ui_, ConstMatrixMap<float>(row, 1, end), colormap(watch_scale(v_.scene).map), box));
    });
    const float side = box.w / static_cast<float>(end);
    if (face == Ink::Semibold && side >= ui_.px(4) && words.largest_key >= 0)
      ui_.frame({box.x + side * static_cast<float>(words.largest_key), box.y, side, box.h}, ui_.theme.key,
                std::max(1.f, ui_.px(1.5f)));
  }

  WatchView& v_;
  const Ui& ui_;
  Box region_;
  float pad_;
  CallColumns columns_;
  std::int64_t longest_ = 1;
};

}  // namespace

void draw_watch_calls(WatchView& v, const Box& region) { CallList(v, region).draw(); }

}  // namespace attnscope

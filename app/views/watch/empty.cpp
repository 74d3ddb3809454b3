// app/views/watch: before the first pass: which command to run where, and what it does.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/state/window_state.hpp"
#include "app/views/watch/parts.hpp"

namespace attnscope {
namespace {

struct SnippetLine {
  std::string_view code, remark;
};
constexpr std::array<SnippetLine, 1> install{{{"pip install attnscope", ""}}};
constexpr std::array<SnippetLine, 4> first{
    {{"import attnscope", ""},
     {"attnscope.watch(model)", "# opens this window, or finds the open one"},
     {"", ""},
     {"model.generate(**tok(\"…\", return_tensors=\"pt\"))", ""}}};
constexpr std::array<SnippetLine, 3> more{
    {{"attnscope.watch(model, tokenizer=tok)", "# words instead of ids"},
     {"attnscope.watch(model, layers=[3, 17])", "# send less"},
     {"attnscope.show(q, k, v)", "# one call, no model"}}};

class EmptyWatch {
 public:
  EmptyWatch(WatchView& v, const Box& region) : v_(v), ui_(v.ui), region_(region) {}

  void draw() {
    ui_.fill(region_, ui_.theme.canvas);
    const float wide = std::min(ui_.px(840), region_.w - ui_.px(32)),
                pad = ui_.px(region_.w < ui_.px(640) ? 16 : 32);
    // In a low window first the extra facts are left out, then the promises.
    has_more_ = region_.h >= ui_.px(640);
    has_promises_ = region_.h >= ui_.px(500);
    const float high = ui_.px(has_more_ ? 596 : has_promises_ ? 474 : 358);
    const float top = std::max(region_.y + ui_.px(12), std::round(region_.centre_y() - high / 2));
    Box card{std::round(region_.centre_x() - wide / 2), top, wide, region_.bottom() - ui_.px(12) - top};
    x_ = card.x + pad;
    wide_ = card.w - 2 * pad;
    y_ = card.y + ui_.px(36);
    draw_heading();
    draw_snippet("Once, in its environment", install, "Copy install");
    draw_snippet("Then", first, "Copy watch");
    if (has_more_) draw_snippet("If you want more", more, "");
    if (has_promises_) draw_promises();
    draw_state(card);
    card.h = std::min(card.h, y_ + ui_.px(32) - card.y);
    draw_dashed_frame(card);
  }

 private:
  void draw_heading() {
    const bool connected = v_.is_live();
    ui_.text(x_, y_, connected ? "The process is here, no pass yet" : "Nothing is connected",
             {type::title, ui_.theme.text1, Ink::Semibold, Align::Left, wide_});
    y_ += ui_.px(18);
    y_ += ui_.paragraph(
              x_, y_, wide_,
              connected ? "Run the model there: every pass shows here."
                        : "Run this in the process whose attention you want to see. It can be a script, a "
                          "notebook or a training run.",
              {type::label, ui_.theme.text2}) +
          ui_.px(24);
  }

  void draw_snippet(std::string_view title, std::span<const SnippetLine> lines, const char* copy) {
    ui_.text(x_, y_, title, {type::label, ui_.theme.text1, Ink::Semibold});
    if (*copy != 0) draw_copy(copy, lines);
    y_ += ui_.px(16);
    const float line = ui_.px(22), high = line * static_cast<float>(lines.size()) + ui_.px(16);
    const Box box{x_, y_, wide_, high};
    ui_.fill(box, ui_.theme.raised, ui_.px(8));
    ui_.frame(box, ui_.theme.hairline, std::max(1.f, std::floor(ui_.scale())), ui_.px(8));
    float y = box.y + ui_.px(8) + line / 2, remarks = 0;
    for (const SnippetLine& one : lines)
      if (!one.remark.empty())
        remarks = std::max(remarks, ui_.text_width(own(one.code), type::tick, Ink::Mono));
    remarks += ui_.px(40);
    for (const SnippetLine& one : lines) {
      ui_.text(box.x + ui_.px(16), y, own(one.code),
               {type::tick, ui_.theme.text1, Ink::Mono, Align::Left, box.w - ui_.px(32)});
      const float at = box.x + ui_.px(16) + remarks, room = box.right() - ui_.px(12) - at;
      if (!one.remark.empty() && ui_.text_width(one.remark, type::tick, Ink::Mono) <= room)
        ui_.text(at, y, one.remark, {type::tick, ui_.theme.text3, Ink::Mono});
      y += line;
    }
    y_ = box.bottom() + ui_.px(24);
  }

  void draw_copy(const char* label, std::span<const SnippetLine> lines) {
    const float wide = ui_.text_width("Copy", type::label, Ink::Medium);
    const Box box{x_ + wide_ - wide - ui_.px(8), y_ - ui_.px(11), wide + ui_.px(16), ui_.px(22)};
    const Ui::Touch touch = ui_.touch(label, box);
    if (touch.hovered) ui_.fill(box, ui_.theme.control_hover, ui_.px(4));
    if (touch.focused) ui_.frame(box, ui_.theme.query, ui_.px(2), ui_.px(4));
    ui_.text(box.centre_x(), y_, "Copy", {type::label, ui_.theme.query, Ink::Medium, Align::Centre});
    if (!touch.clicked) return;
    std::string& text = v_.scene.requests.copy;
    text.clear();
    for (const SnippetLine& line : lines) {
      text.append(line.code);
      text.push_back('\n');
    }
    v_.scene.view.notices.say("Copied.");
  }

  void draw_promises() {
    constexpr std::array<std::array<std::string_view, 2>, 3> promises{
        {{"Nothing is switched off", "SDPA and Flash stay; the weights are computed here, from q, k, v."},
         {"Nothing leaves the machine", "Memory that both share, and that only this user can open."},
         {"Nothing waits", "A full ring drops the oldest call and counts it."}}};
    const float gap = ui_.px(12), wide = std::floor((wide_ - 2 * gap) / 3);
    float high = 0;
    for (const auto& [title, text] : promises)
      high = std::max(high, ui_.paragraph_height(wide - ui_.px(32), text, type::tick));
    for (std::size_t i = 0; i < promises.size(); ++i) {
      const Box box{x_ + static_cast<float>(i) * (wide + gap), y_, wide, high + ui_.px(52)};
      ui_.fill(box, ui_.theme.panel, ui_.px(8));
      ui_.text(box.x + ui_.px(16), box.y + ui_.px(21), promises[i][0],
               {type::label, ui_.theme.text1, Ink::Semibold, Align::Left, wide - ui_.px(24)});
      ui_.paragraph(box.x + ui_.px(16), box.y + ui_.px(37), wide - ui_.px(32), promises[i][1],
                    {type::tick, ui_.theme.text2});
    }
    y_ += high + ui_.px(52 + 28);
  }

  void draw_state(const Box& card) {
    if (y_ > card.bottom() - ui_.px(8)) return;
    const std::string& trouble = v_.connection().trouble;
    const bool live = v_.is_live();
    ui_.disc({x_ + ui_.px(4), std::round(y_)}, ui_.px(4), trouble.empty() ? ui_.theme.value : ui_.theme.key);
    const std::string words = !trouble.empty() ? trouble
                              : live
                                  ? "Connected to python " + own(std::to_string(v_.connection().process.pid))
                                  : "Listening for processes of this user";
    const float end = ui_.text(x_ + ui_.px(16), y_, words,
                               {type::label, ui_.theme.text2, Ink::Regular, Align::Left, wide_ - ui_.px(16)});
    constexpr std::string_view other = "F7 goes back to the model";
    if (end + ui_.text_width(other, type::tick) + ui_.px(48) < wide_)
      ui_.text(x_ + wide_, y_, other, {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
  }

  void draw_dashed_frame(const Box& box) const {
    const float dash = ui_.px(6), step = ui_.px(11);
    for (float x = box.x; x < box.right(); x += step) {
      const float wide = std::min(dash, box.right() - x);
      ui_.horizontal(x, box.y, wide, ui_.theme.border);
      ui_.horizontal(x, box.bottom() - 1, wide, ui_.theme.border);
    }
    for (float y = box.y; y < box.bottom(); y += step) {
      const float high = std::min(dash, box.bottom() - y);
      ui_.vertical(box.x, y, high, ui_.theme.border);
      ui_.vertical(box.right() - 1, y, high, ui_.theme.border);
    }
  }

  WatchView& v_;
  const Ui& ui_;
  Box region_;
  float x_ = 0, y_ = 0, wide_ = 0;
  bool has_more_ = true, has_promises_ = true;
};

}  // namespace

void draw_watch_empty(WatchView& v, const Box& region) { EmptyWatch(v, region).draw(); }

}  // namespace attnscope

#include "app/pages/lessons/parts/prose_flow.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace attnscope {
namespace {

/// Sets runs one after the other; a run that does not fit goes to the next line, with all runs that must not
/// be separated from it.
class Setter {
 public:
  Setter(const Ui& ui, float width, const ProseStyle& style) : ui_(ui), width_(width), style_(style) {}

  void add(std::string_view text, ProseRun run) {
    while (!text.empty()) {
      const std::size_t space = text.find(' ');
      if (space == 0) {
        end_word();
        const float gap = ui_.text_width(" ", style_.size);
        if (x_ > 0) x_ += gap;
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = std::min(space, text.size());
      put(text.substr(0, end), run);
      text.remove_prefix(end);
    }
  }

  SetProse finish() {
    end_word();
    end_line();
    made_.height = y_;
    return std::move(made_);
  }

 private:
  void put(std::string_view text, ProseRun run) {
    run.text = run.computed ? own_number(text) : own(text);
    run.width = ui_.text_width(run.text, run.size, run.ink);
    word_width_ += run.width;
    word_.push_back(std::move(run));
  }
  void end_word() {
    if (word_.empty()) return;
    if (x_ > 0 && x_ + word_width_ > width_) end_line();
    for (ProseRun& run : word_) {
      run.x = x_;
      run.y += y_ + std::round(ui_.px(style_.line) / 2);
      x_ += run.width;
      made_.runs.push_back(std::move(run));
    }
    word_.clear();
    word_width_ = 0;
  }
  void end_line() {
    if (style_.align == Align::Centre) {
      const float by = std::round((width_ - x_) / 2);
      for (std::size_t i = line_begin_; i < made_.runs.size(); ++i) made_.runs[i].x += by;
    }
    line_begin_ = made_.runs.size();
    x_ = 0;
    y_ += ui_.px(style_.line);
  }

  const Ui& ui_;
  float width_;
  const ProseStyle& style_;
  SetProse made_;
  std::vector<ProseRun> word_;
  float word_width_ = 0, x_ = 0, y_ = 0;
  std::size_t line_begin_ = 0;
};

}  // namespace

SetProse set_prose(const Ui& ui, const lessons::Prose& prose, float width, const ProseStyle& style,
                   const ProseLookUp& look_up) {
  Setter setter(ui, width, style);
  for (const lessons::Piece& piece : prose) {
    ProseRun run;
    run.size = style.size;
    run.colour = style.colour;
    using Kind = lessons::Piece::Kind;
    if (piece.kind == Kind::Strong || piece.kind == Kind::Number) run.colour = style.strong;
    if (piece.kind == Kind::Strong) run.ink = Ink::Semibold;
    if (piece.kind == Kind::Number) run.ink = style.number;
    run.computed = piece.kind == Kind::Number && !look_up.is_english;
    if (piece.anchor) {
      run.anchor = &*piece.anchor;
      run.colour = look_up.hue(*piece.anchor);
      run.ink = Ink::Semibold;
    }
    if (piece.kind == Kind::Formula && !piece.anchor) run.colour = style.strong;
    if (piece.level != 0) {
      run.size = std::max(std::round(style.size * 0.72f), type::tick);  // the smallest legible size
      run.y = std::round(ui.px(style.size) * (piece.level > 0 ? -0.3f : 0.24f));
    }
    setter.add(piece.kind == Kind::Number ? look_up.number(piece) : piece.text, run);
  }
  return setter.finish();
}

const lessons::Anchor* draw_prose(const Ui& ui, const SetProse& set, float x, float y,
                                  const ProseLookUp& look_up) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const lessons::Anchor* under = nullptr;
  for (const ProseRun& run : set.runs) {
    const float half = std::round(ui.px(run.size) * 0.72f);
    const Box box{x + run.x - ui.px(2), y + run.y - half, run.width + ui.px(4), 2 * half};
    const bool pointed = run.anchor != nullptr && box.contains(mouse) && ImGui::IsWindowHovered();
    if (pointed) under = run.anchor;
    if (run.anchor != nullptr && (pointed || look_up.is_lit(*run.anchor)))
      ui.fill(box, fade(run.colour, 0.22f), ui.px(4));
    ui.text(x + run.x, y + run.y, run.text, {run.size, run.colour, run.ink});
  }
  return under;
}

}  // namespace attnscope

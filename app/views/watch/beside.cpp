// app/views/watch: a model on the disk beside the stream: the offer to open one with the same shapes, and, if
// one is open, its difference to the process and the way back.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/state/window_state.hpp"
#include "app/views/tokens/crumb_lines.hpp"
#include "app/views/watch/parts.hpp"
#include "app/views/watch/watch.hpp"
#include "app/watch/join.hpp"
#include "core/edits/within.hpp"

namespace attnscope {
namespace {

using JoinKind = JoinVerdict::Kind;

/// The model that was opened beside the current stream; null: none.
const WatchJoin* join_of_stream(const WatchView& v) {
  const WatchJoin* const join = v.state.join.get();
  return join != nullptr && join->stream == v.connection().path ? join : nullptr;
}

bool is_offered(const WatchView& v) {
  return v.state.offer < v.state.offers.size() && v.state.kept_apart != v.connection().path;
}

/// Of the compared layers the one with the largest difference to the process; null: none was compared.
const JoinVerdict* furthest_of(const WatchState& state) {
  const auto rank = [](const JoinVerdict& verdict) {
    return std::pair(verdict.kind == JoinKind::Differs     ? 2
                     : verdict.kind == JoinKind::OtherMask ? 1
                                                           : 0,
                     verdict.largest);
  };
  const auto worst = std::ranges::max_element(state.verdicts, {}, rank);
  return worst == state.verdicts.end() ? nullptr : &*worst;
}

std::string join_words(const JoinVerdict& verdict) {
  const std::string layer = own(std::to_string(verdict.layer));
  if (verdict.kind == JoinKind::OtherMask) return "layer " + layer + ": the call hides other keys";
  if (verdict.kind == JoinKind::Differs)
    return "layer " + layer + " differs by up to " +
           own_number(verdict.largest < 0.01 ? tiny(verdict.largest) : fixed(verdict.largest, 2));
  return "layer " + layer + " agrees within " + own_number(tiny(verdict.largest));
}

Rgba join_colour(const Ui& ui, const JoinVerdict& verdict) {
  return verdict.kind == JoinKind::Agrees ? ui.theme.value : ui.theme.key;
}

std::string_view join_why(const JoinVerdict& verdict) {
  if (verdict.kind == JoinKind::OtherMask)
    return "The call hides keys that this model looks at, such as padding: nothing was compared.";
  if (verdict.kind == JoinKind::Differs)
    return "Another checkpoint, fewer bits on the disk, an adapter, or a call with other positions: what is "
           "worked out here is that of the model on the disk.";
  return "For these tokens every head of the layer has the weights that the process had.";
}

/// "½ Σ |difference| = 0.04 a row, 29 rows of 9 heads"
std::string join_formula(const JoinVerdict& verdict) {
  if (verdict.kind == JoinKind::OtherMask) return {};
  return "½ Σ |difference| = " +
         own_number(verdict.mean < 0.01 ? tiny(verdict.mean) : fixed(verdict.mean, 2)) + " a row · " +
         counted(verdict.rows, "row", "rows") + " · " + counted(verdict.heads, "head", "heads");
}

/// The text about the layer on the model's page, and its verdict.
struct JoinSaid {
  std::string words;
  const JoinVerdict* verdict = nullptr;
};
JoinSaid join_said(const Scene& scene, const WatchJoin& join) {
  const ModelContext& within = scene.document.within.read();
  if (join.ids.empty()) return {"no token ids were sent", nullptr};
  if (!within.changes.empty()) return {"changed inside: not compared", nullptr};
  if (!join.reads_the_same(within)) return {"another text: not compared", nullptr};
  if (join.text->find(within.block) == nullptr) return {"this layer was not sent", nullptr};
  const std::vector<JoinVerdict>& all = scene.view.watch->verdicts;
  const auto found = std::ranges::find(all, std::int64_t{within.block}, &JoinVerdict::layer);
  if (found == all.end()) return {"being compared with the process", nullptr};
  return {join_words(*found), &*found};
}

/// A word in the colour of links.
bool text_link(const Ui& ui, const char* label, float x, float y, std::string_view shown, const Tip& tip) {
  const Box box{x - ui.px(4), std::round(y - ui.px(11)),
                ui.text_width(shown, type::label, Ink::Medium) + ui.px(8), ui.px(22)};
  const Ui::Touch touch = ui.touch(label, box);
  if (touch.hovered) ui.fill(box, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(box, ui.theme.query, ui.px(2), ui.px(4));
  ui.text(x, y, shown, {type::label, ui.theme.query, Ink::Medium});
  tooltip(ui, touch.hovered, box, tip);
  return touch.clicked;
}

class OfferCard {
 public:
  OfferCard(WatchView& v, const Box& box) : v_(v), ui_(v.ui), box_(box), x_(box.x + ui_.px(16)) {}

  void draw() {
    ui_.fill(box_, ui_.theme.raised, ui_.px(6));
    ui_.fill({box_.x, box_.y, ui_.px(3), box_.h}, ui_.theme.key);
    if (const WatchJoin* const join = join_of_stream(v_))
      draw_join(*join);
    else
      draw_offer(v_.state.offers[v_.state.offer]);
  }

 private:
  void draw_words(std::string_view title, std::string_view line, Rgba ink) const {
    const float room = box_.right() - ui_.px(12) - x_;
    ui_.text(x_, box_.y + ui_.px(19), title,
             {type::label, ui_.theme.text1, Ink::Semibold, Align::Left, room});
    ui_.text(x_, box_.y + ui_.px(40), line, {type::tick, ink, Ink::Regular, Align::Left, room});
  }
  /// Adds a link to the right of the others; false if it was not clicked or has no room.
  bool add_link(const char* label, std::string_view shown, const Tip& tip) {
    const float x = x_ + across_, wide = ui_.text_width(shown, type::label, Ink::Medium);
    if (x + wide > box_.right() - ui_.px(4)) return false;  // the palette has it, too
    across_ += wide + ui_.px(20);
    return text_link(ui_, label, x, box_.y + ui_.px(63), shown, tip);
  }

  void draw_offer(const WatchOffer& offer) {
    draw_words("Same shapes lie on disk: " + own(offer.name),
               offer.is_named ? "Same shapes and name; weights not compared yet."
                              : "Same shapes; the weights are not compared yet.",
               ui_.theme.text2);
    const std::string name = own(offer.name);
    const std::string where = offer.where.empty() ? own(offer.path.native()) : own(offer.where);
    if (add_link(
            "Open beside it", "Open beside it",
            {name,
             where,
             "The model reads the tokens that the process has read; its weights are compared with those that "
             "were watched. F7 leads back here.",
             {}}))
      v_.state.open_offer = true;
    if (add_link("Keep apart", "Keep apart", {"Keep apart", {}, "Not offered again beside this stream.", {}}))
      v_.state.kept_apart = v_.connection().path;
    const std::size_t count = v_.state.offers.size();
    if (count > 1 &&
        add_link("Another of the same shapes",
                 own(std::to_string(v_.state.offer + 1) + " / " + std::to_string(count)),
                 {"Another of the same shapes", {}, "Several models on the disk have these shapes.", {}}))
      v_.state.offer = (v_.state.offer + 1) % count;
  }

  void draw_join(const WatchJoin& join) {
    const JoinVerdict* const verdict = furthest_of(v_.state);
    const std::string line = verdict != nullptr ? join_words(*verdict)
                             : join.ids.empty() ? "No token ids were sent: nothing to compare."
                                                : "The weights are not compared yet.";
    draw_words("Opened beside it: " + own(join.name), line,
               verdict != nullptr ? join_colour(ui_, *verdict) : ui_.theme.text2);
    if (has_watched_beside(v_.scene) &&
        add_link("Go to the model beside it", "Go to it",
                 {"Go to it", {}, "The model that was opened beside this stream.", "F7"}))
      leave_watch(v_.scene);
    if (is_offered(v_) &&
        add_link("Open beside it", "Open with these tokens",
                 {"Open with these tokens", {}, "The model reads what the process has read by now.", {}}))
      v_.state.open_offer = true;
  }

  WatchView& v_;
  const Ui& ui_;
  Box box_;
  float x_, across_ = 0;
};

}  // namespace

bool has_watched_beside(const Scene& scene) {
  const WatchJoin* const join = scene.view.watch->join.get();
  return join != nullptr && join->is_in(scene.document.within.read());
}

void watch_open_beside(Scene& scene) {
  if (!is_watching(scene.view))
    return scene.view.notices.say("No process is watched: F7 shows those that send.");
  const WatchView v = watch_view(scene);
  if (v.state.offer >= v.state.offers.size())
    return scene.view.notices.say("No model on the disk has the shapes of the one that is watched.");
  v.state.open_offer = true;
}

float draw_watch_offer(WatchView& v, const Box& room) {
  const float high = v.ui.px(82);
  if (room.h < high || (join_of_stream(v) == nullptr && !is_offered(v))) return 0;
  OfferCard(v, {room.x, room.bottom() - high, room.w, high}).draw();
  return high;
}

void draw_watch_way_back(Scene& scene, const Box& strip) {
  if (scene.view.mode != Mode::Model || is_watching(scene.view) || scene.ui.is_figure()) return;
  if (!has_watched_beside(scene)) return;
  const Ui& ui = scene.ui;
  const WatchJoin& join = *scene.view.watch->join;
  const CrumbLines lines = crumb_lines(scene, strip);
  const std::string name = "‹ python " + own(std::to_string(join.pid));
  const auto line = [&](float y, const std::string& words) {
    const float wide = std::min(lines.room, ui.text_width(words, type::tick, Ink::Medium));
    return Box{lines.x - ui.px(4), y - ui.px(9), wide + ui.px(8), ui.px(18)};
  };
  const Box back = line(lines.above, name);
  const Ui::Touch touch = ui.touch("Back to the process", back);
  if (touch.hovered) ui.fill(back, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(back, ui.theme.query, ui.px(2), ui.px(4));
  ui.text(lines.x, lines.above, name, {type::tick, ui.theme.query, Ink::Medium, Align::Left, lines.room});
  tooltip(ui, touch.hovered, back,
          {"Back to the process", {}, "This model was opened beside a stream: the Watch page again.", "F7"});
  if (touch.clicked) show_watch(scene);
  const SentenceState& sentence = scene.view.keyboard.sentence;
  if (sentence.active && typed_texts(scene.document) > 0 && ui.is_shaped(typed_text(scene.document, 0)))
    return;  // the letters are drawn here while the text is edited
  const JoinSaid said = join_said(scene, join);
  const Box below = line(lines.below, said.words);
  ui.text(lines.x, lines.below, said.words,
          {type::tick, said.verdict != nullptr ? join_colour(ui, *said.verdict) : ui.theme.text3, Ink::Medium,
           Align::Left, lines.room});
  if (said.verdict == nullptr) return;
  const std::string formula = join_formula(*said.verdict);
  tooltip(ui, ui.touch("Compared with the process", below, false).hovered, below,
          {"Compared with the process", formula, join_why(*said.verdict), {}});
}

}  // namespace attnscope

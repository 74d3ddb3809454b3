#include "app/views/parts/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/state/model_look.hpp"
#include "app/state/window_state.hpp"

namespace attnscope {
namespace {

/// The refusal is still shown on a card that can be dismissed.
bool is_announced(const ViewState& view) { return view.notices.of(Notice::Source::Engine) != nullptr; }

std::string words_of(const Remedy& remedy) {
  const std::string to = std::to_string(remedy.value);
  switch (remedy.what) {
    case LayerNumber::Heads: return "heads: use " + to;
    case LayerNumber::Width: return "d_model: use " + to;
    case LayerNumber::KeyHeads: return "kv heads: use " + to;
    case LayerNumber::KeyWidth: return "dₖ: use " + (remedy.value == 0 ? "d_model / heads" : to);
    case LayerNumber::ValueWidth: return "d_v: use dₖ";
    case LayerNumber::PaddedLength: break;
  }
  return "pad to: as long as needed";
}

/// The remedies, first those for the number that is red, which a person has just typed.
std::vector<Remedy> ordered_remedies(const Scene& scene) {
  std::vector<Remedy> all = remedies(scene.document);
  std::stable_partition(all.begin(), all.end(), [&](const Remedy& c) { return is_refused(scene, c.what); });
  return all;
}

float button_width(const Ui& ui, const std::string& words) {
  return ui.text_width(words, type::label, Ink::Medium) + ui.px(24);
}

/// Buttons from x to the right as far as they fit; a click on one changes the Document.
void draw_remedies(Scene& scene, const std::vector<Remedy>& all, float x, float right, float y) {
  const Ui& ui = scene.ui;
  for (const Remedy& remedy : all) {
    const std::string words = words_of(remedy);
    const Box box{std::round(x), std::round(y - ui.px(13)), button_width(ui, words), ui.px(26)};
    if (box.right() > right) return;
    if (button(ui, words.c_str(), box,
               {"A value that fits", {}, "The nearest number with which this can be computed.", "Ctrl+Z"})) {
      try {
        scene.document = remedied(std::move(scene.document), remedy);
      } catch (const std::exception& error) {
        scene.view.notices.say(error.what());
      }
      return;
    }
    x = box.right() + ui.px(8);
  }
}

/// Draws in a window above those that scroll; the mouse does not reach what it covers.
template <class Draw>
void in_window(const Ui& ui, const char* name, const Box& box, ImGuiWindowFlags flags, Draw draw) {
  ImGui::SetCursorScreenPos(box.min());
  ImGui::BeginChild(name, {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    flags | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                        ImGuiWindowFlags_NoScrollWithMouse);
  ui.clip(box);
  draw();
  ui.unclip();
  ImGui::EndChild();
}

void draw_ground(const Ui& ui, const Box& card) {
  ui.fill(card, ui.theme.raised, ui.px(8));
  ui.frame(card, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  ui.fill({card.x, card.y + ui.px(6), ui.px(3), card.h - ui.px(12)}, ui.theme.error);
}

void draw_card(Scene& scene, const Box& focus, const std::vector<Remedy>& all) {
  const Ui& ui = scene.ui;
  ViewState& view = scene.view;
  const float width = std::min(ui.px(560), focus.w - ui.px(24)), pad = ui.px(16);
  if (width < ui.px(120)) return;
  const float inner = width - 2 * pad - ui.px(24);
  const float text = ui.paragraph_height(inner, view.refusal, type::label);
  const float buttons = all.empty() ? 0 : ui.px(36);
  const float height = ui.px(13 + 22 + 13) + text + buttons;
  const float bottom = std::max(focus.y + height, focus.bottom() - ui.px(72));
  const Box card{std::round(focus.centre_x() - width / 2), std::round(bottom - height), width, height};
  in_window(ui, "Not computed", card, 0, [&] {
    draw_ground(ui, card);
    ui.text(card.x + pad, card.y + ui.px(22), "not computed", {type::label, ui.theme.error, Ink::Semibold});
    ui.paragraph(card.x + pad, card.y + ui.px(35), inner, view.refusal, {type::label, ui.theme.text1});
    draw_remedies(scene, all, card.x + pad, card.right() - pad, card.bottom() - ui.px(10 + 13));
    const Box close{card.right() - ui.px(32), card.y + ui.px(10), ui.px(24), ui.px(24)};
    const Ui::Touch touch = ui.touch("Dismiss", close);
    if (touch.hovered) ui.fill(close, ui.theme.control_hover, ui.px(4));
    ui.text(close.centre_x(), close.centre_y(), "×",
            {type::body, ui.theme.text2, Ink::Regular, Align::Centre});
    if (touch.clicked) view.notices.say(Notice::Source::Engine, {});
  });
}

/// After the card is dismissed: one line, as long as the picture is stale.
void draw_line(Scene& scene, const Box& focus, const std::vector<Remedy>& all) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(12), most = focus.w - ui.px(24);
  if (most < ui.px(80)) return;
  const std::string words = "not computed:  " + scene.view.refusal;
  float buttons = 0;
  for (const Remedy& remedy : all) buttons += button_width(ui, words_of(remedy)) + ui.px(8);
  if (buttons > most * 0.6f) buttons = all.empty() ? 0 : button_width(ui, words_of(all.front())) + ui.px(8);
  if (buttons > most * 0.6f) buttons = 0;
  const float text = std::min(ui.text_width(words, type::label, Ink::Medium), most - buttons - 2 * pad);
  const float width = std::ceil(text + buttons + 2 * pad), height = ui.px(36);
  const float bottom = std::max(focus.y + height, focus.bottom() - ui.px(72));
  const Box line{std::round(focus.centre_x() - width / 2), std::round(bottom - height), width, height};
  in_window(ui, "Not computed", line, 0, [&] {
    draw_ground(ui, line);
    ui.text(line.x + pad, line.centre_y(), words,
            {type::label, ui.theme.error, Ink::Medium, Align::Left, text + 1});
    draw_remedies(scene, all, line.x + pad + text + ui.px(8), line.right() - ui.px(4), line.centre_y());
  });
}

}  // namespace

bool is_refused(const Scene& scene, LayerNumber number) {
  if (scene.view.refusal.empty()) return false;
  const std::vector<LayerNumber> numbers = unfitting_numbers(scene.document);
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) return false;
  const auto changed = [&](LayerNumber n) {
    return value_of(scene.document, n) != value_of(scene.result.document, n);
  };
  return changed(number) || std::none_of(numbers.begin(), numbers.end(), changed);
}

bool is_stale(Scene& scene) {
  std::optional<double>& since = model_look_of(scene.view).stale_since;
  const ModelContext& asked = scene.document.within.read();
  const bool is_of_it =
      !asked || scene.model == nullptr ||
      (asked.input == scene.model->within.input && asked.changes == scene.model->within.changes);
  if (is_of_it) {
    since.reset();
    return false;
  }
  if (!since) since = scene.view.now;
  return scene.view.now - *since > stale_moment;
}

void draw_refusal(Scene& scene, const Layout& layout) {
  const bool is_refused = !scene.view.refusal.empty();
  const bool shows_layer = scene.view.mode != Mode::Model && !is_page(scene.view.mode);
  if (!is_refused && !(shows_layer && is_stale(scene))) return;
  const Ui& ui = scene.ui;
  // The area of results: right of the controls in Explore, the whole area in other modes.
  Box stale = layout.whole;
  if (scene.view.mode == Mode::Explore) {
    stale.x = layout.controls.right();
    stale.w -= layout.controls.w;
  }
  if (stale.w < 1 || stale.h < 1) return;
  in_window(ui, "Stale", stale, ImGuiWindowFlags_NoInputs,
            [&] { ui.fill(stale, fade(ui.theme.canvas, 0.66f)); });
  if (!is_refused) return;
  const Box& focus = scene.view.mode == Mode::Explore ? layout.focus : layout.whole;
  const std::vector<Remedy> all = ordered_remedies(scene);
  if (is_announced(scene.view)) {
    draw_card(scene, focus, all);
  } else {
    draw_line(scene, focus, all);
  }
}

}  // namespace attnscope

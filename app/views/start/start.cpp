#include "app/views/start/start.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/marks.hpp"
#include "app/scene/actions.hpp"
#include "app/scene/scene.hpp"
#include "app/state/start_state.hpp"
#include "app/state/window_state.hpp"
#include "core/edits/switches.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr float band_height = 68, low_band_height = 42;  // logical pixels; the low one has no sentence
constexpr double at_least_told = 1;  // seconds that the last sentence stays before a click closes the card

/// The current form of a step, and the key of the action that does it.
struct Offer {
  FirstStep step;
  const char* label;  // of the widget
  std::string_view title, why;
  std::string_view done;  // replaces the title after the step is done: the new state
  ImGuiKeyChord key;
};

std::array<Offer, first_steps> offers(const Document& document) {
  const bool divided = edit::is_divided(document);
  const bool causal = document.layer().masking.causal;
  return {{{FirstStep::Scaling, "First step: scaling", divided ? "Switch √dₖ off" : "Switch √dₖ on",
            "Watch the entropies of the rows.", divided ? "√dₖ is on" : "√dₖ is off", ImGuiKey_S},
           {FirstStep::Future, "First step: future", causal ? "Let it see the future" : "Hide the future",
            causal ? "The causal mask hides later tokens. Watch the hatched half of the map."
                   : "The causal mask hides later tokens. Watch the upper half of the map.",
            causal ? "The future is hidden" : "It sees the future", ImGuiKey_C},
           {FirstStep::Sentence, "First step: sentence", "Type your own sentence",
            "Everything follows each key you press.", "Your own sentence", ImGuiMod_Ctrl | ImGuiKey_L}}};
}

/// Null if no action has the key.
const Action* action_with(ImGuiKeyChord key) {
  const auto action = std::ranges::find(actions(), key, &Action::key);
  return action == actions().end() ? nullptr : &*action;
}
const Action* action_of(const Offer& offer) { return action_with(offer.key); }

void do_step(Scene& scene, const Offer& offer) {
  if (const Action* action = action_of(offer)) action->run(scene);
}

/// Its right end is at `right`; returns the width that it takes.
float draw_key_of(const Ui& ui, float right, float y, const Offer& offer) {
  if (action_of(offer) == nullptr) return 0;
  const std::string key = key_name(offer.key);
  return draw_keycap(ui, right - keycap_width(ui, key), y, key) + ui.px(8);
}

void draw_close(Scene& scene, ImVec2 centre) {
  const Ui& ui = scene.ui;
  const Box close{std::round(centre.x - ui.px(12)), std::round(centre.y - ui.px(12)), ui.px(24), ui.px(24)};
  const Ui::Touch touch = ui.touch("Leave the first steps", close);
  if (touch.hovered) ui.fill(close, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(close.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  ui.text(close.centre_x(), close.centre_y(), "×", {type::body, ui.theme.text2, Ink::Regular, Align::Centre});
  tooltip(ui, touch.hovered, close, {"Put this away", {}, "It does not come back by itself.", "Esc"});
  if (touch.clicked) leave_start(scene.view);
}

Ui::Touch draw_ground(const Ui& ui, const char* label, const Box& box) {
  const Ui::Touch touch = ui.touch(label, box);
  ui.fill(box,
          touch.held      ? ui.theme.segment_on
          : touch.hovered ? ui.theme.control_hover
                          : ui.theme.raised,
          ui.px(8));
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(10));
  return touch;
}

constexpr std::string_view title_text = "Three things to try";
constexpr std::string_view opening_text = "The picture is live: it follows whatever you change.";
constexpr std::string_view end_text = "That was all three.";

std::string_view title_of(const StartState::Step& step, const Offer& offer) {
  return step.done ? offer.done : offer.title;
}

/// The text under the title of a step: what to look at, and afterwards the result.
std::string_view below(const StartState::Step& step, const Offer& offer) {
  return step.seen.empty() ? offer.why : std::string_view(step.seen);
}

/// A caveat about the picture where it could be misunderstood; else the usual text.
std::string opening_words(const Document& document) {
  const ModelContext& within = document.within.read();
  if (!within || !within.model->model->spec.head.names_referents) return std::string(opening_text);
  return "A small encoder, trained here on made-up sentences of " +
         grouped(within.model->model->spec.vocabulary) +
         " words to say what each verb and pronoun refers to. The picture follows whatever you change.";
}

struct Card {
  float inner, indent, text_width;
  bool all_texts = true;  // else only that of the last step that was done

  bool has_text(const StartState& start, const Offer& offer) const {
    return all_texts || start.last == offer.step;
  }
  float height(const Ui& ui, const StartState& start, const Offer& offer) const {
    const float text = ui.paragraph_height(text_width, below(start.step(offer.step), offer), type::label);
    return 2 * inner + ui.px(18) + (has_text(start, offer) ? ui.px(4) + text : 0);
  }
};

void draw_step(Scene& scene, const Box& card, const Card& form, const Offer& offer) {
  const Ui& ui = scene.ui;
  const StartState::Step& step = scene.view.start->step(offer.step);
  const Ui::Touch touch = draw_ground(ui, offer.label, card);
  const float line = card.y + form.inner + ui.px(8), x = card.x + form.inner + form.indent;
  draw_done_mark(ui, {card.x + form.inner + ui.px(9), line}, step.done);
  const float cap = draw_key_of(ui, card.right() - form.inner, line, offer);
  ui.text(x, line, title_of(step, offer),
          {type::body, ui.theme.text1, Ink::Medium, Align::Left, form.text_width - cap});
  if (form.has_text(*scene.view.start, offer))
    ui.paragraph(x, card.y + form.inner + ui.px(22), form.text_width, below(step, offer),
                 {type::label, step.seen.empty() ? ui.theme.text2 : ui.theme.text1});
  if (touch.clicked) do_step(scene, offer);
}

/// A place to go on to after all three steps.
struct NextPlace {
  const char* label;
  std::string_view title, why;
  ImGuiKeyChord key;
};
constexpr std::array<NextPlace, 2> next_places{
    {{"Next: lessons", "Lessons", "Attention from the first number on, step by step, with predictions.",
      ImGuiKey_F8},
     {"Next: model", "Model", "All heads of a whole model, what is in its stream and what it predicts.",
      ImGuiKey_F7}}};

constexpr const char* put_back_label = "Put it back";

/// The state before the steps: "√dₖ on  ·  no mask".
std::string words_of_untouched(const StartState& start, const std::vector<FirstStep>& steps) {
  if (steps.empty() || !start.untouched) return {};
  const std::string_view scaling = start.untouched->divided ? "√dₖ on" : "√dₖ off";
  const std::string_view future = start.untouched->causal ? "the future hidden" : "no mask";
  if (steps.size() > 1) return std::string(scaling) + "  ·  " + std::string(future);
  return std::string(steps.front() == FirstStep::Scaling ? scaling : future);
}

/// Undoes the settings that the steps changed, each by its own action.
void put_back(Scene& scene, const std::vector<FirstStep>& steps) {
  for (const Offer& offer : offers(scene.document))
    if (std::ranges::find(steps, offer.step) != steps.end()) do_step(scene, offer);
}

/// Below the three cards after all steps: the way back and places to go on to, as many rows as fit.
class NextRows {
 public:
  NextRows(Scene& scene, float x, float width)
      : scene_(scene),
        ui_(scene.ui),
        x_(x),
        width_(width),
        steps_(steps_to_put_back(start(), scene.document)) {}

  /// The course's row is not counted: it is left out where there is no room.
  float height() const {
    if (!start().all_done()) return 0;
    return static_cast<float>(next_places.size() + (steps_.empty() ? 0 : 1)) * step();
  }
  void put_below(float y, float bottom) {
    if (!start().all_done()) return offer_course(y, bottom);
    if (!steps_.empty() && y + step() <= bottom) {
      if (offer_row(y, put_back_label, "Put it back", words_of_untouched(start(), steps_),
                    "What the first steps left switched is as it was before them. Your sentence stays.", {}))
        put_back(scene_, steps_);
      y += step();
    }
    for (const NextPlace& place : next_places) {
      if (y + step() > bottom) return;
      const Action* const action = action_with(place.key);
      if (offer_row(y, place.label, place.title, {}, place.why, key_name(place.key)) && action != nullptr) {
        leave_start(scene_.view);
        action->run(scene_);
      }
      y += step();
    }
    offer_course(y, bottom);
  }

 private:
  const StartState& start() const { return *scene_.view.start; }
  float step() const { return ui_.px(36); }

  void offer_course(float y, float bottom) {
    if (y + step() > bottom) return;
    if (!offer_row(y, "Next: course", "Attention in one hour", {},
                   "A course: seven chapters from one sentence to a model that people use. It begins with a "
                   "question.",
                   {}))
      return;
    leave_start(scene_.view);
    scene_.requests.course = CourseRequest{std::string(first_course)};
  }

  bool offer_row(float y, const char* label, std::string_view title, const std::string& note,
                 std::string_view why, const std::string& key) {
    const Box box{x_, y, width_, ui_.px(30)};
    const Ui::Touch touch = draw_ground(ui_, label, box);
    const float pad = ui_.px(12), middle = box.centre_y();
    float right = box.right() - pad;
    if (!key.empty()) right -= draw_keycap(ui_, right - keycap_width(ui_, key), middle, key) + ui_.px(8);
    const float wide =
        ui_.text(box.x + pad, middle, title,
                 {type::label, ui_.theme.text1, Ink::Medium, Align::Left, right - box.x - pad});
    const float room = right - box.x - pad - wide - ui_.px(12);
    if (room > ui_.px(24))
      ui_.text(right, middle, note, {type::label, ui_.theme.text2, Ink::Regular, Align::Right, room});
    tooltip(ui_, touch.hovered, box, {title, note, why, key});
    return touch.clicked;
  }

  Scene& scene_;
  const Ui& ui_;
  float x_, width_;
  std::vector<FirstStep> steps_;
};

void draw_card(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const StartState& start = *scene.view.start;
  const float pad = ui.px(scene.compact ? 14 : 20), gap = ui.px(10), x = box.x + pad, width = box.w - 2 * pad;
  const std::array<Offer, first_steps> all = offers(scene.document);
  Card form{ui.px(12), ui.px(30), width - 2 * ui.px(12) - ui.px(30)};
  const std::string opening = start.all_done() ? std::string(end_text) : opening_words(scene.document);
  const float top = box.y + ui.px(48),
              first = top + ui.paragraph_height(width, opening, type::label) + ui.px(12);
  NextRows next(scene, x, width);
  float bottom = first - gap + next.height();
  for (const Offer& offer : all) bottom += form.height(ui, start, offer) + gap;
  form.all_texts = bottom <= box.bottom() - ui.px(4);

  ui.vertical(box.x, box.y, box.h, ui.theme.hairline);
  ui.text(x, box.y + ui.px(28), title_text, {type::title, ui.theme.text1, Ink::Semibold});
  draw_close(scene, {x + width - ui.px(12), box.y + ui.px(28)});
  ui.paragraph(x, top, width, opening, {type::label, ui.theme.text2});
  float y = first;
  for (const Offer& offer : all) {
    const float height = form.height(ui, start, offer);
    draw_step(scene, {x, y, width, height}, form, offer);
    y += height + gap;
  }
  next.put_below(y, box.bottom());
}

/// Three buttons in a row, and one line about the last step that was done.
void draw_band(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const StartState& start = *scene.view.start;
  const float pad = ui.px(12), gap = ui.px(8), close = ui.px(32), high = ui.px(30);
  ui.horizontal(box.x, box.bottom() - 1, box.w, ui.theme.hairline);
  const float width = std::floor((box.w - 2 * pad - close - 2 * gap) / 3);
  const float middle = box.y + ui.px(6) + high / 2;
  float x = box.x + pad;
  for (const Offer& offer : offers(scene.document)) {
    const Box button{std::round(x), std::round(middle - high / 2), width, high};
    const Ui::Touch touch = draw_ground(ui, offer.label, button);
    draw_done_mark(ui, {button.x + ui.px(18), middle}, start.step(offer.step).done);
    const float cap = draw_key_of(ui, button.right() - ui.px(8), middle, offer);
    ui.text(button.x + ui.px(34), middle, title_of(start.step(offer.step), offer),
            {type::label, ui.theme.text1, Ink::Medium, Align::Left, width - ui.px(42) - cap});
    tooltip(ui, touch.hovered, button, {offer.title, {}, below(start.step(offer.step), offer)});
    if (touch.clicked) do_step(scene, offer);
    x += width + gap;
  }
  draw_close(scene, {box.right() - pad - ui.px(12), middle});
  if (box.h < ui.px(band_height)) return;
  const std::vector<FirstStep> steps =
      start.all_done() ? steps_to_put_back(start, scene.document) : std::vector<FirstStep>();
  float room = box.w - 2 * pad;
  if (!steps.empty()) {
    const float wide = ui.text_width("Put it back", type::label, Ink::Medium) + ui.px(20);
    const Box button_box{box.right() - pad - wide, box.bottom() - ui.px(28), wide, ui.px(22)};
    if (button(ui, put_back_label, button_box,
               {"Put it back", words_of_untouched(start, steps),
                "What the first steps left switched is as it was before them. Your sentence stays."}))
      put_back(scene, steps);
    room -= wide + gap;
  }
  const std::string& seen = start.step(start.last).seen;
  const std::string text = !seen.empty() ? seen : opening_words(scene.document);
  ui.text(box.x + pad, box.bottom() - ui.px(17), text,
          {type::label, seen.empty() ? ui.theme.text2 : ui.theme.text1, Ink::Regular, Align::Left, room});
}

/// After all steps were done and read, a click outside of the card, Enter or a typed character closes it, but
/// not while a text field has the keyboard.
bool is_over(const StartState& start, const Box& card) {
  const bool waiting = std::ranges::any_of(start.steps, &StartState::Step::waiting);
  const ImGuiIO& io = ImGui::GetIO();
  if (!start.all_done() || waiting || io.WantTextInput || ImGui::GetTime() < start.seen_at + at_least_told)
    return false;
  return (ImGui::IsMouseClicked(0) && !card.contains(io.MousePos)) ||
         ImGui::IsKeyPressed(ImGuiKey_Enter, false) || !io.InputQueueCharacters.empty();
}

}  // namespace

bool is_start_shown(const ViewState& view, const LayerResult& result) {
  return view.start->open && view.mode == Mode::Explore && !result.is_long();
}

Layout with_start(Layout l, const ViewState& view) {
  if (l.inspector.w > 0 && !l.drawer) {
    l.start = l.inspector;
    l.inspector = {};
    return l;
  }
  const auto px = [&view](float logical) { return std::round(logical * view.scale); };
  const float high = px(band_height), height = l.focus.h - high < px(320) ? px(low_band_height) : high;
  if (l.focus.h - height < px(160)) return l;
  l.start = {0, l.top.bottom(), l.top.w, height};
  for (Box* box : {&l.strip, &l.controls, &l.heads, &l.focus, &l.tab, &l.inspector, &l.whole})
    box->y += height;
  for (Box* box : {&l.controls, &l.heads, &l.focus, &l.tab, &l.inspector, &l.whole})
    box->h = std::max(0.f, box->h - height);
  return l;
}

void draw_start(Scene& scene, const Box& box) {
  if (box.w > box.h * 4)
    draw_band(scene, box);
  else
    draw_card(scene, box);
  if (is_over(*scene.view.start, box)) leave_start(scene.view);
}

}  // namespace attnscope

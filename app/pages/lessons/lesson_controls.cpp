// app/pages/lessons: the controls that a step names, side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/keyboard_focus.hpp"
#include "app/pages/lessons/controls.hpp"
#include "app/state/window_state.hpp"
#include "core/document/enum_names.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/switches.hpp"
#include "core/edits/within.hpp"

namespace attnscope {

float draw_lesson_switch(LessonPage& page, const Box& at, const char* label, std::string_view shown, bool on,
                         const Tip& tip, bool& clicked) {
  const Ui& ui = page.ui();
  const float width = ui.text_width(shown, type::label) + ui.px(40);
  const Box row{at.x, at.centre_y() - ui.px(14), width, ui.px(28)};
  clicked = toggle(ui, label, shown, row, on, tip) && !page.covered;
  return width;
}

namespace {

float draw_lesson_number(LessonPage& page, const Box& at, const char* label, std::string_view shown,
                         std::int64_t value, const std::function<std::int64_t(int)>& next, const Tip& tip,
                         std::optional<std::int64_t>& chosen) {
  const Ui& ui = page.ui();
  const float name = ui.text(at.x, at.centre_y(), shown, {type::label, ui.theme.text2}) + ui.px(10);
  const Box box{at.x + name, at.centre_y() - ui.px(13), ui.px(96), ui.px(26)};
  chosen = stepper(ui, label, box, value, next, tip);
  if (page.covered) chosen.reset();
  return name + box.w;
}

float draw_scaling_control(LessonPage& page, const Box& at) {
  Document& document = page.scene.document;
  bool clicked = false;
  const bool on = edit::is_divided(document);
  const float width = draw_lesson_switch(
      page, at, "Divide by sqrt(d_k)", "Divide by √dₖ", on,
      {"Divide by √dₖ", "S ÷ √dₖ", "Keeps the spread of the scores near 1 whatever dₖ is.", "S"}, clicked);
  if (clicked) document = edit::divided(std::move(document), !on);
  return width;
}
float draw_causal_control(LessonPage& page, const Box& at) {
  bool& on = page.scene.document.layer().masking.causal;
  bool clicked = false;
  const float width =
      draw_lesson_switch(page, at, "Causal", "causal mask", on,
                         {"Causal mask", "j ≤ i", "No query sees a later key.", "C"}, clicked);
  if (clicked) page.scene.document.layer().masking.causal = !on;
  return width;
}
float draw_padding_control(LessonPage& page, const Box& at) {
  bool& on = page.scene.document.layer().masking.padding;
  bool clicked = false;
  const float width =
      draw_lesson_switch(page, at, "Padding", "padding mask", on,
                         {"Padding mask", {}, "No query sees a key that is padding.", "P"}, clicked);
  if (clicked) page.scene.document.layer().masking.padding = !on;
  return width;
}
float draw_zero_key_control(LessonPage& page, const Box& at) {
  const bool on = page.scene.document.layer().add_zero_attn;
  bool clicked = false;
  const float width = draw_lesson_switch(
      page, at, "Zero key", "zero key", on,
      {"Zero key", "k = v = 0", "One more key and value of zeros that every query sees.", {}}, clicked);
  if (clicked) page.scene.document = edit::add_zero_attn(std::move(page.scene.document), !on);
  return width;
}
float draw_mute_control(LessonPage& page, const Box& at) {
  const std::int64_t head = page.scene.selection.head;
  const bool on = has_intervention(page.scene.document, head);
  bool clicked = false;
  const float width =
      draw_lesson_switch(page, at, "Mute head", "mute this head", on,
                         {"Mute", "output 0", "The head adds nothing to the output.", "Shift+M"}, clicked);
  if (clicked) page.scene.document = edit::mute(std::move(page.scene.document), head);
  return width;
}

float draw_temperature_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const float tau = page.scene.document.layer().temperature;
  const Box row{at.x, at.centre_y() - ui.px(20), ui.px(190), ui.px(36)};
  const auto moved = slider(
      ui, "Temperature", "temperature τ", fixed(static_cast<double>(tau), 2), row, tau, {0.1f, 10, 1, true},
      tau != 1, {"Temperature", "softmax(S / τ)", "Below 1 the weights sharpen, above 1 they even out.", {}});
  if (moved && !page.covered) page.scene.document.layer().temperature = *moved;
  return row.w;
}
float draw_soft_cap_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const float cap = page.scene.document.layer().soft_cap;
  constexpr float usual = 50;
  const Box row{at.x, at.centre_y() - ui.px(20), ui.px(170), ui.px(36)};
  const float shown = cap > 0 ? cap : usual;
  const auto moved =
      slider(ui, "Cap", "cap c", cap > 0 ? fixed(static_cast<double>(cap), 2) : "off", row, shown,
             {0.1f, usual, usual, true}, cap > 0,
             {"Soft-cap", "c · tanh(x / c), before the mask", "Capped logits lie in (−c, c).", {}});
  if (moved && !page.covered) page.scene.document.layer().soft_cap = *moved >= usual ? 0 : *moved;
  return row.w;
}
float draw_dropout_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  const float rate = page.scene.document.layer().dropout.rate;
  const Box row{at.x, at.centre_y() - ui.px(20), ui.px(150), ui.px(36)};
  const auto moved = slider(
      ui, "Dropout", "dropout", fixed(100 * static_cast<double>(rate), 0) + " %", row, rate, {0, 0.9f, 0},
      rate > 0, {"Dropout", "A ∘ keep / (1 − rate)", "In training, weights are set to 0 at random.", {}});
  if (moved && !page.covered) page.scene.document.layer().dropout.rate = *moved < 0.005f ? 0 : *moved;
  return row.w;
}

/// The choice of dₖ: powers of two, since d_model has to be a multiple of the number of heads.
float draw_d_k_control(LessonPage& page, const Box& at) {
  Scene& scene = page.scene;
  const std::int64_t now = key_width(scene.document);
  std::optional<std::int64_t> chosen;
  const float width = draw_lesson_number(
      page, at, "d_k", "dₖ", now,
      [&](int step) { return step > 0 ? now * 2 : std::max<std::int64_t>(1, now / 2); },
      {"dₖ", "width of a query", "A score is a sum of so many products.", {}}, chosen);
  if (chosen) {
    Document wider = scene.document;
    try {
      scene.document =
          edit::d_k(std::move(wider), static_cast<int>(std::clamp<std::int64_t>(*chosen, 1, 1024)));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  return width;
}
float draw_heads_control(LessonPage& page, const Box& at) {
  Scene& scene = page.scene;
  const std::int64_t now = scene.document.layer().heads;
  std::optional<std::int64_t> chosen;
  const float width = draw_lesson_number(
      page, at, "Number of heads", "heads", now,
      [&](int step) { return step > 0 ? now * 2 : std::max<std::int64_t>(1, now / 2); },
      {"Heads", "d_k = d_model / heads", "More heads are narrower.", {}}, chosen);
  if (chosen) {
    try {
      scene.document =
          edit::heads(scene.document, static_cast<int>(std::clamp<std::int64_t>(*chosen, 1, 64)));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  return width;
}
float draw_kv_heads_control(LessonPage& page, const Box& at) {
  Scene& scene = page.scene;
  const std::int64_t now = key_value_heads(scene.document);
  std::optional<std::int64_t> chosen;
  const float width = draw_lesson_number(
      page, at, "Key heads", "key/value heads", now,
      [&](int step) { return step > 0 ? now * 2 : std::max<std::int64_t>(1, now / 2); },
      {"Heads of keys and values", {}, "Fewer than heads: groups of heads share keys and values.", {}},
      chosen);
  if (chosen) {
    try {
      scene.document =
          edit::kv_heads(scene.document, static_cast<int>(std::clamp<std::int64_t>(*chosen, 1, 64)));
    } catch (const std::exception& error) {
      scene.view.notices.say(error.what());
    }
  }
  return width;
}
float draw_seed_control(LessonPage& page, const Box& at) {
  Scene& scene = page.scene;
  const auto now = static_cast<std::int64_t>(scene.document.layer().weights.seed);
  std::optional<std::int64_t> chosen;
  const float width = draw_lesson_number(
      page, at, "seed", "seed", now, [&](int step) { return now + step; },
      {"Seed", {}, "Other random weights and token vectors.", {}}, chosen);
  if (chosen)
    scene.document =
        edit::seed(std::move(scene.document), static_cast<std::uint64_t>(std::max<std::int64_t>(0, *chosen)));
  return width;
}
/// The choice of the head is never locked, as it changes no computation.
float draw_head_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  const std::int64_t now = scene.selection.head, count = scene.result.dimensions.heads;
  const float name = ui.text(at.x, at.centre_y(), "head", {type::label, ui.theme.text2}) + ui.px(10);
  const Box box{at.x + name, at.centre_y() - ui.px(13), ui.px(96), ui.px(26)};
  if (const auto chosen = stepper(ui, "head", box, now, [&](int step) { return now + step; },
                                  {"Head", "[ and ]", "Heads are counted from 0.", {}}))
    scene.next.head = std::clamp<std::int64_t>(*chosen, 0, count - 1);
  return name + box.w;
}

float draw_positions_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  constexpr std::array kinds{Positions::None, Positions::Sinusoidal, Positions::Learned, Positions::Alibi,
                             Positions::RopeHalf};
  Positions& now = page.scene.document.layer().positions;
  const float name = ui.text(at.x, at.centre_y(), "positions", {type::label, ui.theme.text2}) + ui.px(10);
  const bool known = std::ranges::find(kinds, now) != kinds.end();
  const Box box{at.x + name, at.centre_y() - ui.px(14), ui.px(130), ui.px(28)};
  drop(ui, "Positions", box, known ? enum_name(now).label : "Other",
       {"Positions", {}, "How the order of the tokens reaches the scores.", "O"}, [&] {
         for (const Positions kind : kinds)
           if (menu_row(ui, std::string(enum_name(kind).label).c_str(), {}, kind == now) && !page.covered)
             now = kind;
       });
  return name + box.w;
}
float draw_softmax_kind_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  constexpr std::array<std::string_view, 2> names{"Stable", "Naive"};
  SoftmaxKind& now = page.scene.document.layer().softmax;
  const float name = ui.text(at.x, at.centre_y(), "exponent", {type::label, ui.theme.text2}) + ui.px(10);
  const Box box{at.x + name, at.centre_y() - ui.px(14), segments_width(ui, names, type::label) + ui.px(24),
                ui.px(28)};
  const std::array<Tip, 2> tips{
      Tip{"Stable", "exp(x − max) / Σ exp(x − max)", "Nothing overflows.", {}},
      Tip{"Naive", "exp(x) / Σ exp(x)", "Above 88.7 exp overflows in float32.", {}}};
  const auto chosen = segments(ui, "Softmax", box, names, static_cast<int>(now), tips);
  if (chosen && !page.covered) now = static_cast<SoftmaxKind>(*chosen);
  return name + box.w;
}
/// Whether the step's task may be done by typing a text: it names the text control, or none.
bool asks_for_text(const lessons::Step& step) {
  return step.done && (step.done_by.empty() || step.done_by.find("\"text\"") != std::string::npos);
}
float draw_text_control(LessonPage& page, const Box& at) {
  const Ui& ui = page.ui();
  Scene& scene = page.scene;
  if (typed_texts(scene.document) == 0) return 0;
  std::string words = typed_text(scene.document, 0);
  const float wide = ui.text_width(own(words), type::body) + ui.px(28);
  const Box box{at.x, at.centre_y() - ui.px(14), std::clamp(wide, ui.px(220), at.w), ui.px(28)};
  // If the step asks for a text, the field gets the keyboard, so that letters do not run the lesson's keys.
  // Not in presenter mode, where the remote control must keep working.
  const bool types = asks_for_text(page.step) && !page.covered && !page.presented;
  if (types && std::exchange(page.state().type_due, false)) take_keyboard_here();
  if (!text_field(ui, "##Text", box, words, "Type a sentence") || page.covered) return box.w;
  try {
    scene.document = edit::typed_text(scene.document, 0, std::move(words));
  } catch (const std::exception& error) {
    scene.view.notices.say(error.what());
  }
  return box.w;
}

constexpr auto lesson_controls = std::to_array<NamedControl>({{"scaling", draw_scaling_control},
                                                              {"causal", draw_causal_control},
                                                              {"padding", draw_padding_control},
                                                              {"temperature", draw_temperature_control},
                                                              {"softcap", draw_soft_cap_control},
                                                              {"dropout", draw_dropout_control},
                                                              {"d_k", draw_d_k_control},
                                                              {"heads", draw_heads_control},
                                                              {"kv_heads", draw_kv_heads_control},
                                                              {"head", draw_head_control},
                                                              {"seed", draw_seed_control},
                                                              {"text", draw_text_control},
                                                              {"positions", draw_positions_control},
                                                              {"softmax", draw_softmax_kind_control},
                                                              {"zero_key", draw_zero_key_control},
                                                              {"mute", draw_mute_control},
                                                              {"block", draw_block_control},
                                                              {"norm", draw_norm_control},
                                                              {"residual", draw_residual_control},
                                                              {"mlp", draw_mlp_control},
                                                              {"activation", draw_activation_control}});
static_assert(lesson_controls.size() == lessons::control_names.size());

}  // namespace

float draw_lesson_controls(LessonPage& page, const Box& row) {
  const Ui& ui = page.ui();
  const float gap = ui.px(20);
  const std::string_view locked = "locked until R";
  const bool says_locked = page.covered && !page.narrow;  // in a narrow room the line of keys names R
  const float end = row.right() - (says_locked ? ui.text_width(locked, type::label) + gap : 0);
  Box at = row;
  if (page.covered) ImGui::BeginDisabled();
  const std::span<const NamedControl> all =
      page.lesson().of_training() ? training_controls() : std::span<const NamedControl>(lesson_controls);
  for (const std::string& name : page.step.shown) {
    const auto control = std::ranges::find(all, name, &NamedControl::name);
    if (control == all.end()) continue;
    // The width in the last frame decides: a control without room begins another row.
    const ImGuiID kept = ImGui::GetID(("lesson control " + name).c_str());
    const float before = ImGui::GetStateStorage()->GetFloat(kept);
    if (at.x > row.x && at.x + before > end) {
      at.x = row.x;
      at.y += row.h;
    }
    const float width = control->draw(page, at);
    ImGui::GetStateStorage()->SetFloat(kept, width);
    at.x += width + gap;
  }
  if (page.covered) {
    ImGui::EndDisabled();
    ui.fill({row.x - ui.px(4), row.y, end - row.x, at.bottom() - row.y}, fade(ui.theme.panel, 0.45f));
    if (says_locked)
      ui.text(row.right(), row.centre_y(), locked, {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  }
  return at.bottom();
}

}  // namespace attnscope

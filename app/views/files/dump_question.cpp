// app/views/files: facts that a dump does not contain and the picture shows as guesses: the card that asks
// for them once, and the words that mark the guess beside the picture.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/backends/floating_card.hpp"
#include "app/views/files/files.hpp"
#include "core/edits/dump.hpp"

namespace attnscope {
namespace {

/// One question: what is guessed and why, and the answers.
struct Question {
  const char* label;
  std::string_view asks, guess;
  const std::string& why;
  std::span<const std::string_view> answers;
  std::span<const Tip> tips;
};

/// The room in a line after the guess.
float room_for_why(const Ui& ui, const Question& question, float width) {
  return width - ui.text_width(question.guess, type::tick, Ink::Medium) - ui.px(8);
}

float height_of(const Ui& ui, const Question& question, float width) {
  return ui.px(56) + ui.paragraph_height(room_for_why(ui, question, width), question.why, type::tick) +
         ui.px(14);
}

/// Returns the answer that was clicked; moves y below the question.
std::optional<int> draw(const Ui& ui, const Box& inner, float& y, const Question& question) {
  ui.text(inner.x, y + ui.px(9), question.asks, {type::label, ui.theme.text1, Ink::Medium});
  const auto answer = segments(ui, question.label, {inner.x, y + ui.px(22), inner.w, ui.px(28)},
                               question.answers, -1, question.tips);
  const float guess =
      ui.text(inner.x, y + ui.px(64), question.guess, {type::tick, ui.theme.key, Ink::Medium});
  const float x = inner.x + guess + ui.px(8);
  const float used =
      ui.paragraph(x, y + ui.px(56), inner.x + inner.w - x, question.why, {type::tick, ui.theme.text2});
  y += ui.px(56) + used + ui.px(14);
  return answer;
}

constexpr std::array<std::string_view, 2> causal_answers{"Yes, causal", "No"};
constexpr std::array<Tip, 2> causal_tips{
    Tip{"Causal", "key ≤ query, else −∞", "No query sees a later key."},
    Tip{"Not causal", "every query sees every key", "As in encoders and in cross-attention."}};
constexpr std::array<std::string_view, 3> position_answers{"Yes, as they are", "RoPE, halves", "RoPE, pairs"};
constexpr std::array<Tip, 3> position_tips{
    Tip{"As they are", {}, "Queries and keys are those after rotary positions, or the model has none."},
    Tip{"RoPE, halves", "pairs (i, i + r/2)", "Not yet: they are rotated here, as in Llama."},
    Tip{"RoPE, pairs", "pairs (2i, 2i + 1)", "Not yet: they are rotated here, as in GPT-J."}};

Question about_causal(const Document& document) {
  return {"Causal",
          "Is its attention causal?",
          document.layer().masking.causal ? "guessed yes" : "guessed no",
          document.input.given().guesses.causal,
          causal_answers,
          causal_tips};
}

Question about_positions(const Document& document) {
  const Positions now = document.layer().positions;
  return {"Positions applied",
          "Do its queries and keys have their positions?",
          now == Positions::RopeHalf          ? "guessed halves"
          : now == Positions::RopeInterleaved ? "guessed pairs"
                                              : "guessed yes",
          document.input.given().guesses.positions,
          position_answers,
          position_tips};
}

void draw_questions(Scene& scene, Box inner, const std::string& file) {
  const Ui& ui = scene.ui;
  Document& document = scene.document;
  float y = inner.y;
  ui.text(inner.x, y + ui.px(8), "The file does not say", {type::body, ui.theme.text1, Ink::Semibold});
  const float title = ui.text_width("The file does not say", type::body, Ink::Semibold) + ui.px(12);
  ui.text(inner.right(), y + ui.px(9), own(file),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right, std::max(1.f, inner.w - title)});
  y += ui.px(30);
  const Document shown = document;  // the questions stay while one is answered
  if (is_causal_guessed(shown))
    if (const auto answer = draw(ui, inner, y, about_causal(shown)))
      document = edit::causal(std::move(document), *answer == 0);
  if (are_positions_guessed(shown)) {
    constexpr std::array kinds{Positions::None, Positions::RopeHalf, Positions::RopeInterleaved};
    if (const auto answer = draw(ui, inner, y, about_positions(shown)))
      document = edit::positions(std::move(document), kinds[static_cast<std::size_t>(*answer)]);
  }
  const Box keep{inner.right() - ui.px(150), y, ui.px(150), ui.px(28)};
  if (button(ui, "Keep the guesses", keep,
             {"Keep the guesses",
              {},
              "The picture goes on with what was guessed and says so; the words beside the head open this "
              "card again.",
              "Esc"}))
    scene.view.files->asks = false;
}

}  // namespace

void draw_dump_question(Scene& scene, const Layout& layout) {
  bool& asks = scene.view.files->asks;
  const Document& document = scene.document;
  asks = asks && (is_causal_guessed(document) || are_positions_guessed(document));
  const Box& region = scene.view.mode == Mode::Explore && layout.focus.w > 0 ? layout.focus : layout.whole;
  const Ui& ui = scene.ui;
  const float width = std::min(ui.px(440), region.w - ui.px(24)), pad = ui.px(16);
  if (!asks || width < ui.px(200)) return;
  const float inner = width - 2 * pad;
  float height = 2 * pad + ui.px(30 + 28);
  if (is_causal_guessed(document)) height += height_of(ui, about_causal(document), inner);
  if (are_positions_guessed(document)) height += height_of(ui, about_positions(document), inner);
  // Over the keys of the first queries, which a causal mask hides.
  const Box box{std::round(region.right() - width - ui.px(12)), region.y + ui.px(56), width, height};
  const FloatingCard card(ui, "dump question", box);
  draw_questions(scene, {box.x + pad, card.top() + pad, inner, height},
                 document.title.substr(0, document.title.find(" · ")));
}

std::string guessed_words(const Document& document) {
  const bool positions = are_positions_guessed(document);
  if (is_causal_guessed(document)) {
    const std::string causal = document.layer().masking.causal ? "guessed: causal" : "guessed: not causal";
    return positions ? causal + ", positions" : causal;
  }
  return positions ? "guessed: positions" : std::string();
}

float draw_guess_chip(Scene& scene, float x, float y, float room) {
  const Ui& ui = scene.ui;
  std::string words = guessed_words(scene.document);
  if (words.empty()) return 0;
  const auto width_of = [&] { return ui.text_width(words, type::tick, Ink::Medium) + ui.px(16); };
  if (width_of() > room) words = "guessed";
  const float width = width_of();
  if (width > room) return 0;
  const Box box{x, y - ui.px(11), width, ui.px(22)};
  const Ui::Touch touch = ui.touch("Guessed", box);
  ui.frame(box, touch.hovered ? ui.theme.text1 : ui.theme.key, std::max(1.f, std::floor(ui.scale())),
           ui.px(4));
  ui.text(box.centre_x(), y, words, {type::tick, ui.theme.key, Ink::Medium, Align::Centre});
  if (touch.focused) ui.frame(box.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(7));
  tooltip(
      ui, touch.hovered, box,
      {"Guessed", {}, "The file does not say it. A click asks; turning the mask or positions answers, too."});
  if (touch.clicked) scene.view.files->asks = true;
  return width;
}

}  // namespace attnscope

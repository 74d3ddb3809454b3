// app/views/generation: the steps as a list, one row a token with the prediction that it was chosen from, and
// the line that they are gone through on.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/number_format.hpp"
#include "app/views/generation/parts.hpp"
#include "app/widgets/row_list.hpp"
#include "app/widgets/transport.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr float row_height = 28, transport_height = 56;

std::string percent_of(double probability) { return fixed(100 * probability, 1) + " %"; }

class GenerationSteps {
 public:
  GenerationSteps(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(scene.view.model->generation),
        reading_(*scene.model),
        generation_(*scene.model->generation),
        place_(*generation_place(scene)),
        area_(begin_screen_region(scene, region, "Generation", note(), nullptr, nullptr)) {}

  void draw() {
    const Box bar{area_.x, area_.bottom() - ui_.px(transport_height), area_.w, ui_.px(transport_height)};
    draw_bar(bar);
    const Box list{area_.x, area_.y, area_.w - ui_.px(12), bar.y - area_.y};
    place_.steps() == 0 ? draw_nothing(list) : draw_list(list);
  }

 private:
  std::string note() const {
    const GenerationReading& g = *scene_.model->generation;
    double sum = 0;
    for (const GeneratedToken& token : g.tokens) sum += token.log_probability;
    const auto tokens = std::ssize(g.tokens);
    if (tokens == 0) return "token by token, every step kept";
    return counted(tokens, "token", "tokens") + ", Σ ln p " + fixed(sum, 2);
  }

  void draw_nothing(const Box& box) {
    const float wide = std::min(box.w, ui_.px(620));
    ui_.paragraph(
        box.x, box.y + ui_.px(8), wide,
        "Nothing was appended yet. Space appends one token, Shift+Space several; a click on a next token "
        "appends that one. Every step stays: go back to any, choose another token there, and the text "
        "goes on from it.",
        {type::body, ui_.theme.text2});
  }

  /// Left ends of the columns.
  struct Columns {
    float step, token, bar, share, rank, entropy, rest;
  };
  Columns columns(const Box& box) const {
    const bool small = scene_.compact;
    Columns c{};
    c.step = box.x;
    c.token = box.x + ui_.px(40);
    c.bar = c.token + ui_.px(small ? 92 : 128);
    c.share = c.bar + ui_.px(small ? 60 : 150);
    c.rank = c.share + ui_.px(64);
    c.entropy = c.rank + ui_.px(56);
    c.rest = c.entropy + ui_.px(84);
    return c;
  }

  void draw_list(const Box& box) {
    const Columns c = columns(box);
    const float y = box.y + ui_.px(12);
    const TextStyle style{type::tick, ui_.theme.text3};
    ui_.text(c.step, y, "step", style);
    ui_.text(c.token, y, "token", style);
    ui_.text(c.bar, y, "probability", style);
    ui_.text(c.rank + ui_.px(36), y, "rank", {type::tick, ui_.theme.text3, Ink::Regular, Align::Right});
    ui_.text(c.entropy, y, "entropy", style);
    ui_.text(c.rest, y, "likeliest there",
             {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, box.right() - c.rest});
    const Box rows{box.x, box.y + ui_.px(24), box.w, box.h - ui_.px(24)};
    const RowList list(ui_, "Steps", rows, ui_.px(row_height), place_.steps() + 1, state_.first_row,
                       std::max<std::int64_t>(0, place_.step()));
    for (std::int64_t i = list.first(); i < list.last(); ++i) draw_row(i, list.row(i), c);
  }

  void draw_row(std::int64_t step, const Box& row, const Columns& c) {
    const Theme& theme = ui_.theme;
    const bool now = step == place_.step(), later = step > place_.step();
    const Ui::Touch touch = ui_.touch(("step " + std::to_string(step)).c_str(), row);
    const Box ground{row.x - ui_.px(6), row.y, row.w + ui_.px(6), row.h};
    if (now || touch.hovered)
      ui_.fill(ground, now ? fade(theme.query, 0.14f) : theme.control_hover, ui_.px(4));
    if (now) ui_.fill({ground.x, row.y, ui_.px(2), row.h}, theme.query);
    if (touch.focused) ui_.frame(ground, theme.query, ui_.px(2), ui_.px(4));
    const float y = row.centre_y();
    const Rgba quiet = later ? theme.disabled : theme.text3, ink = later ? theme.text3 : theme.text1;
    ui_.text(c.step, y, step == 0 ? "–" : std::to_string(step), {type::tick, now ? theme.query : quiet});
    if (step == 0) {
      ui_.text(c.token, y, "the text, " + counted(place_.first, "token", "tokens"),
               {type::label, ink, Ink::Regular, Align::Left, row.right() - c.token});
    } else {
      draw_token(generation_.tokens[static_cast<std::size_t>(step - 1)], row, c, later);
    }
    if (touch.hovered)
      scene_.view.hint = "step " + std::to_string(step) +
                         "   ·   a click goes there; what follows stays until another token is chosen";
    if (touch.clicked) go_to_step(scene_, place_, step);
  }

  void draw_token(const GeneratedToken& token, const Box& row, const Columns& c, bool later) {
    const Theme& theme = ui_.theme;
    const float y = row.centre_y(), fading = later ? 0.42f : 1.f;
    const Rgba ink = later ? theme.text3 : theme.text1;
    const std::string name = token.rank > 0 ? predicted_name(reading_, token.id) : std::string("…");
    const float wide =
        std::min(c.bar - c.token - ui_.px(10),
                 std::max(ui_.px(32), ui_.text_width(name, type::label, Ink::Medium) + ui_.px(18)));
    const Box chip{c.token, std::round(y - ui_.px(12)), wide, ui_.px(24)};
    ui_.fill(chip, fade(theme.control, fading), ui_.px(6));
    ui_.text(chip.x + ui_.px(9), y, name, {type::label, ink, Ink::Medium, Align::Left, chip.w - ui_.px(14)});
    if (token.rank <= 0) return;
    const Box track{c.bar, std::round(y - ui_.px(4)), c.share - c.bar - ui_.px(10), ui_.px(8)};
    ui_.fill(track, theme.bar_ground, ui_.px(2));
    const auto share = static_cast<float>(token.probability());
    ui_.fill({track.x, track.y, std::max(ui_.px(1), track.w * share), track.h}, fade(theme.query, fading),
             ui_.px(2));
    ui_.text(c.rank - ui_.px(14), y, percent_of(token.probability()),
             {type::label, ink, Ink::Medium, Align::Right});
    ui_.text(c.rank + ui_.px(36), y, grouped(token.rank),
             {type::label, token.rank == 1 ? theme.text3 : ink, Ink::Regular, Align::Right});
    ui_.text(c.entropy, y, fixed(token.entropy, 2), {type::label, later ? theme.text3 : theme.text2});
    draw_rest(token, row, c, later);
  }

  /// The likeliest tokens, the chosen one in the accent.
  void draw_rest(const GeneratedToken& token, const Box& row, const Columns& c, bool later) {
    float x = c.rest;
    for (const PredictedToken& other : token.top) {
      const std::string words =
          predicted_name(reading_, other.id) + " " + fixed(100 * other.probability(), 0);
      const bool chosen = other.id == token.id;
      const float wide = ui_.text_width(words, type::tick, chosen ? Ink::Medium : Ink::Regular);
      if (x + wide > row.right()) break;
      x += ui_.text(x, row.centre_y(), words,
                    {type::tick,
                     later    ? ui_.theme.disabled
                     : chosen ? ui_.theme.query
                              : ui_.theme.text3,
                     chosen ? Ink::Medium : Ink::Regular}) +
           ui_.px(14);
    }
  }

  void draw_bar(const Box& bar) {
    ui_.horizontal(bar.x, bar.y, bar.w, ui_.theme.hairline);
    const bool playing = state_.left > 0;
    const std::string many = "Appends " + counted(state_.count, "token.", "tokens, one after the other.");
    const Transport transport{
        {"One token back",
         {"One token back", {}, "Looks at the step before; nothing is taken away.", "Backspace"}},
        {"Generate",
         {playing ? "Stop" : "Generate",
          {},
          playing ? "What was appended stays." : std::string_view(many),
          "Shift+Space"}},
        {"One token",
         {"One token", {}, "The next step; after the last one a new token is appended.", "Space"}},
        playing};
    const TransportPress pressed = draw_transport_buttons(ui_, bar, transport);
    if (pressed == TransportPress::Back) generation_back(scene_);
    if (pressed == TransportPress::Play) generation_play(scene_);
    if (pressed == TransportPress::Forward) generation_forward(scene_);
    const float left = bar.x + transport_width(ui_) + ui_.px(28);
    const std::string words = place_.steps() == 0 ? std::string("no step yet")
                              : place_.step() < 0 ? std::string("within the text")
                                                  : "step " + std::to_string(place_.step()) + " of " +
                                                        std::to_string(place_.steps());
    const float right = bar.right() - ui_.px(120);
    ui_.text(bar.right(), bar.centre_y(), words, {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    if (place_.steps() > 0 && right - left > ui_.px(80)) draw_scrubber({left, bar.y, right - left, bar.h});
  }

  void draw_scrubber(const Box& box) {
    const auto steps = static_cast<float>(place_.steps());
    const float y = box.centre_y(), one = box.w / steps;
    const Ui::Touch touch =
        ui_.touch("Steps of generation", {box.x - ui_.px(8), y - ui_.px(16), box.w + ui_.px(16), ui_.px(32)});
    const std::int64_t shown = std::max<std::int64_t>(0, place_.step());
    for (std::int64_t i = 0; i < place_.steps(); ++i) {
      const float x0 = std::round(box.x + one * static_cast<float>(i)),
                  x1 = std::round(box.x + one * static_cast<float>(i + 1));
      ui_.fill({x0, y - ui_.px(3), std::max(1.f, x1 - x0 - (one > ui_.px(4) ? 1.f : 0.f)), ui_.px(6)},
               i < shown ? fade(ui_.theme.query, 0.6f) : ui_.theme.control_hover, ui_.px(2));
    }
    draw_scrub_knob(ui_, {box.x + one * static_cast<float>(shown), y}, touch);
    tooltip(
        ui_, touch.hovered && !touch.held, box,
        {"All steps", {}, "Drag to any step: nothing is computed again, and nothing is lost.", "Home End"});
    if (!touch.held || !ImGui::GetIO().MouseDown[0]) return;
    const auto step = static_cast<std::int64_t>(std::lround((ImGui::GetIO().MousePos.x - box.x) / one));
    if (step != place_.step()) go_to_step(scene_, place_, step);
  }

  Scene& scene_;
  const Ui& ui_;
  GenerationState& state_;
  const ModelReading& reading_;
  const GenerationReading& generation_;
  GenerationPlace place_;
  Box area_;
};

}  // namespace

void draw_generation_steps(Scene& scene, const Box& region) {
  if (generation_place(scene)) return GenerationSteps(scene, region).draw();
  const bool can = scene.model->within.model->model->spec.decoder &&
                   scene.model->within.model->model->spec.head.kind == HeadKind::NextToken;
  const Box area = begin_screen_region(scene, region, "Generation", {}, nullptr, nullptr);
  scene.ui.paragraph(
      area.x, area.y + scene.ui.px(8), std::min(area.w, scene.ui.px(620)),
      can ? "Computing."
          : "This model does not go on with a text: it is no decoder that predicts the next token.",
      {type::body, scene.ui.theme.text2});
}

}  // namespace attnscope

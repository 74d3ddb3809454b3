// app/pages/model: the list of steps, one row for each token with the prediction that it was chosen from, and
// a slider over the steps.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/exports/generated_table.hpp"
#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/transport.hpp"
#include "app/pages/model/generation/parts.hpp"
#include "app/state/window_state.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr float row_height = 28, transport_height = 56;

class GenerationSteps {
 public:
  GenerationSteps(Scene& scene, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_state_of(scene.view).generation),
        reading_(*scene.model),
        table_(generated_table(reading_, true)),
        shown_(table_.on_screen()),
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

  void draw_list(const Box& box) {
    TableLook look{.label = "step", .row_height = row_height, .columns = columns(box)};
    look.sorts = look.ruled = false;
    look.name = [](std::size_t row) { return std::to_string(row); };
    look.followed = std::max<std::int64_t>(0, place_.step());
    look.ground = [this](std::size_t row, const Box& at, const Ui::Touch& touch) {
      draw_ground(is_now(row), at, touch);
    };
    const TableTouch touch = draw_table(ui_, box, table_, look, state_.order);
    if (!touch.copied.empty()) scene_.requests.copy = touch.copied;
    if (touch.hovered)
      scene_.view.hint = "step " + std::to_string(*touch.hovered) +
                         "   ·   a click goes there; what follows stays until another token is chosen";
    if (touch.clicked) go_to_step(scene_, place_, static_cast<std::int64_t>(*touch.clicked));
  }

  bool is_now(std::size_t row) const { return static_cast<std::int64_t>(row) == place_.step(); }
  bool is_later(std::size_t row) const { return static_cast<std::int64_t>(row) > place_.step(); }
  Rgba ink_of(std::size_t row) const { return is_later(row) ? ui_.theme.text3 : ui_.theme.text1; }

  /// The columns on screen, those of generated_table().
  std::vector<ColumnLook> columns(const Box& box) const {
    const bool small = scene_.compact;
    const float bar = ui_.px(small ? 60 : 150), right = box.right();
    const ColumnLook left{.align = Align::Left, .gap = -1, .head_gap = -1};
    std::vector<ColumnLook> all(6, left);
    all[0].width = ui_.px(40);
    all[0].style = [this](std::size_t row) -> TextStyle {
      const Theme& theme = ui_.theme;
      return {type::tick, is_now(row) ? theme.query : is_later(row) ? theme.disabled : theme.text3};
    };
    all[1].width = ui_.px(small ? 92 : 128);
    all[1].paint = [this, right](std::size_t row, const Box& cell) { draw_token(row, cell, right); };
    all[2].width = bar + ui_.px(64);
    all[2].paint = [this, bar](std::size_t row, const Box& cell) { draw_probability(row, cell, bar); };
    all[3].width = ui_.px(56);
    all[3].align = Align::Right;
    all[3].inset = 20;
    all[3].style = [this](std::size_t row) -> TextStyle {
      const GeneratedToken* const token = token_of(row);
      return {type::label, token != nullptr && token->rank == 1 ? ui_.theme.text3 : ink_of(row)};
    };
    all[4].width = ui_.px(84);
    all[4].style = [this](std::size_t row) -> TextStyle {
      return {type::label, is_later(row) ? ui_.theme.text3 : ui_.theme.text2};
    };
    all[5].head_gap = 0;
    all[5].paint = [this](std::size_t row, const Box& cell) { draw_likeliest(row, cell); };
    return all;
  }

  const GeneratedToken* token_of(std::size_t row) const { return generated_by(reading_, row, true); }

  void draw_ground(bool now, const Box& row, const Ui::Touch& touch) const {
    const Theme& theme = ui_.theme;
    const Box ground{row.x - ui_.px(6), row.y, row.w + ui_.px(6), row.h};
    if (now || touch.hovered)
      ui_.fill(ground, now ? fade(theme.query, 0.14f) : theme.control_hover, ui_.px(4));
    if (now) ui_.fill({ground.x, row.y, ui_.px(2), row.h}, theme.query);
    if (touch.focused) ui_.frame(ground, theme.query, ui_.px(2), ui_.px(4));
  }

  /// Draws the token in a chip; the words for the text's own row may extend to the end of the row.
  void draw_token(std::size_t row, const Box& cell, float right) const {
    const float y = cell.centre_y();
    const Rgba ink = ink_of(row);
    const std::string name = written_cell(*shown_[1], row);
    if (token_of(row) == nullptr) {
      ui_.text(cell.x, y, name, {type::label, ink, Ink::Regular, Align::Left, right - cell.x});
      return;
    }
    const float wide =
        std::min(cell.w - ui_.px(10),
                 std::max(ui_.px(32), ui_.text_width(name, type::label, Ink::Medium) + ui_.px(18)));
    const Box chip{cell.x, std::round(y - ui_.px(12)), wide, ui_.px(24)};
    ui_.fill(chip, fade(ui_.theme.control, fading_of(row)), ui_.px(6));
    ui_.text(chip.x + ui_.px(9), y, name, {type::label, ink, Ink::Medium, Align::Left, chip.w - ui_.px(14)});
  }

  float fading_of(std::size_t row) const { return is_later(row) ? 0.42f : 1.f; }

  void draw_probability(std::size_t row, const Box& cell, float bar) const {
    const GeneratedToken* const token = token_of(row);
    if (token == nullptr || token->rank <= 0) return;
    const float y = cell.centre_y();
    const Box track{cell.x, std::round(y - ui_.px(4)), bar - ui_.px(10), ui_.px(8)};
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    const auto share = static_cast<float>(token->probability());
    ui_.fill({track.x, track.y, std::max(ui_.px(1), track.w * share), track.h},
             fade(ui_.theme.query, fading_of(row)), ui_.px(2));
    ui_.text(cell.right() - ui_.px(14), y, written_cell(*shown_[2], row),
             {type::label, ink_of(row), Ink::Medium, Align::Right});
  }

  /// The likeliest tokens, the chosen one in the accent.
  void draw_likeliest(std::size_t row, const Box& cell) const {
    const GeneratedToken* const token = token_of(row);
    if (token == nullptr || token->rank <= 0) return;
    float x = cell.x;
    for (const PredictedToken& other : token->top) {
      const std::string words =
          predicted_name(reading_, other.id) + " " + fixed(100 * other.probability(), 0);
      const bool chosen = other.id == token->id;
      const float wide = ui_.text_width(words, type::tick, chosen ? Ink::Medium : Ink::Regular);
      if (x + wide > cell.right()) break;
      x += ui_.text(x, cell.centre_y(), words,
                    {type::tick,
                     is_later(row) ? ui_.theme.disabled
                     : chosen      ? ui_.theme.query
                                   : ui_.theme.text3,
                     chosen ? Ink::Medium : Ink::Regular}) +
           ui_.px(14);
    }
  }

  void draw_bar(const Box& bar) {
    ui_.horizontal(bar.x, bar.y, bar.w, ui_.theme.hairline);
    const bool playing = model_state_of(scene_.view).to_append > 0;
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
  Table table_;
  std::vector<const TableColumn*> shown_;
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

#include "app/pages/model/head_sets/head_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/kit/widgets/modal_card.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/edits/head_lists.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

constexpr const char* sets_popup = "Heads that are zeroed";
constexpr std::size_t most_sets_shown = 8;

/// The text in one line, with single spaces.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string kept_text(const std::vector<NamedHeads>& sets) {
  std::string kept;
  for (const NamedHeads& set : sets) kept.append(set.name).append(1, '\t').append(set.heads).append(1, '\n');
  return kept;
}

int count_heads(const ModelContext& within) {
  const ModelSpec& spec = within.model->model->spec;
  int heads = 0;
  for (const LayerSpec& block : spec.output_stack().blocks) heads += block.heads;
  return heads;
}

class SetsCard {
 public:
  SetsCard(Scene& scene, const Box& card)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_state_of(scene.view).sets),
        within_(scene.document.within.read()),
        card_(card),
        x_(card.x + ui_.px(20)),
        width_(card.w - ui_.px(40)),
        y_(card.y + ui_.px(18)) {}

  void draw() {
    ui_.text(x_, y_ + ui_.px(10), sets_popup, {type::body, ui_.theme.text1, Ink::Semibold});
    y_ += ui_.px(30);
    draw_list();
    draw_edits();
    draw_name();
    draw_sets();
    const float wide = width_of("Close");
    const bool by_key = !state_.opens && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    state_.opens = false;
    const Box box{x_ + width_ - wide, card_.bottom() - ui_.px(44), wide, ui_.px(30)};
    if (button(ui_, "Close", box, {"Close", {}, "The model stays as it is.", "Esc"}) || by_key) close();
  }

 private:
  float width_of(const char* label) const {
    return ui_.text_width(label, type::label, Ink::Medium) + ui_.px(32);
  }

  void close() {
    state_.open = false;
    ImGui::CloseCurrentPopup();
  }

  /// The field with the list, and below it the number of heads, or why it is not a list.
  void draw_list() {
    if (state_.opens) ImGui::SetKeyboardFocusHere();
    text_field(ui_, "##Heads list", {x_, y_, width_, ui_.px(30)}, state_.list,
               "layer.head, layer.head, as --ablate takes them");
    const bool is_entered = ImGui::IsItemDeactivated() && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                                           ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
    y_ += ui_.px(38);
    is_list_ = false;
    std::string words;
    try {
      words = fmt::format("Listed: {:d} of {:d} heads.", edit::listed_heads(within_, state_.list).size(),
                          count_heads(within_));
      is_list_ = true;
    } catch (const Error& error) {
      words = error.what();
    }
    ui_.paragraph(x_, y_, width_, words, {type::tick, is_list_ ? ui_.theme.text2 : ui_.theme.text1});
    y_ += ui_.px(40);
    if (is_entered) apply(edit::zeroed_heads);
  }

  void draw_edits() {
    float x = x_;
    const auto next = [&](const char* label, const Tip& tip) {
      const Box box{x, y_, width_of(label), ui_.px(30)};
      x += box.w + ui_.px(8);
      return button(ui_, label, box, tip);
    };
    if (next("Zero these",
             {"Zero these", {}, "The listed heads alone are zeroed; other changes stay.", "Enter"}))
      apply(edit::zeroed_heads);
    if (next("Zero all others",
             {"Zero all others", {}, "Of all heads the listed ones are left: the circuit by itself.", {}}))
      apply(edit::zeroed_but);
    if (next("Copy the list", {"Copy the list", {}, "As it stands in the field.", {}}) && is_list_) {
      scene_.requests.copy = state_.list;
      scene_.view.notices.tell("Copied the list of heads.");
    }
    y_ += ui_.px(44);
  }

  void apply(ModelContext (*edit)(ModelContext, std::string_view)) {
    if (!is_list_) return;  // the problem is written above
    ModelContext next = edit(within_, state_.list);
    close();
    if (!(next == within_)) scene_.document.within.change() = std::move(next);
  }

  void draw_name() {
    const float wide = width_of("Keep");
    text_field(ui_, "##Set name", {x_, y_, width_ - wide - ui_.px(8), ui_.px(30)}, state_.name,
               "a name for this list");
    const Box box{x_ + width_ - wide, y_, wide, ui_.px(30)};
    if (button(ui_, "Keep", box,
               {"Keep", {}, "The list is there again under its name; sessions keep it.", {}}) &&
        is_list_) {
      state_.kept = with_head_set(state_.kept, {state_.name, state_.list});
      state_.name.clear();
    }
    y_ += ui_.px(38);
  }

  void draw_sets() {
    const std::vector<NamedHeads> sets = head_sets_in(state_.kept);
    for (std::size_t i = 0; i < std::min(sets.size(), most_sets_shown); ++i) draw_set(sets[i]);
  }

  /// A click puts its heads into the field; the cross at its end deletes the set.
  void draw_set(const NamedHeads& set) {
    const Box row{x_, y_, width_, ui_.px(26)}, cross{row.right() - ui_.px(26), row.y, ui_.px(26), row.h};
    y_ += ui_.px(28);
    const Ui::Touch forget = ui_.touch(("forget " + set.name).c_str(), cross);
    const Ui::Touch choose = ui_.touch(("set " + set.name).c_str(), {row.x, row.y, row.w - cross.w, row.h});
    ui_.fill(row, choose.hovered || choose.focused ? ui_.theme.control_hover : ui_.theme.control, ui_.px(4));
    const float wide = ui_.text(row.x + ui_.px(10), row.centre_y(), own(set.name),
                                {type::label, ui_.theme.text1, Ink::Regular, Align::Left, row.w / 2});
    const float room = cross.x - row.x - std::min(wide, row.w / 2) - ui_.px(28);
    if (room > ui_.px(32))
      ui_.text(cross.x - ui_.px(6), row.centre_y(), own(set.heads),
               {type::tick, ui_.theme.text3, Ink::Regular, Align::Right, room});
    const float r = ui_.px(4), x = cross.centre_x(), y = cross.centre_y();
    const Rgba ink = forget.hovered || forget.focused ? ui_.theme.text1 : ui_.theme.text2;
    const std::array<ImVec2, 2> down{{{x - r, y - r}, {x + r, y + r}}}, up{{{x - r, y + r}, {x + r, y - r}}};
    ui_.polyline(down, ink, ui_.px(1.5f));
    ui_.polyline(up, ink, ui_.px(1.5f));
    if (choose.clicked) {
      state_.list = set.heads;
      state_.name = set.name;
    }
    if (forget.clicked) state_.kept = without_head_set(state_.kept, set.name);
  }

  Scene& scene_;
  const Ui& ui_;
  HeadSetsState& state_;
  const ModelContext within_;  // at the beginning of this frame
  const Box card_;
  const float x_, width_;
  float y_;
  bool is_list_ = false;
};

}  // namespace

std::vector<NamedHeads> head_sets_in(std::string_view kept) {
  std::vector<NamedHeads> sets;
  while (!kept.empty()) {
    const std::size_t end = std::min(kept.find('\n'), kept.size());
    const std::string_view line = kept.substr(0, end);
    kept.remove_prefix(std::min(end + 1, kept.size()));
    const std::size_t tab = line.find('\t');
    if (tab != line.npos && tab > 0)
      sets.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  return sets;
}

std::string with_head_set(std::string_view kept, NamedHeads set) {
  set.heads = in_one_line(set.heads);
  set.name = in_one_line(set.name);
  if (set.name.empty()) set.name = set.heads;
  std::vector<NamedHeads> sets = head_sets_in(kept);
  const auto same = std::ranges::find(sets, set.name, &NamedHeads::name);
  if (same != sets.end())
    *same = std::move(set);
  else
    sets.push_back(std::move(set));
  return kept_text(sets);
}

std::string without_head_set(std::string_view kept, std::string_view name) {
  std::vector<NamedHeads> sets = head_sets_in(kept);
  std::erase_if(sets, [name](const NamedHeads& set) { return set.name == name; });
  return kept_text(sets);
}

void open_head_sets(Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  if (!within) return scene.view.notices.say("No model is open.");
  HeadSetsState& state = model_state_of(scene.view).sets;
  state.open = state.opens = true;
  if (std::string zeroed = edit::list_of_zeroed(within); !zeroed.empty()) state.list = std::move(zeroed);
}

void copy_zeroed_heads(Scene& scene) {
  const std::string zeroed = edit::list_of_zeroed(scene.document.within.read());
  if (zeroed.empty()) return scene.view.notices.say("No head of a model is zeroed for all tokens.");
  scene.requests.copy = zeroed;
  scene.view.notices.tell("Copied the list of heads.");
}

void draw_head_sets(Scene& scene) {
  HeadSetsState& state = model_state_of(scene.view).sets;
  if (!state.open) return;
  if (!scene.document.within.read()) {
    state.open = false;
    return;
  }
  if (state.opens) ImGui::OpenPopup(sets_popup);
  const Ui& ui = scene.ui;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(520), screen.x - ui.px(16));
  const auto sets = static_cast<float>(std::min(head_sets_in(state.kept).size(), most_sets_shown));
  const float height = std::min(ui.px(264) + sets * ui.px(28), screen.y - ui.px(16));
  const Box card{std::round((screen.x - width) / 2),
                 std::round(std::max(ui.px(8), (screen.y - height) * 0.35f)), width, height};
  // False: something else was opened over it.
  if (!modal_card(ui, sets_popup, card, [&] { SetsCard(scene, card).draw(); })) state.open = false;
}

}  // namespace attnscope

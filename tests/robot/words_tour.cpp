#include "tests/robot/words_tour.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <imgui_internal.h>

#include "app/files/paths.hpp"
#include "app/scene/actions.hpp"
#include "app/state/inspector_state.hpp"
#include "app/state/signals_state.hpp"
#include "app/state/walk_state.hpp"
#include "core/base/error.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {
namespace {

/// Heads, tokens and rows are alike.
std::string alike(std::string label) {
  for (char& c : label)
    if (c >= '0' && c <= '9') c = '#';
  return label;
}

bool is_list_open() { return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup); }

/// What writes a picture: slow, and tells nothing new.
bool is_skipped(const std::string& label) {
  return label.empty() || label.starts_with("AttnScope") || label.starts_with("split ") ||
         label == "Save picture" || label == "Write";
}

std::vector<std::string> labels_of(Robot& robot) {
  std::vector<std::string> labels;
  std::set<std::string> known;
  for (const RecordedItem& item : robot.items().items())
    if (item.visible && !is_skipped(item.label) && known.insert(alike(item.label)).second)
      labels.push_back(item.label);
  return labels;
}

}  // namespace

WordsTour::WordsTour(Robot& robot, std::filesystem::path directory)
    : robot_(robot), directory_(std::move(directory)) {
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  robot_.app().words().watch = [this](std::string_view key, bool) {
    met_.try_emplace(std::string(key), part_);
  };
}

/// What plays on and on is not waited for.
void WordsTour::wait() {
  constexpr int patience = 40;
  for (int i = 0; i < patience && (i == 0 || !robot_.app().settled() || robot_.app().wants_frame()); ++i)
    robot_.frame();
}

void WordsTour::rest_on(const RecordedItem& item) {
  robot_.move({(item.min.x + item.max.x) / 2, (item.min.y + item.max.y) / 2});
  robot_.frame();
}

void WordsTour::rest_on_everything() {
  const std::vector<RecordedItem> items = robot_.items().items();
  for (const RecordedItem& item : items)
    if (item.visible && !is_skipped(item.label) && seen_.insert(alike(item.label)).second) rest_on(item);
}

void WordsTour::restore() {
  while (is_list_open() || ImGui::GetIO().WantTextInput) {
    robot_.key(ImGuiKey_Escape);
    robot_.frame();
  }
  robot_.app().view() = base_;
  ImGui::SetNavCursorVisible(false);  // as after a click: keys are for the window, not for a control
  if (!(robot_.document() == document_)) robot_.app().open(file_);
  robot_.app().view().notices.clear();
  wait();
}

void WordsTour::choose_rows(const std::string& label, int button) {
  std::vector<std::string> rows;
  for (const RecordedItem& item : robot_.items().items())
    if (item.visible && item.window.find("Popup") != std::string::npos && !is_skipped(item.label))
      rows.push_back(item.label);
  rest_on_everything();
  for (const std::string& row : rows) {
    if (!is_list_open()) {
      if (!robot_.has(label)) return;
      robot_.click_at(robot_.centre(label), button);
      robot_.frame(2);
    }
    if (!robot_.has(row)) continue;
    robot_.click(row);
    wait();
    if (const RecordedItem* item = robot_.items().find(label); item && item->visible) rest_on(*item);
    rest_on_everything();
    restore();
  }
}

/// The top bar is the same in every mode, everything else may have its own words there.
std::string WordsTour::place_of(const std::string& label) const {
  constexpr std::array<std::string_view, 4> top_bar{"File", "Look", "Find", "Backend"};
  const bool everywhere = std::find(top_bar.begin(), top_bar.end(), label) != top_bar.end();
  return (everywhere ? "" : std::to_string(static_cast<int>(base_.mode)) + " ") + alike(label);
}

void WordsTour::crawl(const std::string& name) {
  part_ = name;
  if (robot_.app().view().mode != base_.mode) seen_.clear();
  wait();
  base_ = robot_.app().view();
  document_ = robot_.document();
  rest_on_everything();
  for (const std::string& label : labels_of(robot_)) {
    if (!robot_.has(label) || !clicked_.insert(place_of(label)).second) continue;
    robot_.click(label);
    wait();
    if (is_list_open()) {
      choose_rows(label);
    } else {
      if (const RecordedItem* item = robot_.items().find(label); item && item->visible) rest_on(*item);
      rest_on_everything();
    }
    restore();
  }
}

void WordsTour::press_keys() {
  part_ = "actions";
  for (const Action& action : actions()) {
    if (action.key == 0) continue;
    restore();
    robot_.app().view().mode = action.only.value_or(Mode::Explore);
    robot_.frame(2);
    for (int times = 0; times < 3; ++times) {
      robot_.key(static_cast<ImGuiKey>(action.key & ~ImGuiMod_Mask_), action.key & ImGuiMod_Mask_);
      wait();
      if (is_list_open()) break;
    }
    rest_on_everything();
  }
  restore();
}

/// What the palette finds, and what becomes of words that nobody asked for.
void WordsTour::keyboard() {
  part_ = "explore";
  for (const char* typed : {"temperature", "entropy", "example", "csv", "dark", "german"}) {
    restore();
    robot_.key(ImGuiKey_K, ImGuiMod_Ctrl);
    robot_.frame(3);
    robot_.type(typed);
    robot_.frame(2);
  }
  for (const Mode mode : {Mode::Explore, Mode::Walk}) {
    restore();
    robot_.app().view().mode = mode;
    robot_.frame(30);
    robot_.type("words");
    wait();
  }
  robot_.frame(30);
  restore();
}

/// Every list of a right click, and what becomes of a head by its list.
void WordsTour::right_clicks() {
  for (const std::string& label : labels_of(robot_)) {
    if (!robot_.has(label)) continue;
    robot_.right_click(robot_.centre(label));
    robot_.frame(2);
    if (!is_list_open()) continue;
    choose_rows(label, 1);
    restore();
  }
}

/// Move by move, in every document.
void WordsTour::walk_through() {
  part_ = "walk";
  robot_.click("Mode: Walk");  // with the mouse: no button has the keyboard, which the space bar would press
  robot_.app().view().walk = {};
  robot_.app().view().walk->speed = 0;
  wait();
  for (bool moved = true; moved;) {
    const WalkState was = *robot_.app().view().walk;
    robot_.key(ImGuiKey_Space);
    wait();
    moved = robot_.app().view().walk->stage != was.stage || robot_.app().view().walk->move != was.move;
  }
}

void WordsTour::examples() {
  for (const Example& example : list_examples(assets_directory())) {
    for (const Mode mode : {Mode::Explore, Mode::Walk, Mode::Compare}) {
      part_ = "examples";
      seen_.clear();
      robot_.app().open(example.path);
      robot_.app().view() = ViewState{};
      robot_.app().view().mode = mode;
      wait();
      rest_on_everything();
      if (mode != Mode::Walk) continue;
      for (int stage = 0; stage < 16; ++stage) {
        robot_.key(ImGuiKey_PageDown);
        wait();
        rest_on_everything();
      }
      walk_through();
    }
  }
  robot_.app().open(file_);
  robot_.app().view() = ViewState{};
  wait();
}

/// A language in which everything met so far is a third longer.
Table WordsTour::longer() const {
  Table table{"Longer", {}};
  for (const auto& [key, part] : met_) {
    Phrase phrase{{""}, {}};
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (key.compare(i, 2, "{}") == 0) {
        phrase.arguments.push_back(phrase.arguments.size());
        phrase.literals.emplace_back();
        ++i;
      } else {
        phrase.literals.back() += key[i];
      }
    }
    phrase.literals.back() += std::string(key.size() * 3 / 10, '~');
    table.phrases.emplace(key, std::move(phrase));
  }
  return table;
}

/// Where there is less room, shorter words stand.
void WordsTour::sizes() {
  part_ = "where there is less room";
  const ImVec2 was = robot_.app().size();
  for (const ImVec2 size : {ImVec2{1600, 1000}, {1280, 720}}) {
    robot_.resize(static_cast<int>(size.x), static_cast<int>(size.y));
    for (const Mode mode : {Mode::Explore, Mode::Walk, Mode::Compare}) {
      seen_.clear();
      robot_.app().view() = ViewState{};
      robot_.app().view().mode = mode;
      wait();
      rest_on_everything();
      for (const ImGuiKey key : {ImGuiKey_Backslash, ImGuiKey_G, ImGuiKey_E, ImGuiKey_W, ImGuiKey_PageDown}) {
        robot_.key(key);
        wait();
        rest_on_everything();
      }
      robot_.app().release_held();
    }
  }
  robot_.app().view() = ViewState{};
  robot_.resize(static_cast<int>(was.x), static_cast<int>(was.y));
  wait();
}

const std::map<std::string, std::string>& WordsTour::run(TourPiece piece) {
  try {
    go(piece);
  } catch (const Error& error) {
    throw Error("In the part \"" + part_ + "\": " + error.what());
  }
  return met_;
}

void WordsTour::clicks() {
  ViewState& view = robot_.app().view();
  view.more.fill(true);
  view.fold.fill(1);
  crawl("explore");
  right_clicks();
  press_keys();
  keyboard();
  for (const InspectorPage page : {InspectorPage::Row, InspectorPage::Neurons, InspectorPage::Vectors}) {
    restore();
    view.inspector->page = page;
    crawl("inspector");
  }
  view = ViewState{};
  view.signals->slots = {PlotKind::EntropyMap, PlotKind::GradientNorms, PlotKind::Received,
                         PlotKind::Weights};
  crawl("signals");
  view = ViewState{};
  robot_.key(ImGuiKey_W);
  crawl("weights");
  view = ViewState{};
  view.mode = Mode::Walk;
  crawl("walk");
  view = ViewState{};
  view.mode = Mode::Compare;
  crawl("compare");
  view = ViewState{};
  view.mode = Mode::Compare;
  robot_.key(ImGuiKey_Backslash);
  wait();
  robot_.key(ImGuiKey_S);
  crawl("compare");
}

void WordsTour::go(TourPiece piece) {
  file_ = list_examples(assets_directory()).front().path;
  robot_.app().open(file_);
  wait();
  base_ = robot_.app().view();
  document_ = robot_.document();
  switch (piece) {
    case TourPiece::Clicks: return clicks();
    case TourPiece::Examples:
      sizes();
      robot_.app().words().speak(longer());
      sizes();
      robot_.app().words().speak_english();
      return examples();
    case TourPiece::Settings:
      refusals();
      held_heads();
      modern_settings();
      return walks();
    case TourPiece::Files:
      robot_.app().hold();  // a long sequence is compared with it
      long_sequence();
      messages();
      return dumps();
  }
}

}  // namespace attnscope

#include "tests/robot/words_tour.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include <imgui_internal.h>

#include "app/actions.hpp"
#include "app/paths.hpp"
#include "core/error.hpp"
#include "core/files/npy.hpp"
#include "core/files/open.hpp"
#include "core/files/safetensors.hpp"

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
  if (!(robot_.document() == document_)) robot_.app().open(file_);
  robot_.app().view().message.clear();
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
  robot_.app().view().mode = Mode::Walk;
  robot_.app().view().walk.speed = 0;
  robot_.key(ImGuiKey_Home);
  for (bool moved = true; moved;) {
    const WalkState was = robot_.app().view().walk;
    robot_.key(ImGuiKey_Space);
    wait();
    moved = robot_.app().view().walk.stage != was.stage || robot_.app().view().walk.move != was.move;
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
      robot_.app().let_go();
    }
  }
  robot_.app().view() = ViewState{};
  robot_.resize(static_cast<int>(was.x), static_cast<int>(was.y));
  wait();
}

/// A text too long to keep its weights, whole, at a middle zoom and cell by cell.
void WordsTour::long_sequence() {
  part_ = "long sequences";
  std::string text;
  for (int i = 0; i < 2111; ++i) text += " w" + std::to_string(i % 97);
  const std::filesystem::path path = directory_ / "long.txt";
  std::ofstream(path, std::ios::binary) << text;
  robot_.app().open(path);
  robot_.app().view() = ViewState{};
  seen_.clear();
  robot_.settle();
  robot_.app().view().fold.fill(1);
  robot_.frame(2);
  rest_on_everything();
  robot_.key(ImGuiKey_S);  // sharp heads have bright lines of every kind
  for (const char* head : {"Head 0", "Head 4", "Head 5", "Head 1"}) {
    robot_.click(head);
    robot_.settle();
    if (!robot_.has("Bright line 0")) continue;
    robot_.move(robot_.centre("Bright line 0"));
    robot_.frame(2);
  }
  robot_.key(ImGuiKey_Backslash);
  robot_.key(ImGuiKey_S);
  robot_.settle();
  for (const char* side : {"Side: B", "Side: A − B"}) {
    robot_.click(side);
    robot_.settle();
  }
  rest_on_everything();
  robot_.click("Pool: Mean");
  robot_.settle();
  robot_.click("Pool: Max");
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  std::ofstream(directory_ / "longer.txt", std::ios::binary) << text << text;
  robot_.app().open(directory_ / "longer.txt");
  robot_.settle();
  robot_.click("Side: A − B");
  robot_.settle();
  robot_.app().let_go();
  robot_.app().open(path);
  robot_.settle();
  robot_.app().view().message.clear();
  robot_.app().view().fold.fill(1);
  robot_.settle();
  for (const char* label : {"Pool: Mean", "Mask: Causal", "Window more", "Strongest cell in sight"}) {
    robot_.click(label);
    robot_.settle();
    rest_on_everything();
  }
  robot_.app().view().long_view.go_to = "nowhere";
  robot_.click("Next");
  robot_.settle();
  robot_.app().save(directory_ / "whole.csv");
  robot_.frame(2);
  robot_.key(ImGuiKey_Escape);
  robot_.app().view().focus.zoom = 8;
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_T, ImGuiMod_Shift);
  robot_.settle();
  rest_on_everything();
  robot_.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot_.settle();
  rest_on_everything();
  restore();
  robot_.app().open(path);
  robot_.settle();
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4}) {
    robot_.key(mode);
    robot_.settle();
  }
  robot_.resize(1100, 700);
  robot_.key(ImGuiKey_F2);
  robot_.settle();
  rest_on_everything();
  robot_.click("Inspector drawer");
  robot_.settle();
  rest_on_everything();
  robot_.resize(1280, 800);
  robot_.app().open(file_);
  robot_.app().view() = ViewState{};
  robot_.settle();
  robot_.app().hold();  // what comes after is compared with it
  robot_.settle();
}

void WordsTour::messages() {
  part_ = "messages";
  const auto file = [&](const char* name, std::string_view bytes) {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
    return directory_ / name;
  };
  const std::filesystem::path bad[] = {
      directory_ / "nothing.json",
      directory_,
      file("empty.txt", ""),
      file("broken.json", "{\"text\": [1, 2"),
      file("list.json", "[1]"),
      file("unknown.json", "{\"attnscope\": 1, \"nonsense\": 2}"),
      file("heads.json", "{\"attnscope\": 1, \"text\": [\"a\"], \"heads\": 0}"),
      file("short.safetensors", "abc"),
      file("short.npy", "abc"),
      file("bytes.txt", "a\xff")};
  for (const std::filesystem::path& path : bad) {
    robot_.app().open(path);
    wait();
  }
  write_npy(directory_ / "lone.npy", Tensor(Shape{2, 2}));
  robot_.app().open(directory_ / "lone.npy");
  wait();
  const Tensor part(Shape{2, 3, 4}), weights(Shape{2, 3, 3}, std::vector<float>(18, 1.0f / 3));
  write_safetensors(directory_ / "dump.safetensors",
                    std::array{NamedTensor{"h.0.q", &part}, NamedTensor{"h.0.k", &part},
                               NamedTensor{"h.0.v", &part}, NamedTensor{"h.1.attn", &weights}});
  robot_.app().open(directory_ / "dump.safetensors");
  robot_.app().view().fold.fill(1);
  robot_.settle();
  rest_on_everything();
  robot_.click("Layer");
  wait();
  robot_.key(ImGuiKey_Escape);
  for (const char* name : {"good.json", "numbers.csv", "no/such/place.json", "what.xyz"}) {
    robot_.app().save(directory_ / name);
    wait();
  }
  robot_.app().save({});
  wait();
  restore();
}

const std::map<std::string, std::string>& WordsTour::run() {
  file_ = list_examples(assets_directory()).front().path;
  robot_.app().open(file_);
  wait();
  ViewState& view = robot_.app().view();
  view.more.fill(true);
  view.fold.fill(1);
  crawl("explore");
  right_clicks();
  press_keys();
  for (const InspectorPage page : {InspectorPage::Row, InspectorPage::Neurons, InspectorPage::Vectors}) {
    restore();
    view.inspector.page = page;
    crawl("inspector");
  }
  view = ViewState{};
  view.signals.slots = {PlotKind::EntropyMap, PlotKind::GradientNorms, PlotKind::Received, PlotKind::Weights};
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
  robot_.app().let_go();
  sizes();
  robot_.app().words().speak(longer());
  sizes();
  robot_.app().words().speak_english();
  examples();
  long_sequence();
  messages();
  return met_;
}

}  // namespace attnscope

// tests/app: whether undo leads back to where a robot was, and redo forward again.
#pragma once

#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/walk/walk_state.hpp"
#include "core/edits/within.hpp"
#include "hands_robot.hpp"

namespace attnscope::test {

/// The differences of two Documents, for the message of a failure.
inline std::string differences(const Document& a, const Document& b) {
  std::string all;
  const auto note = [&](bool same, const std::string& what) {
    if (!same) all += what + "; ";
  };
  note(a.input == b.input, "input");
  note(a.embedding == b.embedding && a.embedding_gain == b.embedding_gain, "embedding");
  note(a.blocks == b.blocks, "blocks");
  note(a.looked_at == b.looked_at, "block looked at");
  note(a.title == b.title, "title " + a.title + " | " + b.title);
  const ModelContext &x = a.within.read(), &y = b.within.read();
  note(x.model == y.model, "model");
  note(x.input == y.input, "text " + x.input.text + " | " + y.input.text);
  note(x.changes == y.changes, "changes inside");
  note(x.of == y.of && x.block == y.block, "place in the model");
  return all.empty() ? "nothing" : all;
}

inline std::string differences(const Viewing& a, const Viewing& b) {
  std::string all;
  for (std::size_t i = 0; i < std::min(a.settings.size(), b.settings.size()); ++i)
    if (a.settings[i] != b.settings[i])
      all += "setting " + std::to_string(i) + ": " + std::to_string(a.settings[i]) + " | " +
             std::to_string(b.settings[i]) + "; ";
  for (std::size_t i = 0; i < std::min(a.words.size(), b.words.size()); ++i)
    if (a.words[i] != b.words[i]) all += a.words[i] + " | " + b.words[i] + "; ";
  for (std::size_t i = 0; i < std::min(a.place.size(), b.place.size()); ++i)
    if (a.place[i] != b.place[i])
      all += "place " + std::to_string(i) + ": " + std::to_string(a.place[i]) + " | " +
             std::to_string(b.place[i]) + "; ";
  return all;
}

/// One chain of undo leads back to the start, and redo forward again. No key or button is down meanwhile.
class WayBack {
 public:
  explicit WayBack(Robot& robot) { begin(robot); }

  void begin(Robot& robot) {
    rest(robot);
    // Successive places are one step, which the next click would extend: an undo and a redo end it.
    undo(robot);
    redo(robot);
    document_ = robot.document();
    viewing_ = robot.app().workspace().viewing();
    robot.lowest_depth();
    depth_ = robot.app().history().depth();
    is_forgotten_ = depth_ >= History::max_steps;
  }

  /// Called after every event: an undo beyond the start followed by a change loses the way back. A file
  /// opened before may arrive after an undo, within one event, so every frame counts.
  void look(Robot& robot) {
    is_forgotten_ =
        is_forgotten_ || robot.lowest_depth() < depth_ || robot.app().history().depth() >= History::max_steps;
  }

  void check(Robot& robot) const {
    rest(robot);
    if (is_forgotten_) return;
    const Document last = robot.document();
    const Viewing end = robot.app().workspace().viewing();
    const auto is_at = [&](const Document& document, const Viewing& viewing) {
      return what_is_said(robot.document()) == what_is_said(document) &&
             robot.app().workspace().viewing() == viewing;
    };
    const auto is_there = [&] { return is_at(document_, viewing_); };
    const bool same = last == last;
    std::size_t steps = 0;
    INFO("equal to itself: " << same << ", depth " << robot.app().history().depth() << " from " << depth_);
    std::string told;
    std::string nearest;  // for the message of a failure
    for (; !is_there() && steps < History::max_steps; ++steps) {
      const std::size_t depth = robot.app().history().depth();
      const Document before = robot.document();
      const Viewing looked = robot.app().workspace().viewing();
      undo(robot);
      if (robot.app().history().depth() + 1 != depth && depth > 0)
        told += "undo " + std::to_string(steps) + " led from depth " + std::to_string(depth) + " to " +
                std::to_string(robot.app().history().depth()) +
                (ImGui::GetIO().WantTextInput ? " in a field" : "") + ", page " +
                std::string(robot.app().view().mode.name) +
                ", took back what the window had done by itself: " + differences(before, robot.document()) +
                " " + differences(looked, robot.app().workspace().viewing()) + "; ";
      std::string apart = differences(robot.document(), document_);
      apart += differences(robot.app().workspace().viewing(), viewing_);
      if (nearest.empty() || apart.size() < nearest.size())
        nearest = "step " + std::to_string(steps) + ": " + apart;
    }
    INFO("back, at the nearest: " << nearest);
    CHECK(what_is_said(robot.document()) == what_is_said(document_));
    CHECK(robot.app().workspace().viewing() == viewing_);
    std::string changed;  // what the window did by itself on the way, which forgets what lay ahead
    for (std::size_t i = 0; i < steps; ++i) {
      const std::size_t depth = robot.app().history().depth();
      const std::uint64_t recorded = robot.app().history().recorded();
      redo(robot);
      if (!changed.empty()) continue;
      const History& history = robot.app().history();
      if (history.depth() != depth + 1)
        changed = "redo " + std::to_string(i) + " led from depth " + std::to_string(depth) + " to " +
                  std::to_string(history.depth()) + "; ";
      if (history.recorded() != recorded && !history.past().empty())
        changed += "redo " + std::to_string(i) + " recorded " +
                   differences(robot.document(), history.past().back().document) +
                   differences(robot.app().workspace().viewing(), history.past().back().look);
    }
    INFO("on the way: " << told << changed);
    INFO("and forth again: " << differences(robot.document(), last)
                             << differences(robot.app().workspace().viewing(), end));
    CHECK(what_is_said(robot.document()) == what_is_said(last));
    CHECK(robot.app().workspace().viewing() == end);
  }

 private:
  /// Ends typing, closes open cards, and waits until pending changes are a step.
  static void rest(Robot& robot) {
    walk_of(robot.app().view()).playing = false;
    for (int i = 0; i < 3; ++i) robot.key(ImGuiKey_Escape);
    robot.app().view().keyboard.notice = {};  // it would offer an undo beyond this point
    robot.leave();
    robot.settle();
    robot.frame(2);
  }

  Document document_;
  Viewing viewing_;
  std::size_t depth_ = 0;
  bool is_forgotten_ = false;
};

}  // namespace attnscope::test

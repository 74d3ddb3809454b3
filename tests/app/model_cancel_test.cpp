// Long work on a model is stopped and resumed where it was: effects of heads, pruning curve, activation
// patching. The engine's worker is halted between two pieces, as if each of them took long.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/ui/theme.hpp"
#include "app/model_robot.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"
#include "support/wait.hpp"

namespace attnscope::model_cancel_test {
namespace {

using namespace attnscope::test;

/// The worker waits at it while it is closed.
class Gate {
 public:
  void open() { set(1'000'000); }
  void close() { set(0); }
  /// Returns when the worker is back with the next piece.
  void let_one_through() {
    std::unique_lock lock(mutex_);
    free_ = 1;
    changed_.notify_all();
    changed_.wait_for(lock, patience, [this] { return free_ == 0 && waits_; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    waits_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return free_ > 0; });
    waits_ = false;
    --free_;
  }

 private:
  void set(int free) {
    const std::lock_guard lock(mutex_);
    free_ = free;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_ = 0;
  bool waits_ = false;
};

class SlowModel {
 public:
  SlowModel() : robot(options()) {
    robot.app().files().opening.open(directory_ / "letters");
    robot.settle();
    type_text(robot, "ab c de");
  }
  ~SlowModel() { gate_.open(); }

  /// Call before the text changes or work is started: from here on the worker waits before each piece.
  void slow_down() { gate_.close(); }
  void hurry() {
    gate_.open();
    robot.leave();
    robot.settle();
  }
  /// Lets pieces through one by one until the condition is true. The engine reports a piece only long after
  /// the last one.
  bool pieces_until(const std::function<bool()>& condition) {
    constexpr int most = 200;
    for (int i = 0; i < most; ++i) {
      robot.frame();
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(35));
      gate_.let_one_through();
    }
    return false;
  }

  /// Filled pixels of the progress bar beside the button with this name. (Texts are read from a saved
  /// picture, and saving waits for all work.)
  int filled(const std::string& button) {
    const RecordedItem* const item = robot.items().find(button);
    REQUIRE(item != nullptr);
    const Image image = robot.pixels();
    const int y = static_cast<int>(item->max.y) - 6, end = static_cast<int>(item->min.x);
    int count = 0;
    for (int x = end - 200; x < end; ++x)
      count += (image.at(x, y) & 0xFFFFFF) == (theme(ThemeName::Dark).query & 0xFFFFFF);
    return count;
  }
  bool is_begun(const std::string& name) {
    return robot.has(name + ": Cancel") && filled(name + ": Cancel") > 0;
  }

  /// `button` was pressed while the work ran: its progress stays, and no work is pending.
  void stop(const std::string& button, const std::string& name) {
    REQUIRE(robot.has(button));
    const int known = filled(name + ": Cancel");
    robot.click(button);
    hurry();  // throws while work is pending
    CHECK(robot.has(name + ": Go on"));
    CHECK_FALSE(robot.has(name + ": Cancel"));
    CHECK_FALSE(robot.has("Cancel"));
    CHECK(filled(name + ": Go on") == known);
    CHECK(robot.app().message().empty());
  }
  void go_on(const std::string& name) {
    const int known = filled(name + ": Go on");
    slow_down();
    robot.click(name + ": Go on");
    REQUIRE(pieces_until([&] { return robot.has(name + ": Cancel") && filled(name + ": Cancel") > known; }));
  }
  void go_on_to_the_end(const std::string& name) {
    go_on(name);
    hurry();
    CHECK_FALSE(robot.has(name + ": Go on"));
    CHECK_FALSE(robot.has(name + ": Cancel"));
  }

 private:
  RobotOptions options() {
    write_letters_gpt(directory_ / "letters");
    gate_.open();
    return {.width = 1600, .height = 1000, .wake = [this] { gate_.pass(); }};
  }
  TemporaryDirectory directory_;
  Gate gate_;

 public:
  Robot robot;
};

}  // namespace

TEST_CASE("effects of heads are stopped and go on, in their row and in the status line", "[model][atlas]") {
  SlowModel model;
  Robot& robot = model.robot;
  robot.click("Grid: Atlas");
  robot.settle();
  model.slow_down();
  robot.click("##Text");
  robot.type("ab");
  REQUIRE(model.pieces_until([&] { return model.is_begun("effects"); }));
  model.stop("effects: Cancel", "effects");
  model.go_on("effects");
  model.stop("Cancel", "effects");
  robot.click("effects: Go on");
  model.hurry();
  CHECK_FALSE(robot.has("effects: Go on"));
  CHECK_FALSE(robot.has("effects: Cancel"));
}

TEST_CASE("among effects that are still computed none has a rank, and the tip says how many are known",
          "[model][atlas]") {
  SlowModel model;
  Robot& robot = model.robot;
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  const std::string so_far = "known of {} heads so far";
  robot.move(robot.centre("score effect on logit"));
  REQUIRE_FALSE(keys_drawn(robot).contains(so_far));
  model.slow_down();
  robot.click("##Text");
  robot.type("ab");
  robot.move(robot.centre("score effect on logit"));
  const auto known = [&] {
    const ModelReadingPtr reading = robot.app().model();
    return reading != nullptr && reading->effects ? reading->effects->known : 0;
  };
  const std::int64_t all = std::ssize(robot.app().model()->effects->heads);
  REQUIRE(model.pieces_until([&] { return known() > 0 && known() < all; }));
  CHECK(keys_drawn(robot).contains(so_far));
  model.hurry();
  REQUIRE(known() == all);
  robot.move(robot.centre("score effect on logit"));
  CHECK_FALSE(keys_drawn(robot).contains(so_far));
}

TEST_CASE("in a narrow window what goes on and what is looked at stand beside each other", "[model]") {
  SlowModel model;
  Robot& robot = model.robot;
  robot.click("model map 0");  // locks
  robot.settle();
  model.slow_down();
  robot.click("##Text");
  robot.type("ab");
  REQUIRE(model.pieces_until([&] {
    const ModelReadingPtr reading = robot.app().model();
    return robot.has("Cancel") && reading != nullptr && reading->effects && reading->effects->known > 0;
  }));
  robot.key(ImGuiKey_Escape);  // ends typing
  robot.resize(700, 600);
  robot.leave();
  robot.frame(2);
  const Selection& at = robot.app().selection();
  REQUIRE(at.locked);
  model_state_of(robot.app().view()).opened_at = OpenedAt{model_within(robot), at.head, at.cell};
  robot.frame();
  const RecordedItem* const item = robot.items().find("Cancel");
  REQUIRE(item != nullptr);
  const ImVec2 from = item->min, to = item->max;
  const Image longer = robot.pixels();
  model_state_of(robot.app().view()).opened_at.reset();  // its sentence in the status line goes
  robot.frame();
  const Image shorter = robot.pixels();
  constexpr int track = 132, words = 60;
  int different = 0;
  for (int y = static_cast<int>(from.y); y < static_cast<int>(to.y); ++y)
    for (int x = static_cast<int>(from.x) - track - words; x < static_cast<int>(to.x); ++x)
      different += longer.at(x, y) != shorter.at(x, y);
  CHECK(different == 0);
  CHECK_FALSE(longer == shorter);
  model.hurry();
}

TEST_CASE("the pruning curve is stopped and goes on", "[model][atlas]") {
  SlowModel model;
  Robot& robot = model.robot;
  robot.click("Grid: Atlas");
  robot.settle();
  model.slow_down();
  robot.click("Compute");
  REQUIRE(model.pieces_until([&] { return model.is_begun("pruning"); }));
  SECTION("in its row") { model.stop("pruning: Cancel", "pruning"); }
  SECTION("in the status line") { model.stop("Cancel", "pruning"); }
  model.go_on_to_the_end("pruning");
  CHECK(robot.has("Pruning curve"));
}

TEST_CASE("activation patching is stopped and goes on", "[model][atlas]") {
  SlowModel model;
  Robot& robot = model.robot;
  model.slow_down();
  robot.click("Grid: Patching");
  REQUIRE(model.pieces_until([&] { return model.is_begun("patching"); }));
  SECTION("in its row") { model.stop("patching: Cancel", "patching"); }
  SECTION("in the status line") { model.stop("Cancel", "patching"); }
  model.go_on_to_the_end("patching");
  CHECK(robot.has("Patched heads"));
}

TEST_CASE("a model that is slow to run says so, and can be stopped", "[model]") {
  SlowModel model;
  Robot& robot = model.robot;
  model.slow_down();
  robot.click("##Text");
  robot.type("ab");
  // Work of less than a fifth of a second is not reported.
  REQUIRE(wait_until([&] {
    robot.frame();
    return robot.has("Cancel");
  }));
  robot.click("Cancel");
  model.hurry();
  CHECK_FALSE(robot.has("Cancel"));
  CHECK(robot.app().message().empty());
}

}  // namespace attnscope::model_cancel_test

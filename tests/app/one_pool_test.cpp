// All parts of the window compute with one pool of threads.
#include <algorithm>
#include <string>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/long_robot.hpp"
#include "app/model_robot.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/training_runs.hpp"
#include "support/running_threads.hpp"

namespace attnscope::one_pool_test {

using namespace attnscope::test;

namespace {

/// Worker threads, one for each part of the window, which sleep between Jobs: the layer's engine, the models'
/// engine and its watchdog, differences of models and theirs, tiles of A and of B, numbers of a result, the
/// lab, its probes, the wall of seeds, files.
constexpr int most_workers = 13;

}  // namespace

TEST_CASE("A window with a long text, tiles, models A and B and a lab has one thread a core and few beside") {
  const TemporaryDirectory directory;
  const int before = running_threads();
  Robot robot(with_letters(directory));
  int most = running_threads();
  const auto settle = [&] {
    robot.settle();
    most = std::max(most, running_threads());
  };
  robot.key(ImGuiKey_F4);
  robot.settle();
  click(robot, "Hold this");  // model B
  type_text(robot, "abcabd");
  settle();
  lab_of(robot.app().view()).task = "two-jobs";
  robot.key(ImGuiKey_F10);
  settle();
  lab_of(robot.app().view()).playing = true;
  for (int i = 0; i < 30; ++i) robot.frame();
  robot.key(ImGuiKey_W);  // the wall of seeds
  for (int i = 0; i < 30; ++i) robot.frame();
  most = std::max(most, running_threads());
  robot.app().files().opening.open(directory.write("long.txt", long_text()));
  settle();
  robot.app().held().hold();  // a long B
  settle();
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  INFO("threads: " << most << ", " << before << " of them before, " << cores << " cores");
  CHECK(most - before <= cores - 1 + most_workers);
}

}  // namespace attnscope::one_pool_test

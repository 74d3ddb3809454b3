// Two backends in the window: which one computes, the switch, both times side by side, the difference of
// their numbers, and what happens when one fails. The second backend is a test double, see
// support/second_backend.hpp.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/views/backends/switch.hpp"
#include "controls_robot.hpp"
#include "robot/layout.hpp"
#include "support/program.hpp"
#include "support/second_backend.hpp"
#include "support/temporary_directory.hpp"
#include "support/wait.hpp"

namespace attnscope::backends_test {

using test::SecondBackend;
using test::told_at;

namespace {

struct TwoBackends {
  std::shared_ptr<SecondBackend> second = std::make_shared<SecondBackend>();
  Robot robot;
  explicit TwoBackends(bool wait = true)
      : robot({.width = 1600, .height = 1000, .wait_for_engine = wait, .second = second}) {
    robot.settle();
  }
  const Result& result() { return *robot.app().shown(); }
  const Backends& backends() { return robot.app().backends(); }
};

void frames_until(Robot& robot, const std::function<bool()>& done) {
  REQUIRE(test::wait_until([&] {
    robot.frame();
    return done();
  }));
}

const ParityRow& row_of(const Parity& parity, std::string_view name) {
  const auto found = std::find_if(parity.rows.begin(), parity.rows.end(),
                                  [&](const ParityRow& row) { return row.name == name; });
  REQUIRE(found != parity.rows.end());
  return *found;
}

}  // namespace

TEST_CASE("backends: with one there is nothing to switch to, and every place says why", "[backends]") {
  Robot robot({.width = 1600, .height = 1000});
  const std::string why = "This build has no CUDA kernels, so the CPU computes everything.";
  CHECK_FALSE(robot.has("Backends: CUDA"));  // the top bar has no switch
  robot.key(ImGuiKey_H);
  robot.settle();
  CHECK(told_at(robot, "Computes: CUDA").contains(why));
  const ResultPtr before = robot.app().shown();
  robot.click("Computes: CUDA");
  robot.settle();
  CHECK(robot.app().shown() == before);
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(robot.app().message() == "There is no other backend to switch to. " + why);
  CHECK(robot.app().shown() == before);
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  robot.settle();
  CHECK(shows(robot, "There is nothing to compare the CPU with."));
  CHECK(robot.app().backends().comparison() == nullptr);
  robot.key(ImGuiKey_Escape);
  CHECK_FALSE(robot.app().view().parity);
}

TEST_CASE("backends: key, top bar and card switch while the window runs, and nothing else changes",
          "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  const Document document = robot.document();
  const Selection selection = robot.app().selection();
  const std::string cpu = two.result().backend;
  CHECK(cpu.starts_with("CPU"));
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(two.result().backend == "Second");
  robot.click("Backends: CPU");
  robot.settle();
  CHECK(two.result().backend == cpu);
  robot.key(ImGuiKey_H);
  robot.settle();
  robot.click("Computes: Second");
  robot.settle();
  CHECK(two.result().backend == "Second");
  robot.click("Computes: Second");  // it is the current one
  robot.settle();
  CHECK(two.result().backend == "Second");
  CHECK(robot.document() == document);
  CHECK(robot.app().selection() == selection);
  CHECK(robot.app().message().empty());
  robot.key(ImGuiKey_S);  // the next change is computed by it
  robot.settle();
  CHECK(two.result().backend == "Second");
  CHECK(two.result().document == robot.document());
  CHECK_FALSE(two.second->was_mixed());
}

TEST_CASE("backends: the picture stays until the other backend has its own", "[backends]") {
  TwoBackends two(false);
  Robot& robot = two.robot;
  const ResultPtr before = robot.app().shown();
  two.second->halt_at(Stage::Softmax);
  robot.key(ImGuiKey_U);
  two.second->await_halt();
  robot.frame(3);
  CHECK(robot.app().shown() == before);
  CHECK_FALSE(robot.app().settled());
  robot.key(ImGuiKey_U);  // back, while it still computes
  frames_until(robot, [&] { return robot.app().settled(); });
  CHECK(two.second->stopped() == 1);
  CHECK(robot.app().shown() != before);
  CHECK(two.result().backend == before->backend);
  CHECK(two.result().document == before->document);
}

TEST_CASE("backends: both times of the same document stand side by side with their ratio", "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  REQUIRE(two.backends().times(0) != nullptr);
  CHECK(two.backends().times(1) == nullptr);
  CHECK_FALSE(two.backends().ratio());
  robot.key(ImGuiKey_U);
  robot.key(ImGuiKey_H);
  robot.settle();
  const WholeTimes &cpu = *two.backends().times(0), &second = *two.backends().times(1);
  CHECK(second.total() == two.result().layer().whole.total());
  CHECK(cpu.total() > 0);
  const double ratio = std::max(cpu.total(), second.total()) / std::min(cpu.total(), second.total());
  CHECK(two.backends().ratio() == ratio);
  CHECK(shows(robot, ratio_words(ratio)));
  CHECK(shows(robot, time_words(&cpu)));
  CHECK(shows(robot, time_words(&second)));
  CHECK(shows(robot, fixed(cpu.stages[Stage::Score], 3)));
  CHECK(shows(robot, fixed(second.stages[Stage::Score], 3)));
  CHECK(shows(robot, fixed(cpu.total(), 3)));

  robot.key(ImGuiKey_S);  // another document: the second backend's time belongs to the old one
  robot.settle();
  CHECK(two.backends().times(0) == nullptr);
  REQUIRE(two.backends().times(1) != nullptr);
  CHECK(two.backends().times(1)->total() == two.result().layer().whole.total());
  CHECK(two.backends().times(1)->stages[Stage::Score] > 0);  // reused in this run, and part of the total
  CHECK(two.result().layer().milliseconds[Stage::Score] == 0);
  CHECK_FALSE(two.backends().ratio());
}

TEST_CASE("backends: a known difference is found in its stage and shown with its place", "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  const Dimensions& d = two.result().layer().dimensions;
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  robot.settle();
  REQUIRE(two.backends().parity() != nullptr);
  CHECK(shows(robot, "All numbers are equal to the last bit."));
  CHECK(two.backends().times(1) != nullptr);  // the comparison measures the second backend, too
  CHECK(two.result().backend.starts_with("CPU"));

  const std::int64_t at = (3 * d.queries + 4) * d.keys + 2;  // head 3, query 4, key 2
  two.second->change({{Stage::Scale, at, 0.125f}});
  robot.key(ImGuiKey_C);  // a new result is compared automatically while the card is open
  robot.settle();
  const Parity& parity = *two.backends().parity();
  CHECK(row_of(parity, "Scores").difference.is_equal());
  const Difference& scaled = row_of(parity, "Scaled logits").difference;
  CHECK(std::abs(scaled.absolute - 0.125) < 1e-6);
  CHECK(place_in(scaled.shape, scaled.at) == "[0, 3, 4, 2]");
  CHECK(shows(robot, "[0, 3, 4, 2]"));
  CHECK(shows(robot, tiny(scaled.absolute)));
  CHECK(shows(robot, tiny(scaled.relative())));
  CHECK(shows(robot, "largest relative difference"));
  CHECK(told_at(robot, "parity Scaled logits").contains("at {} of {}"));

  two.second->change({{Stage::Mask, 0, 0, std::numeric_limits<float>::quiet_NaN()}});
  robot.key(ImGuiKey_C);
  robot.settle();
  CHECK(row_of(*two.backends().parity(), "Masked logits").difference.misfits == 1);
  CHECK(shows(robot, "∞ and NaN do not stand at the same places"));

  two.second->change({});
  robot.key(ImGuiKey_U);  // with the other backend current
  robot.settle();
  CHECK(two.backends().parity()->first == "Second");
  CHECK(two.backends().parity()->second.starts_with("CPU"));
  CHECK(shows(robot, "All numbers are equal to the last bit."));
  CHECK_FALSE(two.second->was_mixed());
}

TEST_CASE("backends: comparing can be stopped and begun again, and does not stand in the way", "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  two.second->halt_at(Stage::Mix);
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  robot.frame(2);
  two.second->await_halt();
  robot.frame();
  CHECK_FALSE(robot.app().settled());
  robot.click("Stop comparing");
  frames_until(robot, [&] { return robot.app().settled() && two.backends().comparison()->is_done(); });
  robot.frame(2);
  CHECK(shows(robot, "Stopped."));
  CHECK(two.backends().parity() == nullptr);
  two.second->halt_at(std::nullopt);
  robot.frame(5);
  CHECK(two.backends().parity() == nullptr);  // not automatically
  robot.click("Compare again");
  robot.settle();
  CHECK(two.backends().parity() != nullptr);
  CHECK(robot.has("parity Scores"));

  two.second->halt_at(Stage::Mix);  // switching to the backend that is comparing drops the comparison
  robot.key(ImGuiKey_S);
  two.second->await_halt();
  two.second->halt_at(std::nullopt);
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(two.result().backend == "Second");
  CHECK(two.backends().parity()->first == "Second");
}

TEST_CASE("backends: the CPU takes over from one that fails, says why, and nothing is lost", "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  robot.key(ImGuiKey_U);
  robot.settle();
  two.second->fail_at(Stage::Mix);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(two.result().backend.starts_with("CPU"));
  CHECK(two.result().document == robot.document());
  const std::string note = "The backend \"Second\" failed and \"" + two.result().backend +
                           "\" took over. Out of device memory: 12 GiB are needed.";
  CHECK(robot.app().message() == note);
  robot.key(ImGuiKey_C);
  robot.settle();
  CHECK(robot.app().message() == note);  // it stays until it is dismissed
  robot.click("Dismiss");
  robot.key(ImGuiKey_C);
  robot.key(ImGuiKey_H);
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(shows(robot, "took over."));  // the card still says it
  two.second->fail_at(std::nullopt);
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(two.result().backend == "Second");
  CHECK(two.result().backend_note.empty());
  CHECK_FALSE(shows(robot, "took over."));

  two.second->fail_at(Stage::Mix);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(robot.app().message() == note);
  two.second->fail_at(std::nullopt);
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(robot.app().message().empty());  // it is not true any more
}

TEST_CASE("backends: what fails while it is compared is told in the card", "[backends]") {
  TwoBackends two;
  Robot& robot = two.robot;
  two.second->fail_at(Stage::Output, "The card is gone.");
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  robot.settle();
  CHECK(shows(robot, "The card is gone."));
  CHECK(robot.has("Compare again"));
  CHECK(two.result().backend.starts_with("CPU"));
  CHECK(robot.app().message().empty());
}

TEST_CASE("backends: a long document switches, is timed and compared, and is taken over", "[backends]") {
  const test::TemporaryDirectory directory;
  TwoBackends two;
  Robot& robot = two.robot;
  std::string text;
  for (int i = 0; i < 2111; ++i) text += "w" + std::to_string(i % 97) + " ";
  robot.app().files().opening.open(directory.write("long.txt", text));
  robot.settle();
  REQUIRE(two.result().layer().is_long());
  two.second->change_entropy(0.5f);
  robot.key(ImGuiKey_U, ImGuiMod_Shift);
  frames_until(robot, [&] { return two.backends().parity() != nullptr; });
  for (const char* name : {"log-sum-exp", "entropy", "largest weight", "attention received",
                           "means of the picture", "maxima of the picture", "Head outputs"})
    CHECK(row_of(*two.backends().parity(), name).difference.comparable);
  CHECK(std::abs(row_of(*two.backends().parity(), "entropy").difference.absolute - 0.5) < 1e-5);
  CHECK(row_of(*two.backends().parity(), "log-sum-exp").difference.is_equal());
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_U);
  robot.settle();
  CHECK(two.result().backend == "Second");
  CHECK(two.result().layer().is_complete());
  CHECK(two.backends().ratio());
  two.second->fail_after_sweeps(1);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(two.result().layer().is_complete());
  CHECK(two.result().backend.starts_with("CPU"));
  CHECK(robot.app().message().starts_with("The backend \"Second\" failed"));
}

TEST_CASE("backends: a file that is opened while the backend changes is the one that is shown",
          "[backends]") {
  const test::TemporaryDirectory directory;
  TwoBackends two;
  Robot& robot = two.robot;
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.settle();
  robot.app().files().saving.save(directory / "session.json");
  const std::string bytes = test::bytes_of(directory / "session.json");
  CHECK(bytes.find("Second") == std::string::npos);
  CHECK(bytes.find("backend") == std::string::npos);  // a setting of the machine, not of the document
  const std::filesystem::path other = directory.write("other.txt", "one two three four five six");
  robot.app().files().opening.open(other);
  robot.settle();
  const std::string text = robot.document().input.sequences.at(0).text;
  for (int frames = 0; frames < 4; ++frames) {
    INFO(frames);
    robot.app().files().opening.open(directory / "session.json");  // with B, which comes first
    robot.frame(frames);
    robot.app().workspace().use_backend(two.result().backend == "Second" ? 0 : 1);
    robot.settle();
    CHECK(test::shown(robot).document == robot.document());
    REQUIRE(robot.app().held().held_result());
    CHECK_FALSE(robot.app().held().held_result()->result->document == robot.document());
    robot.app().files().opening.open(other);
    robot.app().workspace().use_backend(two.result().backend == "Second" ? 0 : 1);
    robot.settle();
    CHECK(robot.document().input.sequences.at(0).text == text);
    CHECK(test::shown(robot).document == robot.document());
  }
}

TEST_CASE("backends: the command line chooses one, or says why it is not there", "[backends]") {
  const test::TemporaryDirectory directory;
  CHECK(test::run(directory, "render --size 400x300 --backend cpu -o cpu.png").exit_code == 0);
  CHECK(test::run(directory, "render --size 400x300 --backend auto -o auto.png").exit_code == 0);
  test::check_refusal(directory, "render --backend gpu -o a.png", 2,
                      "--backend is \"gpu\", expected auto, cpu or cuda");
  test::check_refusal(directory, "--backend tpu", 2, "expected auto, cpu or cuda");
  test::check_refusal(directory, "--backend cpu render -o a.png", 2, "render and describe have their own");
  const std::vector<BackendChoice> here = list_backends();
  REQUIRE(here.front().backend);
  if (here.back().backend) {
    CHECK(test::run(directory, "render --size 400x300 --backend cuda -o cuda.png").exit_code == 0);
    CHECK(&chosen_backend(here, BackendPreference::Auto) == &here.back());
    return;
  }
  CHECK_FALSE(here.back().why_not.empty());
  test::check_refusal(directory, "render --backend cuda -o a.png", 1, here.back().why_not);
  directory.write("a.txt", "a text");
  test::check_refusal(directory, "describe a.txt --backend cuda", 1, here.back().why_not);
  CHECK(&chosen_backend(here, BackendPreference::Auto) == &here.front());
}

}  // namespace attnscope::backends_test

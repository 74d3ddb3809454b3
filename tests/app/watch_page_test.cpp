// The Watch page: without a process, with one that reads and writes, paused, gone, and as a Document.
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/paths.hpp"
#include "app/watch_robot.hpp"
#include "core/attention/run_stage.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope::watch_page_test {
namespace {

using namespace attnscope::test;

const RobotOptions wide{.width = 1600, .height = 1000};

/// The page of a process that has read `prompt` tokens and written some more.
struct PageOfProcess {
  PageOfProcess(std::int64_t prompt, int written) {
    show_watch_page(robot);
    process.generate(prompt, written);
    REQUIRE(shows_tokens(robot, prompt + written));
  }

  WatchFolder folder;
  WatchedProcess process{folder};
  Robot robot{wide};
};

std::string legible(Robot& robot) {
  robot.leave();
  robot.settle();
  return fmt::format("{}", fmt::join(collisions(texts_of(robot)), "\n"));
}

}  // namespace

TEST_CASE("watch: without a process the page says what to run, and its controls say nothing", "[watch]") {
  const WatchFolder folder;
  Robot robot(wide);
  show_watch_page(robot);
  CHECK(shows(robot, "Nothing is connected"));
  CHECK(shows(robot, "pip install attnscope"));
  CHECK(shows(robot, "Listening for processes of this user"));
  CHECK(shows(robot, "No process"));
  CHECK(shows(robot, "–"));
  CHECK_FALSE(shows(robot, "0.0000"));
  CHECK(legible(robot) == "");
  robot.click("Copy watch");
  robot.settle();
  const std::string copied = ImGui::GetClipboardText();
  CHECK(copied.find("attnscope.watch(model)") != std::string::npos);
  CHECK(copied.find('#') == std::string::npos);
}

TEST_CASE("watch: a stream that arrives is shown whole, and goes on token by token", "[watch]") {
  const WatchFolder folder;
  Robot robot(wide);
  show_watch_page(robot);
  WatchedProcess process(folder);
  process.pass(6);
  REQUIRE(shows_tokens(robot, 6));
  CHECK(shows(robot, "watch · python"));
  CHECK(shows(robot, "LlamaForCausalLM"));
  CHECK_FALSE(shows(robot, "Nothing is connected"));
  process.pass(1);
  process.pass(1);
  REQUIRE(shows_tokens(robot, 8));
  const ShownWatchHead& head = *shown_watch(robot).head;
  CHECK(head.rows() == 8);
  for (std::int64_t position = 0; position < 8; ++position) {
    const std::vector<double> wanted = process.model.weights(0, 0, 0, position, position + 1, 8);
    for (std::int64_t key = 0; key < 8; ++key)
      CHECK(std::abs(double{head.at(position)[key]} - wanted[static_cast<std::size_t>(key)]) < 1e-5);
  }
  CHECK(shown_watch(robot).text->passes.size() == 3);
  CHECK(shown_watch(robot).connection.counts.dropped == 0);
  CHECK(legible(robot) == "");
}

TEST_CASE("watch: the process is asked to send only while the page is shown", "[watch]") {
  const WatchFolder folder;
  WatchedProcess process(folder);
  process.pass(4);
  Robot robot(wide);
  robot.frame(4);
  CHECK(process.writer.get(watch_format::WindowPid) == 0);
  show_watch_page(robot);
  REQUIRE(shows_tokens(robot, 4));
  CHECK(process.writer.get(watch_format::WindowPid) == static_cast<std::uint64_t>(::getpid()));
  CHECK(process.writer.get(watch_format::WindowWanted) == (WantsQueryKeyValue | WantsMasks));
  robot.key(ImGuiKey_F2);
  REQUIRE(comes(robot, [&] { return process.writer.get(watch_format::WindowPid) == 0; }));
  robot.key(ImGuiKey_F7);
  REQUIRE(comes(robot, [&] { return process.writer.get(watch_format::WindowPid) != 0; }));
}

TEST_CASE("watch: a pause stops the picture and not the process, which is still looked at", "[watch]") {
  PageOfProcess page(5, 0);
  WatchedProcess& process = page.process;
  Robot& robot = page.robot;
  robot.key(ImGuiKey_Space);
  CHECK(watch_state(robot).paused);
  robot.settle();
  CHECK(shows(robot, "paused"));
  const std::uint64_t looked = process.writer.get(watch_format::WindowLooked);
  REQUIRE(comes(robot, [&] { return process.writer.get(watch_format::WindowLooked) > looked; }));
  process.pass(1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < until) robot.frame();
  CHECK(shown_watch(robot).text->keys == 5);
  robot.key(ImGuiKey_Space);
  CHECK(shows_tokens(robot, 6));
}

TEST_CASE("watch: the arrows go through the passes, and the newest row comes back", "[watch]") {
  PageOfProcess page(4, 3);
  WatchedProcess& process = page.process;
  Robot& robot = page.robot;
  robot.key(ImGuiKey_LeftArrow);
  CHECK(watch_state(robot).row == 5);
  robot.key(ImGuiKey_LeftArrow);
  robot.key(ImGuiKey_LeftArrow);
  CHECK(watch_state(robot).row == 3);  // the last of the prompt
  robot.key(ImGuiKey_LeftArrow);
  CHECK(watch_state(robot).row == 3);
  process.pass(1);
  REQUIRE(shows_tokens(robot, 8));
  CHECK(watch_state(robot).row == 3);  // it stays while new ones come
  robot.key(ImGuiKey_End);
  CHECK_FALSE(watch_state(robot).row);
  robot.key(ImGuiKey_DownArrow);
  CHECK(watch_state(robot).layer == 1);
  robot.key(ImGuiKey_RightBracket);
  robot.settle();
  CHECK(watch_state(robot).head == 1);
  CHECK(shown_watch(robot).head->head == 1);
  CHECK(shown_watch(robot).head->layer->index == 1);
  robot.key(ImGuiKey_RightArrow);
  robot.key(ImGuiKey_UpArrow);
  robot.key(ImGuiKey_LeftBracket);
  robot.settle();
  CHECK(watch_state(robot).layer == 0);
  CHECK(watch_state(robot).head == 0);
  robot.key(ImGuiKey_LeftArrow);
  const std::int64_t before = watch_state(robot).row.value_or(-1);
  robot.key(ImGuiKey_LeftArrow);
  CHECK(watch_state(robot).row == before - 1);
  robot.key(ImGuiKey_RightArrow);
  CHECK(watch_state(robot).row == before);
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(robot.app().view().mode == Mode::Explore);
}

TEST_CASE("watch: calls stand in the place of the heads, and how many are kept is said", "[watch]") {
  PageOfProcess page(4, 3);
  Robot& robot = page.robot;
  CHECK(shows(robot, "4 passes, up to 200 are kept"));
  CHECK(robot.has("Watched heads"));
  robot.click("Heads or calls: Calls");
  robot.settle();
  CHECK_FALSE(robot.has("Watched heads"));
  CHECK(robot.has("Calls list"));
  CHECK(shows(robot, "4 passes, up to 200 are kept"));
  robot.key(ImGuiKey_LeftArrow);
  CHECK(watch_state(robot).row == 5);
  CHECK(legible(robot) == "");
  robot.click("Heads or calls: Heads");
  robot.settle();
  CHECK(robot.has("Watched heads"));
}

TEST_CASE("watch: a layer opens as a Document with the same weights, and undo leads back", "[watch]") {
  PageOfProcess page(4, 2);
  WatchedProcess& process = page.process;
  Robot& robot = page.robot;
  const Document before = robot.document();
  robot.key(ImGuiKey_DownArrow);
  robot.key(ImGuiKey_RightBracket);
  robot.settle();
  robot.click("Open");
  robot.settle();
  CHECK(robot.app().view().mode == Mode::Explore);
  CHECK(robot.app().selection().head == 1);
  const LayerResult& layer = robot.app().shown()->layer();
  REQUIRE(layer.dimensions.heads == 4);
  const auto weights = layer.trace[weights_stage(layer.document)]->matrix(0, 1);
  const std::vector<double> wanted = process.model.weights(1, 0, 1, 5, 6, 6);
  for (std::int64_t key = 0; key < 6; ++key)
    CHECK(std::abs(double{weights(weights.rows() - 1, key)} - wanted[static_cast<std::size_t>(key)]) < 1e-5);
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK(is_watching(robot.app().view()));
  CHECK(robot.document() == before);
}

TEST_CASE("watch: a process that ends leaves its last pass, and the next one is found", "[watch]") {
  const WatchFolder folder;
  Robot robot(wide);
  show_watch_page(robot);
  {
    WatchedProcess process(folder);
    process.generate(4, 1);
    REQUIRE(shows_tokens(robot, 5));
    process.writer.close();
    REQUIRE(
        comes(robot, [&] { return shown_watch(robot).connection.state == WatchConnection::State::Ended; }));
  }
  CHECK(shows(robot, "watch closed"));
  CHECK(shown_watch(robot).text->keys == 5);
  CHECK(legible(robot) == "");
  WatchedProcess next(folder, 1);
  next.pass(3);
  CHECK(shows_tokens(robot, 3));
  CHECK(shown_watch(robot).connection.state == WatchConnection::State::Live);
}

TEST_CASE("watch: a window that was killed finds the stream again, whole", "[watch]") {
  const WatchFolder folder;
  WatchedProcess process(folder);
  {
    Robot robot(wide);
    show_watch_page(robot);
    process.generate(4, 2);
    REQUIRE(shows_tokens(robot, 6));
  }
  CHECK(process.writer.get(watch_format::WindowPid) == 0);
  Robot robot(wide);
  show_watch_page(robot);
  CHECK(shows_tokens(robot, 6));
}

TEST_CASE("watch: the palette and a file lead to the page, F7 and anything else away from it", "[watch]") {
  const WatchFolder folder;
  WatchedProcess process(folder);
  process.pass(3);
  Robot robot(wide);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.settle();
  robot.type("watch a python");
  robot.settle();
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(is_watching(robot.app().view()));
  robot.key(ImGuiKey_F7);
  robot.settle();
  CHECK_FALSE(is_watching(robot.app().view()));
  CHECK(robot.app().view().mode == Mode::Model);
  robot.app().files().opening.open(process.writer.path());
  CHECK(is_watching(robot.app().view()));
  CHECK(shows_tokens(robot, 3));
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "cat.json");
  robot.settle();
  if (robot.app().message().empty()) CHECK_FALSE(is_watching(robot.app().view()));
}

TEST_CASE("watch: the page stays when the first picture comes behind it", "[watch]") {
  const WatchFolder folder;
  RobotOptions options = wide;
  options.opening = opening_picture(ATTNSCOPE_ASSETS);
  Robot robot(options);
  robot.app().view().mode = Mode::Model;
  watch_state(robot).on = true;
  robot.settle();
  CHECK(is_watching(robot.app().view()));
  CHECK(shows(robot, "Nothing is connected"));
}

TEST_CASE("watch: the key that is looked at most is in the strip of a long text", "[watch]") {
  PageOfProcess page(16, 40);
  Robot& robot = page.robot;
  for (int i = 0; i < 12; ++i) {
    const ShownWatchHead& head = *shown_watch(robot).head;
    const std::int64_t row = watch_state(robot).row.value_or(55);
    CHECK(robot.has("watch token " + std::to_string(words_of_row(head.at(row), row + 1).largest_key)));
    robot.key(ImGuiKey_LeftArrow);
    robot.settle();
  }
}

TEST_CASE("watch: keys of other pages do nothing to the Document behind it", "[watch]") {
  const WatchFolder folder;
  Robot robot(wide);
  show_watch_page(robot);
  const Document before = robot.document();
  for (const ImGuiKey key : {ImGuiKey_S, ImGuiKey_C, ImGuiKey_N, ImGuiKey_M, ImGuiKey_O, ImGuiKey_Enter,
                             ImGuiKey_Home, ImGuiKey_Backspace, ImGuiKey_A, ImGuiKey_Y})
    robot.key(key);
  robot.settle();
  CHECK(robot.document() == before);
  CHECK(is_watching(robot.app().view()));
}

TEST_CASE("watch: a session saved from the page is that of the Document behind it", "[watch]") {
  const WatchFolder folder;
  const TemporaryDirectory directory;
  Robot robot(wide);
  show_watch_page(robot);
  robot.app().files().saving.save(directory.path() / "behind.json");
  robot.settle();
  CHECK(std::filesystem::exists(directory.path() / "behind.json"));
  const Document before = robot.document();
  robot.app().files().opening.open(directory.path() / "behind.json");
  robot.settle();
  CHECK(robot.document().input == before.input);
}

}  // namespace attnscope::watch_page_test

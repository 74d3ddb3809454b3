// A model on the disk beside a watched process: it is offered where its shapes agree, never assumed; it reads
// the tokens that the process has read, and whether its weights are the same is computed.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/watch/join.hpp"
#include "app/watch/same_shapes.hpp"
#include "app/watch_join_robot.hpp"
#include "core/document/model_context.hpp"
#include "support/letters_gpt.hpp"

namespace attnscope::watch_join_test {
namespace {

using namespace attnscope::test;

const RobotOptions wide{.width = 1600, .height = 1000, .system_fonts = true};
const std::vector<std::int64_t> letters{0, 1, 6, 2, 6, 3, 4, 6, 0};  // "ab c de a", a letter a token

/// The Watch page of a process that runs the model in the folder "letters".
struct PageOfModel {
  explicit PageOfModel(const ProcessOfModel::Options& options = {})
      : model(made_model(directory)), process(folder, model, letters, options) {
    show_watch_page(robot);
    REQUIRE(shows_tokens(robot, std::ssize(letters)));
    robot.settle();
  }
  static std::filesystem::path made_model(const TemporaryDirectory& directory) {
    write_letters_gpt(directory / "letters");
    return directory / "letters";
  }

  void open_beside() {
    robot.click("Open beside it");
    REQUIRE(comes(robot, [&] { return has_opened(); }));
  }
  bool has_opened() {
    const ModelContext& within = robot.document().within.read();
    return within && within.path == model && robot.app().view().mode == Mode::Model &&
           !is_watching(robot.app().view());
  }
  const JoinVerdict& verdict() {
    REQUIRE(comes(robot, [&] { return !watch_state(robot).verdicts.empty(); }));
    return watch_state(robot).verdicts.back();
  }

  TemporaryDirectory directory;
  WatchFolder folder;
  std::filesystem::path model;
  ProcessOfModel process;
  Robot robot{wide};
};

}  // namespace

TEST_CASE("watch: a model of the same shapes is offered, and nothing is assumed of it", "[watch]") {
  PageOfModel page;
  Robot& robot = page.robot;
  REQUIRE(watch_state(robot).offers.size() == 1);
  CHECK(watch_state(robot).offers[0].path == page.model);
  CHECK(watch_state(robot).offers[0].is_named);
  CHECK(shows(robot, "Same shapes lie on disk: letters"));
  CHECK(shows(robot, "Same shapes and name; weights not compared yet."));
  CHECK_FALSE(robot.document().within.read());
  robot.click("Keep apart");
  robot.settle();
  CHECK_FALSE(shows(robot, "Same shapes lie on disk"));
  CHECK_FALSE(robot.has("Open beside it"));
}

TEST_CASE("watch: other shapes are not offered", "[watch]") {
  PageOfModel page({.layers_said = 4});
  CHECK(watch_state(page.robot).offers.empty());
  CHECK_FALSE(shows(page.robot, "Same shapes lie on disk"));
}

TEST_CASE("watch: the model beside the stream reads its tokens, agrees, and leads back", "[watch]") {
  PageOfModel page;
  Robot& robot = page.robot;
  watch_state(robot).layer = 1;
  watch_state(robot).head = 2;
  robot.settle();
  page.open_beside();
  const ModelContext& within = robot.document().within.read();
  CHECK(within.input.ids == letters);
  CHECK(within.block == 1);
  CHECK(robot.app().selection().head == 2);
  CHECK(robot.app().selection().cell.query == std::ssize(letters) - 1);
  CHECK(page.verdict().kind == JoinVerdict::Kind::Agrees);
  CHECK(page.verdict().layer == 1);
  CHECK(page.verdict().largest < 1e-5);
  CHECK(shows(robot, "layer 1 agrees within"));

  robot.key(ImGuiKey_F7);
  robot.settle();
  CHECK(is_watching(robot.app().view()));
  CHECK(shows(robot, "Opened beside it: letters"));
  CHECK(shows(robot, "layer 1 agrees within"));
  robot.key(ImGuiKey_F7);
  robot.settle();
  CHECK_FALSE(is_watching(robot.app().view()));
  REQUIRE(robot.document().within.read());
  robot.click("Back to the process");
  robot.settle();
  CHECK(is_watching(robot.app().view()));
  robot.click("Go to the model beside it");
  robot.settle();
  CHECK(page.has_opened());

  // With another text it is not the watched one any more.
  robot.retype("##Text", "ab c");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK(shows(robot, "another text: not compared"));
}

TEST_CASE("watch: a model of the same shapes with other weights differs, and it is said", "[watch]") {
  PageOfModel page({.queries_times = 1.5f});
  page.open_beside();
  const JoinVerdict& verdict = page.verdict();
  CHECK(verdict.kind == JoinVerdict::Kind::Differs);
  CHECK(verdict.largest > 0.01);
  CHECK(verdict.rows == std::ssize(letters));
  CHECK(verdict.heads == 4);
  CHECK(shows(page.robot, "layer 0 differs by up to"));
  CHECK_FALSE(shows(page.robot, "layer 0 agrees"));
}

TEST_CASE("watch: a call that hides keys is not taken for other weights", "[watch]") {
  PageOfModel page({.hides_first = true});
  page.open_beside();
  CHECK(page.verdict().kind == JoinVerdict::Kind::OtherMask);
  CHECK(shows(page.robot, "layer 0: the call hides other keys"));
}

TEST_CASE("watch: without ids the model is opened with a text of its own, which is said", "[watch]") {
  PageOfModel page({.sends_ids = false});
  page.open_beside();
  page.robot.settle();
  CHECK(page.robot.document().within.read().input.ids.empty());
  CHECK(watch_state(page.robot).verdicts.empty());
  CHECK(shows(page.robot, "no token ids were sent"));
}

TEST_CASE("watch: layers, heads, key heads, widths and vocabulary make the shapes", "[watch]") {
  const ModelShapes model{.blocks = {{4, 2, 8}, {4, 2, 8}}, .vocabulary = 100};
  const WatchedShapes same{.layers = 2, .seen = {{1, {4, 2, 8}}}, .vocabulary = 100, .name_or_path = {}};
  CHECK(have_same_shapes(same, model));
  const auto differs = [&](const auto& change) {
    WatchedShapes other = same;
    change(other);
    return !have_same_shapes(other, model);
  };
  CHECK(differs([](WatchedShapes& s) { s.layers = 3; }));
  CHECK(differs([](WatchedShapes& s) { s.seen[1].heads = 8; }));
  CHECK(differs([](WatchedShapes& s) { s.seen[1].kv_heads = 4; }));
  CHECK(differs([](WatchedShapes& s) { s.seen[1].d_k = 4; }));
  CHECK(differs([](WatchedShapes& s) { s.seen[2] = {4, 2, 8}; }));
  CHECK(differs([](WatchedShapes& s) { s.vocabulary = 101; }));
  CHECK_FALSE(differs([](WatchedShapes& s) { s.vocabulary = 0; }));  // not said
}

}  // namespace attnscope::watch_join_test

// `render` at a spot: a head, a cell in the middle, a number of cells in sight; and refusals.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/draw/image.hpp"
#include "app/long_robot.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/parts/map_frame.hpp"
#include "core/base/error.hpp"
#include "support/letters_gpt.hpp"
#include "support/program.hpp"

namespace attnscope::render_spot_test {

using namespace attnscope::test;

TEST_CASE("a spot of a long head is looked at: so many cells round the chosen one", "[spot]") {
  LongRobot l;
  App& app = l.robot.app();
  app.looking().look_at({.head = 2, .cell = Cell{1500, 700}, .cells = 64});
  l.robot.settle();
  CHECK(app.selection().head == 2);
  CHECK(app.selection().cell == Cell{1500, 700});
  CHECK(app.selection().locked);
  const CellRange seen = long_view_of(app.view()).visible_part();
  CHECK(std::min(seen.queries, seen.keys) >= 63);
  CHECK(std::min(seen.queries, seen.keys) <= 66);
  CHECK(std::abs(seen.first.query + seen.queries / 2 - 1500) <= 1);
  CHECK(std::abs(seen.first.key + seen.keys / 2 - 700) <= 1);
  app.looking().look_at({.head = {}, .cell = {}, .cells = tokens});
  l.robot.settle();
  CHECK(long_view_of(app.view()).visible_part().queries == tokens);
  CHECK(app.selection().cell == Cell{1500, 700});

  CHECK_THROWS_AS(app.looking().look_at({.head = 8, .cell = {}, .cells = {}}), Error);
  CHECK_THROWS_AS(app.looking().look_at({.head = {}, .cell = Cell{tokens, 0}, .cells = {}}), Error);
  CHECK_THROWS_AS(app.looking().look_at({.head = {}, .cell = Cell{0, tokens}, .cells = {}}), Error);
  CHECK(app.selection().head == 2);
}

TEST_CASE("render takes the spot from its command line", "[spot]") {
  const TemporaryDirectory directory;
  directory.write("text.txt", "The cat sat on the mat and the dog sat on the cat");
  const auto draw = [&](const std::string& options, const std::string& name) {
    const Outcome outcome =
        run(directory, "render text.txt --size 900x700 --region focus " + options + " -o " + name);
    CHECK(outcome.err.empty());
    CHECK(outcome.exit_code == 0);
    return bytes_of(directory / name);
  };
  const std::string whole = draw("", "whole.svg");
  const std::string part = draw("--head 1 --at 5,2 --cells 4", "part.svg");
  CHECK(whole.find(">Head 3<") != std::string::npos);
  CHECK(part.find(">Head 1<") != std::string::npos);
  CHECK(part.find(">dog<") == std::string::npos);  // out of sight
  CHECK(whole.find(">dog<") != std::string::npos);
}

TEST_CASE("render refuses every query where that would take minutes", "[spot]") {
  const TemporaryDirectory directory;
  std::string words;
  for (int i = 0; i < 199'000; ++i) words += "a ";
  directory.write("text.txt", words);
  check_refusal(directory, "render text.txt --every-query --backend cpu -o a.png", 1,
                "\"text.txt\": 199000 queries and 199000 keys in 8 heads are 317 billion scores, which take "
                "minutes; a picture of every query may have 82.");
  CHECK_FALSE(std::filesystem::exists(directory / "a.png"));
}

TEST_CASE("an ending in capitals is that ending", "[spot]") {
  const TemporaryDirectory directory;
  directory.write("A.TXT", "a b");
  for (const char* name : {"x.PNG", "x.Svg", "x.HTML"}) {
    CAPTURE(name);
    CHECK(run(directory, std::string("render A.TXT --size 400x300 -o ") + name).exit_code == 0);
    CHECK(std::filesystem::exists(directory / name));
  }
  CHECK(bytes_of(directory / "x.PNG").starts_with("\x89PNG"));
  CHECK(bytes_of(directory / "x.Svg").starts_with("<?xml"));
  CHECK(bytes_of(directory / "x.HTML").starts_with("<!"));
}

TEST_CASE("render draws a model", "[spot]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  REQUIRE(run(directory, "render letters --view model --size 1280x720 -o a.png").exit_code == 0);
  CHECK(std::filesystem::exists(directory / "a.png"));
}

TEST_CASE("render refuses spots that are not there", "[spot]") {
  const TemporaryDirectory directory;
  directory.write("text.txt", "The cat sat on the mat");
  check_refusal(directory, "render text.txt -o a.png --at 9,0", 1, "query 9");
  check_refusal(directory, "render text.txt -o a.png --at 0,9", 1, "key 9");
  check_refusal(directory, "render text.txt -o a.png --head 8", 1, "head 8");
  check_refusal(directory, "render text.txt -o a.png --at 9", 2, "--at");
  check_refusal(directory, "render text.txt -o a.png --at 1,-1", 2, "--at");
  check_refusal(directory, "render text.txt -o a.png --cells 0", 2, "--cells");
  check_refusal(directory, "render text.txt -o a.png --head x", 2, "--head");
  CHECK_FALSE(std::filesystem::exists(directory / "a.png"));
}

}  // namespace attnscope::render_spot_test

// The tokens that a model appended, as a file and on the clipboard, compared with the core's read-outs of the
// same text.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "core/readouts/generation.hpp"
#include "support/csv_reader.hpp"
#include "support/program.hpp"

namespace attnscope::generated_table_test {
namespace {

using namespace attnscope::test;

void open_screen(Robot& robot) {
  type_text(robot, "ab c d");  // five tokens: ab, white space, c, white space, d
  robot.leave();
  robot.key(ImGuiKey_G);
  robot.settle();
}

void append(Robot& robot, int tokens) {
  for (int i = 0; i < tokens; ++i) {
    robot.key(ImGuiKey_Space);
    for (int k = 0; k < 200 && model_state(robot).to_append > 0; ++k) robot.settle();
    robot.settle();
  }
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-5; }

}  // namespace

TEST_CASE("the steps of a generation are saved with the predictions they were chosen from",
          "[model][generation][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  open_screen(robot);
  append(robot, 3);
  from_file_menu(robot, "Export CSV");
  CHECK(dialog_of(robot).name == "letters - generated tokens.csv");  // the default is what the screen shows
  click(robot, "Table of: Generated tokens");
  robot.retype("##name", (directory / "steps.csv").native());
  click(robot, "Export");
  robot.settle();
  INFO(robot.app().message());
  const CsvReader table(bytes_of(directory / "steps.csv"));
  const ModelAlone alone(robot);
  const std::vector<std::int64_t>& ids = alone.tokens.input.ids;
  REQUIRE(ids.size() == 8);
  REQUIRE(table.rows() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    INFO("step " << i + 1);
    const std::int64_t row = 5 + static_cast<std::int64_t>(i) - 1, id = ids[5 + i];
    const std::span<const float> logits(alone.changed.logits.row(row),
                                        static_cast<std::size_t>(alone.changed.logits.width));
    const GeneratedToken expected = generated_token(logits, row, id, 5);
    CHECK(table.number(i, "step") == static_cast<double>(i + 1));
    CHECK(table.at(i, "token") == prediction_label(*alone.within.model, id));
    CHECK(table.number(i, "token_id") == static_cast<double>(id));
    CHECK(is_near(table.number(i, "probability"), expected.probability()));
    CHECK(table.number(i, "rank") == static_cast<double>(expected.rank));
    CHECK(is_near(table.number(i, "entropy"), expected.entropy));
    CHECK(table.at(i, "token_1") == prediction_label(*alone.within.model, expected.top[0].id));
    CHECK(table.number(i, "token_5_id") == static_cast<double>(expected.top[4].id));
    CHECK(is_near(table.number(i, "probability_5"), expected.top[4].probability()));
    CHECK(table.at(i, "numbers_of") == "model as it is");
    CHECK(table.at(i, "changes_inside") == "none");
  }
}

TEST_CASE("without an appended token there is no table of them", "[model][generation][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  open_screen(robot);
  robot.app().view().files->table = ModelTable::Generated;
  robot.app().files().saving.save(directory / "none.csv");
  robot.settle();
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("No token was appended"));
  CHECK_FALSE(std::filesystem::exists(directory / "none.csv"));
}

TEST_CASE("the list of the steps is copied by a right click on its heads", "[model][generation]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  open_screen(robot);
  append(robot, 2);
  robot.right_click(robot.centre("step heads"));
  robot.frame(2);
  robot.click("Copy the table");
  robot.frame(2);
  const std::string copied = ImGui::GetClipboardText();
  CHECK_THAT(copied, Catch::Matchers::StartsWith("step\ttoken\tprobability\trank\tentropy\tlikeliest there\n"
                                                 "–\tthe text, 5 tokens\t\t\t\t\n1\t"));
  CHECK(std::ranges::count(copied, '\n') == 4);
  CHECK_THAT(copied, Catch::Matchers::ContainsSubstring(" %\t1\t"));  // the likeliest follows
}

}  // namespace attnscope::generated_table_test

// A lesson as one HTML file: its questions can be answered and revealed, the answers cannot be read before,
// and the file opens as the lesson at its step.
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "app/exports/html/lesson_page.hpp"
#include "app/files/paths.hpp"
#include "app/lesson_robot.hpp"
#include "app/session/session.hpp"
#include "app/shell/app.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/files/packed/unpack.hpp"
#include "core/text/base64.hpp"
#include "support/program.hpp"

namespace attnscope::html_lesson_test {
namespace {

using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

/// The contents of the elements of this class, as the browser unpacks them.
std::vector<std::string> packed_in(std::string_view html, const std::string& of) {
  const std::string mark = "<script type=\"text/plain\" class=\"" + of + "\">";
  std::vector<std::string> all;
  for (std::size_t at = html.find(mark); at != std::string_view::npos; at = html.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string packed = base64_bytes(html.substr(begin, html.find('<', begin) - begin)).value();
    const auto from = std::as_bytes(std::span(packed.data() + 2, packed.size() - 6));
    std::string room(std::size_t{1} << 25, '\0');  // more than the contents: they come first
    inflate(from, std::as_writable_bytes(std::span(room)));
    all.emplace_back(room.c_str());
  }
  return all;
}

ToldProse plain_prose(std::string text) {
  return {{.kind = ToldPiece::Kind::Plain, .text = std::move(text)}};
}

HtmlLesson asked_lesson() {
  ToldStep told;
  told.title = "A step";
  told.paragraphs = {{plain_prose("What stands there < all the time."), false}};
  told.question = ToldQuestion{.words = plain_prose("Which one?"),
                               .answer = plain_prose("Because of a secret."),
                               .choices = {{plain_prose("this"), plain_prose("Not this: a reason."), false},
                                           {plain_prose("that"), {}, true}},
                               .drag = {},
                               .is_sketched = false};
  told.numpy = {{.marked = true, .hidden = true, .code = "a @ b", .result = "42.5", .note = {}}};
  HtmlLesson lesson;
  lesson.title = "A lesson & more";
  lesson.language = "en";
  lesson.steps_all = 3;
  lesson.session = R"({"attnscope": 1, "session": 1, "text": ["a"], "view": {}})";
  HtmlLessonStep step;
  step.number = 2;
  step.told = step.revealed = told;
  step.revealed.numpy[0].hidden = false;
  step.picture = {"PNG", "PNG"};
  lesson.steps.push_back(step);
  return lesson;
}

}  // namespace

TEST_CASE("a lesson's HTML file does not say what is revealed before it is", "[html][export][lesson]") {
  const std::string html = html_lesson_file(asked_lesson(), {}, english, assets_directory());
  CHECK_THAT(html, ContainsSubstring("What stands there &lt; all the time."));
  CHECK_THAT(html, ContainsSubstring("<h1 lang=\"en\" dir=\"auto\">A lesson &amp; more</h1>"));
  CHECK_THAT(html, ContainsSubstring("step 2 of 3"));
  CHECK_THAT(html, ContainsSubstring("Which one?"));
  for (const char* secret : {"Because of a secret", "a reason", "42.5"})
    CHECK(html.find(secret) == std::string::npos);
  for (const char* outside : {"http:", "https:", "@import", "url(", "{{"})
    CHECK(html.find(outside) == std::string::npos);
  CHECK(html.size() < 120'000);
  // Every colour variable that a page uses is defined.
  for (std::size_t at = html.find("var(--"); at != std::string::npos; at = html.find("var(--", at + 1)) {
    const std::string name = html.substr(at + 4, html.find_first_of("),", at) - at - 4);
    INFO(name);
    CHECK((name.starts_with("--head") || name == "--ar" || html.find(name + ":#") != std::string::npos));
  }
}

TEST_CASE("a page of a lesson speaks the language of the window", "[html][lesson][words]") {
  Words words;
  words.speak(load_table(assets_directory(), "de"));
  const std::string html = html_lesson_file(asked_lesson(), words, "de", assets_directory());
  CHECK_THAT(html, ContainsSubstring("<html lang=\"de\">"));
  CHECK_THAT(html, ContainsSubstring("Aufdecken"));
  CHECK_THAT(html,
             ContainsSubstring("<section class=\"step\" id=\"s2\" lang=\"en\""));  // the lesson's own words
  CHECK_THAT(html, ContainsSubstring("Bild zum Schritt „A step“."));
}

TEST_CASE("a page of a lesson shows a matrix once: to be pointed at, below the picture of the plot",
          "[html][lesson]") {
  Player player;
  player.open("04-why-divide");
  const TemporaryDirectory directory;
  const auto page_of_step = [&](std::int64_t step) {
    player.app().lessons().go_to({"04-why-divide", step});
    player.settle();
    player.app().files().saving.save_picture(
        {PictureRegion::Focus, 1, directory / (std::to_string(step) + ".html")});
    player.settle();
    return bytes_of(directory / (std::to_string(step) + ".html"));
  };
  const std::string plot = "<figure class=\"pic plot\" style=\"--ar:";
  const std::string entropies = page_of_step(5);
  const std::size_t at = entropies.find(plot);
  REQUIRE(at != std::string::npos);
  const double shape = std::stod(entropies.substr(at + plot.size()));
  CHECK(shape > 3);  // a flat part of a picture that is nearly square
  CHECK(shape < 12);
  CHECK_THAT(entropies, ContainsSubstring("class=\"map\""));
  // Of scores there is no matrix to point at, and without a plot the picture is for paper.
  CHECK_THAT(page_of_step(1), ContainsSubstring("<figure class=\"pic\">"));
  CHECK_THAT(page_of_step(6), ContainsSubstring("<figure class=\"pic paper\">"));
}

TEST_CASE("the command line writes a lesson's step as a page that opens again", "[html][lesson][cli]") {
  const TemporaryDirectory directory;
  const std::string lesson = "'" + (assets_directory() / "lessons" / "04-why-divide.md").native() + "'";
  const Outcome outcome = run(directory, "lesson pages " + lesson + " -o a.html --step 3");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const std::string html = bytes_of(directory / "a.html");
  CHECK(html.size() < 1'500'000);
  CHECK_THAT(html, ContainsSubstring("id=\"s3\""));
  CHECK(html.find("id=\"s2\"") == std::string::npos);
  const Session session = open_session(directory / "a.html", {});
  CHECK(session.damage.empty());
  REQUIRE(session.looks);
  CHECK(session.looks->view.mode == Mode::Lessons);
  CHECK(lesson_of(session.looks->view).name == "04-why-divide");
  CHECK(lesson_of(session.looks->view).step == 2);
  CHECK_FALSE(lesson_of(session.looks->view).answer.revealed);
}

TEST_CASE("the command line says that a lesson's pages are without its model", "[html][lesson][cli]") {
  const TemporaryDirectory directory;
  std::string text = bytes_of(assets_directory() / "lessons" / "29-bank-in-a-trained-model.md");
  const std::size_t at = text.find("model: ");
  REQUIRE(at != std::string::npos);
  text.replace(at, text.find('\n', at) - at, "model: ./nowhere");
  std::ofstream(directory / "away.md") << text;
  const Outcome outcome = run(directory, "lesson pages away.md -o a.html --step 1");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.err,
             ContainsSubstring("The lesson's model is not on this computer: its numbers stand as"));
}

TEST_CASE("a step goes from the page of lessons into an HTML file, and the window stays", "[html][lesson]") {
  Player player;
  player.open("01-three-tokens");
  player.press(ImGuiKey_Space);
  const TemporaryDirectory directory;
  player.app().files().saving.save_picture({PictureRegion::Focus, 1, directory / "step.html"});
  player.settle();
  INFO(player.app().message());
  CHECK(player.state().step == 1);
  CHECK_FALSE(player.state().answer.revealed);
  const std::string html = bytes_of(directory / "step.html");
  CHECK_THAT(html, ContainsSubstring("<h2 id=\"t2\""));
  const std::vector<std::string> hidden = packed_in(html, "hidden");
  REQUIRE(hidden.size() == 1);
  const lessons::OpenLesson& open = player.lesson();
  const auto& question = std::get<lessons::ChooseQuestion>(open.lesson.steps[1].question->kind);
  const auto order = choice_order({open.name, 1}, question.choices.size());
  const json told = json::parse(hidden[0]);
  REQUIRE(told["right"].size() == question.choices.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(told["right"][i] == question.choices[order[i]].right);
    CHECK(told["why"][i].get<std::string>().empty() == question.choices[order[i]].why.empty());
  }
  CHECK_THAT(told["answer"].get<std::string>(), ContainsSubstring("Of the three tokens"));
  CHECK(html.find("Of the three tokens") == std::string::npos);
}

TEST_CASE("an HTML page says by name that it shows weights where something else was on screen",
          "[html][export]") {
  const TemporaryDirectory directory;
  RobotOptions options;
  options.file = assets_directory() / "examples" / "1-the-cat-sat.json";
  Robot robot(options);
  robot.settle();
  robot.app().files().saving.save(directory / "weights.html");
  robot.settle();
  show_stage(robot.app().view(), Stage::Score);
  robot.settle();
  robot.app().files().saving.save(directory / "scores.html");
  robot.settle();
  CHECK(bytes_of(directory / "weights.html").find("On screen was") == std::string::npos);
  CHECK_THAT(bytes_of(directory / "scores.html"),
             ContainsSubstring("; this page shows the weights that follow from it."));
}

}  // namespace attnscope::html_lesson_test

// Sweeps as animated pictures: an independent reader reads every frame, which equals a still of the same
// value; stopping, refusals, and writing while the window runs.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files/paths.hpp"
#include "app/files_robot.hpp"
#include "app/kit/draw/animation.hpp"
#include "app/kit/draw/pdf.hpp"
#include "app/pages/experiments/experiment_state.hpp"
#include "app/shell/app.hpp"
#include "app/shell/still.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "core/base/error.hpp"
#include "core/edits/sweep.hpp"
#include "support/animated_png.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::film_test {
using namespace attnscope::test;
using Catch::Matchers::ContainsSubstring;
namespace {

Image plain(int width, int height, Rgba colour) {
  Image image(width, height);
  for (Rgba& pixel : image.pixels) pixel = colour | 0xFF000000u;
  return image;
}

/// The heatmap's picture as it would be saved now.
Image still_of(Robot& robot, const char* caption) {
  PictureRequest request{PictureRegion::Focus, 1, "x.png"};
  request.caption = caption;
  Image image = draw_picture(robot.app(), request).pixels;
  for (Rgba& pixel : image.pixels) pixel |= 0xFF000000u;
  return image;
}

PictureRequest sweep_of(const std::filesystem::path& path, const edit::Sweep& sweep) {
  return {.region = PictureRegion::Focus, .path = path, .series = PictureSeries::Sweep, .sweep = sweep};
}

}  // namespace

TEST_CASE("an animated PNG gives back every picture, of which it keeps what has changed", "[film]") {
  std::vector<Image> pictures;
  pictures.push_back(plain(31, 17, 0x123456));
  pictures.push_back(pictures.back());
  pictures.back().at(3, 5) = 0xFF00FF00u;
  pictures.back().at(29, 16) = 0xFFFF0000u;
  pictures.push_back(pictures.back());  // as before
  pictures.push_back(plain(31, 17, 0xFFFFFF));
  AnimatedPng animation;
  for (std::size_t i = 0; i < pictures.size(); ++i) animation.add(pictures[i], 100 + static_cast<int>(i));
  const PlayedPng played = play_png(animation.finish());
  REQUIRE(played.frames.size() == pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    CAPTURE(i);
    CHECK((played.frames[i].pixels == pictures[i].pixels));
    CHECK(played.milliseconds[i] == 100 + static_cast<int>(i));
  }
  CHECK(played.kept_pixels == std::vector<int>{31 * 17, 27 * 12, 1, 31 * 17});
}

TEST_CASE("a picture may be shown for hours, and times that the file cannot hold are refused", "[film]") {
  AnimatedPng animation;
  const std::vector<int> times{0, 65'535, 65'536, 100'000, 655'350, 655'400, 3'600'000, 65'535'000};
  for (const int time : times) animation.add(plain(2, 2, static_cast<Rgba>(time)), time);
  // 65,536 ms are rounded to 6,554 hundredths of a second: the file has 16 bits for the number of parts.
  CHECK(play_png(animation.finish()).milliseconds ==
        std::vector<int>{0, 65'535, 65'540, 100'000, 655'350, 655'400, 3'600'000, 65'535'000});
  for (const int time : {-1, 65'535'001})
    CHECK_THROWS_WITH(animation.add(plain(2, 2, 0), time),
                      ContainsSubstring("0 to 65535000 milliseconds") &&
                          ContainsSubstring(std::to_string(time) + " were asked for"));
  CHECK(animation.size() == times.size());
}

TEST_CASE("pictures of other sizes and none at all are refused", "[film]") {
  AnimatedPng animation;
  CHECK_THROWS_AS(animation.finish(), Error);
  CHECK_THROWS_AS(animation.add(Image(), 100), Error);
  animation.add(plain(4, 4, 0), 100);
  CHECK_THROWS_AS(animation.add(plain(4, 5, 0), 100), Error);
}

TEST_CASE("a sweep goes from end to end, at equal ratios or distances", "[film]") {
  const auto values = edit::values_of({edit::Knob::Temperature, 0.1, 10, 5});
  REQUIRE(values.size() == 5);
  CHECK(values.front() == 0.1);
  CHECK(values.back() == 10);
  for (std::size_t i = 1; i < values.size(); ++i)
    CHECK(std::abs(values[i] / values[i - 1] - std::sqrt(10.)) < 1e-12);
  CHECK(edit::values_of({edit::Knob::DK, 1, 4, 12}) == std::vector<double>{1, 2, 3, 4});
  CHECK(edit::values_of({edit::Knob::WindowLeft, 3, 0, 4}) == std::vector<double>{3, 2, 1, 0});
  CHECK(edit::parse_sweep("seed:1:9:3") == edit::Sweep{edit::Knob::Seed, 1, 9, 3});
  CHECK(edit::parse_sweep("softcap") == edit::whole_sweep(edit::Knob::SoftCap));
  for (const char* wrong :
       {"", "nothing", "seed:1", "seed:1:2:3:4", "seed:a:2", "seed:1:1", "temperature:0:1",
        "temperature:0.1:1:1", "temperature:0.1:1:2.5", "d_k:1:1e9", "scale:nan:1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(edit::parse_sweep(wrong), Error);
  }
}

TEST_CASE("each knob turns what it is called after", "[film]") {
  Robot robot;
  const Document begun = robot.app().document();
  CHECK(edit::turned(begun, edit::Knob::Temperature, 0.5).layer().temperature == 0.5f);
  CHECK(edit::turned(begun, edit::Knob::Scale, 0.25).layer().scaling ==
        Scaling{Scaling::Kind::Factor, 0.25f});
  CHECK(edit::turned(begun, edit::Knob::DK, 3).layer().d_k == 3);
  CHECK(edit::turned(begun, edit::Knob::SoftCap, 2).layer().soft_cap == 2.f);
  CHECK(edit::turned(begun, edit::Knob::WindowLeft, 2).layer().masking.window.left == 2);
  CHECK(edit::turned(begun, edit::Knob::Seed, 9).layer().weights.seed == 9);
}

TEST_CASE("a knob is turned from the dialog, and the Document is as before", "[film]") {
  const TemporaryDirectory folder;
  Robot robot;
  const Document before = robot.app().document();
  const std::size_t steps = robot.app().history().depth();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.frame(3);
  click(robot, "Picture as: Animation");
  robot.frame(3);
  robot.retype("Sweep from", "0.5");
  robot.retype("Sweep to", "2");
  robot.type_number("Sweep frames value", "3");
  robot.type_number("Picture scale value", "1");
  robot.retype("##name", (folder.path() / "sweep.png").native());
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CAPTURE(robot.app().message());
  CHECK(robot.app().document() == before);
  CHECK(robot.app().history().depth() == steps);
  const PlayedPng played = play_png(bytes_of(folder.path() / "sweep.png"));
  REQUIRE(played.frames.size() == 3);
  CHECK(played.milliseconds.back() > played.milliseconds.front());
  // The middle one is at √(0.5 · 2) = 1, as the Document is.
  CHECK((played.frames[1].pixels == still_of(robot, "temperature 1.00").pixels));
  CHECK((played.frames[0].pixels != played.frames[1].pixels));
  CHECK((played.frames[2].pixels != played.frames[1].pixels));
}

TEST_CASE("an animation tells how far it is, can be stopped, and gives way to a person", "[film]") {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "sweep.png";
  Robot robot;
  const Document before = robot.app().document();
  robot.app().filming().begin(sweep_of(path, {edit::Knob::Temperature, 0.1, 10, 60}));
  robot.frame(6);
  REQUIRE(robot.app().view().files->exporting);
  CHECK(robot.app().view().files->exporting->share > 0);
  CHECK_FALSE(robot.app().document() == before);
  CHECK_THROWS_AS(robot.app().filming().begin(sweep_of(path, {})), Error);  // one at a time
  click(robot, "Cancel");
  robot.settle();
  CHECK(robot.app().document() == before);
  CHECK_FALSE(std::filesystem::exists(path));
  robot.app().filming().begin(sweep_of(path, {edit::Knob::Temperature, 0.1, 10, 60}));
  robot.frame(6);
  robot.key(ImGuiKey_C);  // causal
  robot.settle();
  CHECK(robot.app().message().find("stopped") != std::string::npos);
  CHECK(robot.app().document().layer().masking.causal != before.layer().masking.causal);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("what cannot be swept is said", "[film]") {
  const TemporaryDirectory folder;
  Robot robot;
  const auto refused = [&](PictureRequest request) {
    try {
      robot.app().filming().begin(request);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({.path = folder.path() / "x.svg", .series = PictureSeries::Sweep}).find(".png") !=
        std::string::npos);
  CHECK(refused({.path = folder.path() / "x.png", .series = PictureSeries::Values}).find("experiment") !=
        std::string::npos);
  CHECK(refused(sweep_of(folder.path() / "x.png", {edit::Knob::Temperature, 0, 1, 5})).find("temperature") !=
        std::string::npos);
  CHECK(robot.app().settled());
}

TEST_CASE("an experiment goes through all its values", "[film]") {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "values.png";
  Robot robot;
  robot.key(ImGuiKey_F9);
  robot.settle();
  const std::optional<double> before = experiment_of(robot.app().view()).value;
  robot.app().filming().begin(
      {.region = PictureRegion::Focus, .path = path, .series = PictureSeries::Values});
  robot.settle();
  CAPTURE(robot.app().message());
  CHECK(experiment_of(robot.app().view()).value == before);
  const PlayedPng played = play_png(bytes_of(path));
  REQUIRE(played.frames.size() > 4);
  for (std::size_t i = 1; i < played.frames.size(); ++i)
    CHECK((played.frames[i].pixels != played.frames[i - 1].pixels));
}

TEST_CASE("a lesson is printed, a page a step, and goes on where it was", "[film]") {
  const TemporaryDirectory folder;
  Robot robot;
  robot.app().lessons().go_to({(assets_directory() / "lessons" / "01-three-tokens.md").native(), 1});
  robot.settle();
  REQUIRE(robot.app().lessons().open());
  const LessonState before = lesson_of(robot.app().view());
  const Document document = robot.app().document();
  for (const bool answers : {false, true}) {
    robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
    robot.frame(3);
    click(robot, "Picture as: Handout");
    robot.frame(3);
    click(robot, answers ? "Handout answers: With the answers" : "Handout answers: Questions open");
    robot.frame(3);
    robot.type_number("Picture scale value", "1");
    robot.retype("##name", (folder.path() / (answers ? "answers.pdf" : "open.pdf")).native());
    robot.key(ImGuiKey_Enter);
    robot.settle();
    CHECK(robot.app().message().starts_with("Saved"));
    CHECK(robot.app().document() == document);
    CHECK(lesson_of(robot.app().view()).step == before.step);
    CHECK(lesson_of(robot.app().view()).answer == before.answer);
  }
  const std::string open = bytes_of(folder.path() / "open.pdf"),
                    answers = bytes_of(folder.path() / "answers.pdf");
  const std::string count = "/Count " + std::to_string(robot.app().lessons().open()->documents.size());
  for (const std::string& pdf : {open, answers}) {
    CHECK(pdf.starts_with("%PDF-"));
    CHECK(pdf.find(count) != std::string::npos);
  }
  CHECK(open != answers);
  // The same pages are the same bytes.
  PdfPages one("a"), two("a");
  for (PdfPages* pages : {&one, &two}) pages->add(plain(20, 10, 0x336699), "the page");
  CHECK(one.finish() == two.finish());
}

}  // namespace attnscope::film_test

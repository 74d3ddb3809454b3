// The robot itself, which the other tests rely on.
#include "tests/robot/robot.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/kit/draw/texture.hpp"
#include "core/base/error.hpp"
#include "tests/robot/easel.hpp"

namespace attnscope::robot_test {

TEST_CASE("two robots see the same pixels, and a settled window paints nothing") {
  Image first;
  {
    Robot robot;
    first = robot.pixels();
  }
  Robot robot;
  const std::string shown = robot.app().message();
  CHECK(shown.empty());
  robot.frame();
  CHECK(robot.app().textures().painted() == 0);
  CHECK(robot.app().settled());
  const Image second = robot.pixels();
  std::size_t differing = 0;
  for (std::size_t i = 0; i < first.pixels.size(); ++i) differing += first.pixels[i] != second.pixels[i];
  CHECK(differing < first.pixels.size() / 500);  // the milliseconds in the top bar
}

TEST_CASE("a robot hands on an empty easel, and what is left on it is named") {
  {
    Robot robot({.width = 640, .height = 480, .system_fonts = true});
    robot.pixels();
    robot.resize(320, 200);
    robot.pixels();
    CHECK(left_behind().find("texture") != std::string::npos);  // its own texture, while it exists
  }
  CHECK(left_behind().empty());
  {
    const Framebuffer forgotten(8, 8);
    CHECK(left_behind().find("framebuffer") != std::string::npos);
    CHECK_THROWS_AS(Robot(), Error);
  }
  CHECK(left_behind().empty());
  CHECK_NOTHROW(Robot());
}

TEST_CASE("a picture without pixels leaves no error of OpenGL behind") {
  const Easel easel;
  TextureCache textures;
  for (std::uint64_t content = 1; content <= 2; ++content) textures.get(1, content, [] { return Image(); });
  CHECK(error_in_opengl() == 0);
}

TEST_CASE("a click reaches the Document, and its numbers are on screen in the next frame") {
  Robot robot;
  const Image before = robot.pixels();
  robot.move(robot.centre("Divide by sqrt(d_k)"));
  robot.press();
  robot.release();
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  robot.frame();
  REQUIRE(robot.app().shown());
  CHECK((robot.app().shown()->document == robot.document()));
  CHECK((robot.pixels() != before));
}

TEST_CASE("a label that is not there is named together with those that are") {
  Robot robot;
  CHECK_FALSE(robot.has("Abracadabra"));
  CHECK_THROWS_MATCHES(
      robot.centre("Abracadabra"), Error,
      Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("Divide by sqrt(d_k)")));
}

}  // namespace attnscope::robot_test

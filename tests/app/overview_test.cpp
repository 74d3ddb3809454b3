// Small pictures of weights in a card's memory: what is copied for them, and that they look the same.
#include <cmath>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "app/shell/app.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"
#include "robot/robot.hpp"
#include "support/second_backend.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::overview_test {
namespace {

struct TwoBackends {
  std::shared_ptr<test::SecondBackend> second = std::make_shared<test::SecondBackend>();
  Robot robot{{.width = 1600, .height = 1000, .second = second}};
  const Result& result() { return *robot.app().shown(); }
};

}  // namespace

TEST_CASE("overview: of weights that lie elsewhere a small picture brings an overview, a large one its head",
          "[overview]") {
  constexpr std::int64_t heads = 12, tokens = 640;
  samples::Random random(3);
  const auto numbers = [&] { return random.tensor({1, heads, tokens, 8}); };
  Document document = samples::given_document(numbers(), numbers(), numbers());
  document.layer().masking.causal = true;
  TwoBackends two;
  two.second->leave_elsewhere();
  two.robot.key(ImGuiKey_U);
  const test::TemporaryDirectory folder;
  save_document(document, folder / "long.json");
  two.robot.app().files().opening.open(folder / "long.json");
  two.robot.settle();
  REQUIRE(two.result().backend == "Second");
  REQUIRE(two.result().layer().overview != nullptr);
  const Shape& shape = two.result().layer().overview->shape();
  CHECK(shape == Shape{1, heads, 128, 128});
  // Only the chosen head's weights are copied, not those of all thumbnails.
  CHECK(two.second->brought() >= 1);
  CHECK(two.second->brought() <= 2);
  const Image there = two.robot.pixels();

  // The same picture from weights in the host's memory, except for the mapping of cells to pixels.
  two.robot.key(ImGuiKey_U);
  two.robot.settle();
  REQUIRE(two.result().layer().overview == nullptr);
  const Image here = two.robot.pixels();
  const ImVec2 thumb = two.robot.centre("head 4");
  constexpr int half = 40;
  double apart = 0;
  int count = 0;
  for (int y = static_cast<int>(thumb.y) - half; y < static_cast<int>(thumb.y) + half; ++y)
    for (int x = static_cast<int>(thumb.x) - half; x < static_cast<int>(thumb.x) + half; ++x, ++count)
      apart += std::abs(luminance(there.at(x, y)) - luminance(here.at(x, y)));
  REQUIRE(count > 5000);
  CHECK(apart / count < 0.05);
}

}  // namespace attnscope::overview_test

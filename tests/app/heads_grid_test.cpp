// The grid of heads: its order, its marks, the effect of a hovered token, and every possible number of heads.
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/scene/head_words.hpp"
#include "heads_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::heads_grid_test {

using namespace attnscope::test;

TEST_CASE("heads stand in the order of a statistic", "[heads]") {
  Wide robot;
  CHECK(places(robot) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  const auto by = [&](auto number) { return sorted_by(8, number); };
  const auto& measures = shown(robot).measures;
  const auto check_order = [&](std::string_view row, const std::vector<std::int64_t>& expected) {
    INFO(row);
    test::choose(robot, "Sort heads", row);
    robot.leave();
    robot.frame(2);
    CHECK(places(robot) == expected);
  };
  const Document before = robot.document();
  check_order("Mean entropy", by([&](std::int64_t h) { return measures.head(0, h).normalised; }));
  check_order("Largest weight", by([&](std::int64_t h) {
                double largest = 0;  // the first token's row has one key
                for (std::int64_t i = 1; i < 6; ++i)
                  largest = std::max(largest, measures.row(0, h, i).largest);
                return largest;
              }));
  check_order("Previous token", by([&](std::int64_t h) { return measures.head(0, h).previous; }));
  check_order("Next token", by([&](std::int64_t h) { return measures.head(0, h).next; }));
  check_order("Same token", by([&](std::int64_t h) { return measures.head(0, h).self; }));
  check_order("First token", by([&](std::int64_t h) { return measures.head(0, h).first; }));
  check_order("Distance", by([&](std::int64_t h) { return measures.head(0, h).distance; }));
  check_order("Received most", by([&](std::int64_t h) {
                const auto& received = measures.head(0, h).received;
                return *std::max_element(received.begin(), received.end());
              }));
  CHECK(places(robot).front() == 1);  // the first-token head is the sink
  CHECK(robot.document() == before);  // the order is part of the view
  robot.click("Sort heads");
  robot.frame(2);
  CHECK_FALSE(robot.has("Gradient norm"));  // there is no loss
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  // [ and ] walk in that order.
  const std::vector<std::int64_t> order = places(robot);
  const auto at = std::find(order.begin(), order.end(), 3) - order.begin();
  robot.key(ImGuiKey_RightBracket);
  CHECK(robot.app().selection().head == order[static_cast<std::size_t>(at + 1) % 8]);
  check_order("Index", {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("heads can be sorted by their gradients while there is a loss", "[heads]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat", 8, 64);
  document.loss.kind = Loss::Kind::MeanSquared;
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, document)});
  robot.settle();
  test::choose(robot, "Sort heads", "Gradient norm");
  robot.leave();
  robot.frame(2);
  const auto& norms = shown(robot).head_gradients;
  CHECK(places(robot) == sorted_by(8, [&](std::int64_t h) {
          const HeadGradients& g = norms[static_cast<std::size_t>(h)];
          return std::sqrt(g.query * g.query + g.key * g.key + g.value * g.value);
        }));
}

TEST_CASE("no head runs away from the mouse while it is among them", "[heads]") {
  Wide robot;
  test::choose(robot, "Sort heads", "Mean entropy");
  robot.leave();
  robot.frame(2);
  const std::vector<std::int64_t> order = places(robot);
  test::click(robot, "badge " + std::to_string(order[0]));  // without entropy it would be the last
  CHECK(places(robot) == order);
  robot.leave();
  robot.frame(2);
  CHECK(places(robot).back() == order[0]);
}

TEST_CASE("a hovered token dims the heads that do not care for it", "[heads]") {
  Wide robot;
  robot.leave();
  const double previous = brightness(robot, 0), first = brightness(robot, 1);
  robot.move(robot.centre("token 0"));  // the first token of every head
  robot.frame(2);
  REQUIRE(robot.app().selection().hovered_token == 0);
  CHECK(brightness(robot, 1) > 0.9 * first);
  robot.move(robot.centre("token 5"));
  robot.frame(2);
  CHECK(brightness(robot, 1) < 0.6 * first);     // the first-token head gives the last token nothing
  CHECK(brightness(robot, 0) < 0.6 * previous);  // no token comes after it
}

TEST_CASE("marks say what is wrong with a head", "[heads]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat", 8, 64);
  document.layer().scaling = {Scaling::Kind::Factor, 100};
  document.layer().masking.mistake = MaskMistake::DiagonalToo;
  document.layer().weights.noise = 0.1f;
  document = edit::head_preset(edit::noise(document, 0.1f), 4, HeadPreset::Uniform);
  document.layer().weights.head_names[0].clear();  // a head that was not built to look at one key
  document.loss.kind = Loss::Kind::Sum;
  document = edit::mute(document, 7);
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, document)});
  robot.settle();
  const LayerResult& r = shown(robot);
  for (std::int64_t h = 0; h < 8; ++h) {
    const HeadMeasures& m = r.measures.head(0, h);
    const HeadGradients& g = r.head_gradients[static_cast<std::size_t>(h)];
    const std::string number = " " + std::to_string(h);
    INFO("head" << number);
    CHECK(robot.has("no key" + number));             // the first token sees nothing
    const bool named = !role_of(r, h).does.empty();  // it does what its name says: no mark for that
    CHECK(robot.has("one key" + number) == (h != 7 && m.one_key && !named));
    CHECK(robot.has("uniform" + number) == (h != 7 && m.is_uniform && !named));
    CHECK(robot.has("vanishing" + number) == (h != 7 && g.vanishing));
    CHECK(robot.has("exploding" + number) == (h != 7 && g.exploding));
  }
  CHECK(r.measures.head(0, 4).is_uniform);
  CHECK_FALSE(robot.has("uniform 4"));  // built to be
  CHECK(r.measures.head(0, 0).one_key);
  REQUIRE(robot.has("one key 0"));
  CHECK(r.measures.head(0, 1).one_key);
  CHECK_FALSE(robot.has("one key 1"));   // it looks at the first token, as it was built to
  CHECK(r.head_gradients[7].vanishing);  // it is muted on purpose: no mark
  robot.move(robot.centre("one key 0"));
  robot.frame(2);
  CHECK(robot.app().selection().hovered_head == 0);
  // The thumbnail's tooltip explains its mark.
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  std::set<std::string> said;
  robot.app().words().watch = [&](std::string_view key, bool) { said.emplace(key); };
  robot.move(robot.centre("head 0"));
  robot.frame(3);
  CHECK(said.contains("One high bar of three: one key per row."));
}

TEST_CASE("one head to sixty-four: every thumbnail inside the region, only those in view painted",
          "[heads]") {
  const test::TemporaryDirectory directory;
  struct Size {
    int heads, d_model;
  };
  for (const Size size : {Size{1, 64}, Size{2, 64}, Size{12, 96}, Size{32, 64}, Size{64, 64}}) {
    for (const int width : {1280, 1600}) {
      INFO(size.heads << " heads at " << width);
      const Document document = sentence("The cat sat on the mat", size.heads, size.d_model);
      Robot robot({.width = width, .height = width == 1280 ? 720 : 1000, .file = saved(directory, document)});
      robot.settle();
      const float right = width == 1280 ? 216 + 182 : 264 + 276;
      int visible = 0;
      for (int h = 0; h < size.heads; ++h) {
        const RecordedItem* item = robot.items().find("head " + std::to_string(h));
        if (!item || !item->visible) continue;
        ++visible;
        CHECK(item->max.x <= right);
        CHECK(item->max.x - item->min.x >= 40);
      }
      CHECK(visible >= std::min(size.heads, 12));
      if (size.heads <= 12) CHECK(visible == size.heads);
      // The last one can be muted as well.
      const std::string last = std::to_string(size.heads - 1);
      robot.move(robot.centre("head 0"));
      for (int i = 0; i < 60 && !robot.has("badge " + last); ++i) robot.scroll(-4);
      robot.frame(4);
      test::click(robot, "badge " + last);
      CHECK(kind_of(robot.document(), size.heads - 1) == Kind::Mute);
      if (width == 1280 && size.heads == 64) CHECK(robot.app().textures().size() < 100);
    }
  }
}

TEST_CASE("batches and cross-attention have their own read-outs and change", "[heads]") {
  const test::TemporaryDirectory directory;
  Document document = sentence("The cat sat on the mat", 4, 32);
  document = edit::texts(document, {"The cat sat on the mat", "a dog"});
  document = edit::memory(document, "le chat dort");
  document.layer().masking.causal = false;
  Robot robot({.width = 1600, .height = 1000, .file = saved(directory, document)});
  robot.settle();
  choose_in_menu(robot, 1, "Uniform");
  REQUIRE(shown(robot).measures.output_change.size() == 12);
  CHECK(shown(robot).trace[Stage::Intervention]->matrix(1, 1)(0, 2) == 1.0f / 3);
  test::click(robot, "restore all heads");
  CHECK(robot.document().layer().interventions.empty());
}

TEST_CASE("german: what stands in the place of a head has room for its name, and no number is a dash",
          "[words][german]") {
  const TemporaryDirectory directory;
  RobotOptions options{.width = 1600, .height = 1000};
  options.file = directory.write("uniform.json", R"({"attnscope": 1, "text": ["The cat sat"], "heads": 8,
      "d_model": 64, "mask": {"causal": true}, "surgery": [{"head": 3, "kind": "uniform"}]})");
  Robot robot(options);
  robot.app().view().language = "de";
  robot.settle();
  CHECK(shows(robot, "= gleich"));
  CHECK_FALSE(shows(robot, "= gleich…"));
  CHECK_FALSE(shows(robot, "n/a"));  // the first row sees one key
}

}  // namespace attnscope::heads_grid_test

// Lines between tokens: which weights are kept, and what is drawn of them.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/results/kept_weights.hpp"
#include "app/state/focus_state.hpp"
#include "app/ui/ui.hpp"

namespace attnscope::lines_test {

using namespace attnscope::test;

namespace {

/// The definition: sort, add up, stop.
std::set<std::pair<std::int64_t, float>> naive_row(const std::vector<float>& row,
                                                   const std::vector<std::uint8_t>& seen, double mass) {
  std::vector<std::pair<float, std::int64_t>> sorted;
  double sum = 0, reached = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (seen[j] == 0 || !(row[j] > 0) || !std::isfinite(row[j])) continue;
    sorted.emplace_back(-row[j], j);
    sum += static_cast<double>(row[j]);
  }
  std::sort(sorted.begin(), sorted.end());
  std::set<std::pair<std::int64_t, float>> kept;
  for (const auto& [weight, key] : sorted) {
    if (reached >= mass * sum * (1 - 1e-12)) break;
    kept.insert({key, -weight});
    reached -= static_cast<double>(weight);
  }
  return kept;
}

float distance_to(Rgba a, Rgba b) {
  float sum = 0;
  for (const int shift : {0, 8, 16})
    sum += std::abs(static_cast<float>(a >> shift & 255) - static_cast<float>(b >> shift & 255));
  return sum;
}

/// How much the pixels near the middle of the straight line between two tokens differ from the ground.
float seen_between(Robot& robot, const Image& image, int query, int key, float share = 0.5f) {
  const RecordedItem* from = robot.items().find("line query " + std::to_string(query));
  const RecordedItem* to = robot.items().find("line key " + std::to_string(key));
  REQUIRE(from);
  REQUIRE(to);
  const float x0 = from->max.x, y0 = (from->min.y + from->max.y) / 2;
  const float x1 = to->min.x, y1 = (to->min.y + to->max.y) / 2;
  const int x = static_cast<int>(x0 + (x1 - x0) * share), y = static_cast<int>(y0 + (y1 - y0) * share);
  float most = 0;
  for (int dy = -1; dy <= 1; ++dy)
    most = std::max(most, distance_to(image.at(x, y + dy), theme(ThemeName::Dark).picture));
  return most;
}

}  // namespace

TEST_CASE("the strongest keys of each query are kept until the mass is reached") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + random() % 6),
               keys = static_cast<std::int64_t>(1 + random() % 40);
    std::vector<float> values;
    std::vector<std::vector<std::uint8_t>> seen(static_cast<std::size_t>(rows));
    for (auto& row : seen) {
      for (std::int64_t j = 0; j < keys; ++j) {
        const auto which = random() % 12;
        constexpr float odd[]{0, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(), 0.25f};
        values.push_back(which < 4 ? odd[which] : static_cast<float>(random() % 1000) / 1000);
        row.push_back(random() % 4 != 0);
      }
    }
    const double mass = static_cast<double>(1 + random() % 10) / 10;
    const std::int64_t first = rows > 2 ? 1 : 0;
    const auto see = [&](std::int64_t query, std::span<std::uint8_t> out) {
      std::copy(seen[static_cast<std::size_t>(query)].begin(), seen[static_cast<std::size_t>(query)].end(),
                out.begin());
    };
    const KeptWeights kept =
        keep_strongest({values.data(), rows, keys}, see, {static_cast<float>(mass), first, rows});
    std::int64_t allowed = 0;
    for (std::int64_t i = first; i < rows; ++i) {
      const std::vector<float> row(values.begin() + i * keys, values.begin() + (i + 1) * keys);
      const auto& mask = seen[static_cast<std::size_t>(i)];
      allowed += std::count(mask.begin(), mask.end(), 1);
      std::set<std::pair<std::int64_t, float>> got;
      std::int64_t last = -1;
      for (const KeptWeight& line : kept.kept) {
        if (line.query != i) continue;
        CHECK(line.key > last);
        last = line.key;
        got.insert({line.key, line.weight});
      }
      INFO("round " << round << ", row " << i);
      CHECK((got == naive_row(row, mask, static_cast<double>(static_cast<float>(mass)))));
    }
    CHECK(kept.allowed == allowed);
  }
}

TEST_CASE("of equal weights the earlier keys are kept, and all of them for the whole mass") {
  const std::vector<float> values(8, 0.125f);
  const auto see = [](std::int64_t, std::span<std::uint8_t> seen) {
    std::fill(seen.begin(), seen.end(), std::uint8_t{1});
  };
  const auto kept = [&](float mass) { return keep_strongest({values.data(), 1, 8}, see, {mass, 0, 1}).kept; };
  REQUIRE(kept(0.5f).size() == 4);
  CHECK(kept(0.5f).back() == KeptWeight{0, 3, 0.125f});
  CHECK(kept(0.51f).size() == 5);
  CHECK(kept(1).size() == 8);
}

TEST_CASE("G shows the weights as lines, and the stage follows") {
  Robot robot({.width = 1600, .height = 1000});
  click(robot, "Stage: Scores");
  robot.key(ImGuiKey_G);
  robot.settle();
  const ViewState& view = robot.app().view();
  CHECK(view.focus->lines);
  CHECK(view.stage == Stage::Softmax);
  CHECK(robot.has("lines"));
  CHECK_FALSE(robot.has("heatmap 0"));
  click(robot, "Stage: Scaled");  // lines are weights
  CHECK_FALSE(view.focus->lines);
  CHECK(robot.has("heatmap 0"));
  click(robot, "Picture: Lines");
  CHECK(view.focus->lines);
  click(robot, "Picture: Map");
  CHECK_FALSE(view.focus->lines);
}

TEST_CASE("a line stands for every weight that is kept and for no masked one") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_G);
  robot.type_number("Mass value", "100");
  CHECK(robot.app().view().focus->mass == 1);
  const auto weights = shown(robot).trace[Stage::Softmax]->matrix(0, robot.app().selection().head);
  // One query at a time, so that no other line crosses where one looks.
  for (int query = 0; query < 6; ++query) {
    robot.move(robot.centre("line query " + std::to_string(query)));
    robot.frame(2);
    CHECK(robot.app().selection().hovered_cell->query == query);
    const Image image = robot.pixels();
    for (int key = 0; key < 6; ++key) {
      INFO(query << " to " << key);
      const float seen = seen_between(robot, image, query, key, 0.9f);
      if (key > query) CHECK(seen == 0);
      if (key <= query && weights(query, key) > 0.02f) CHECK(seen > 20);
    }
  }
  // A smaller share leaves the weaker ones out.
  robot.type_number("Mass value", "10");
  robot.move(robot.centre("line query 5"));
  robot.frame(2);
  const Image image = robot.pixels();
  int lines = 0;
  for (int key = 0; key < 6; ++key) lines += seen_between(robot, image, 5, key, 0.9f) > 0;
  CHECK(lines == 1);
}

TEST_CASE("a click on a token of the lines chooses the query or the key") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_G);
  robot.frame(2);
  robot.click("line query 4");
  robot.click("line key 0");
  robot.frame(2);
  CHECK(robot.app().selection().cell == Cell{4, 0});
  CHECK(robot.app().selection().locked);
  const ImVec2 knob = robot.centre("Mass");
  robot.drag(knob, {knob.x + 60, knob.y});
  CHECK(robot.app().view().focus->mass > 0.55f);
  robot.leave();
  robot.frame(2);
  const Image one = robot.pixels();
  click(robot, "Lines of: All heads");
  CHECK(robot.app().view().focus->all_heads);
  robot.leave();
  robot.frame(2);
  CHECK((robot.pixels() != one));
  click(robot, "Lines of: This head");
  CHECK_FALSE(robot.app().view().focus->all_heads);
}

TEST_CASE("long texts scroll between their lines") {
  Robot robot({.width = 1600,
               .height = 1000,
               .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "4-a-longer-text.json"});
  robot.key(ImGuiKey_G);
  robot.frame(2);
  CHECK(robot.has("line query 0"));
  CHECK_FALSE(robot.has("line query 60"));
  robot.move(robot.centre("lines"));
  for (int i = 0; i < 4; ++i) robot.scroll(-1);
  robot.frame(2);
  CHECK(robot.app().view().focus->line_row == 12);
  CHECK_FALSE(robot.has("line query 0"));
  const RecordedItem* bar = robot.items().find("lines scroll");
  REQUIRE(bar);
  const ImVec2 top{(bar->min.x + bar->max.x) / 2, bar->min.y + 40}, bottom{top.x, bar->max.y + 50};
  robot.drag(top, bottom, 8);
  robot.frame(2);
  CHECK(robot.has("line query 67"));
  // The arrow keys bring the chosen query back into sight.
  robot.leave();
  robot.key(ImGuiKey_DownArrow);
  robot.frame(2);
  CHECK(robot.has("line query " + std::to_string(robot.app().selection().cell.query)));
}

}  // namespace attnscope::lines_test

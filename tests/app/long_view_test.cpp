// A Document too long to keep its weights, in the window: from the whole head down to single cells with their
// exact numbers, by every control that leads there.
#include <array>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/long_robot.hpp"
#include "app/scene/actions.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/base/random.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/streaming/tile.hpp"
#include "support/second_backend.hpp"
#include "support/wait.hpp"

namespace attnscope::long_view_test {

using namespace attnscope::test;

TEST_CASE("a long text opens with a map of all of it, small pictures of all heads and exact cells") {
  LongRobot l;
  REQUIRE(l.result().is_long());
  CHECK(l.result().is_complete());
  for (const char* label : {"long map", "Minimap", "Head 0", "Head 7", "Divide by sqrt(d_k)", "Strong key 0"})
    CHECK(l.robot.has(label));
  CHECK(shows(l.robot, "2,111 × 2,111"));
  CHECK(shows(l.robot, "weight in each"));
  CHECK(shows(l.robot, "every query"));
  for (const std::string& sentence : collisions(texts_of(l.robot))) FAIL_CHECK(sentence);
}

TEST_CASE("a long map zooms down to cells that print their exact weights") {
  LongRobot l;
  Robot& robot = l.robot;
  robot.key(ImGuiKey_Z);
  robot.settle();
  CHECK(shows(robot, "every weight"));
  const CellRange seen = long_view_of(robot.app().view()).visible_part();
  CHECK(seen.queries < 40);
  const Cell chosen = robot.app().selection().cell;
  CHECK((chosen.query >= seen.first.query && chosen.query < seen.first.query + seen.queries));
  const std::int64_t h = robot.app().selection().head;
  const double weight = l.naive_weight(h, chosen);
  REQUIRE(weight > 0.005);  // chosen as its query's strongest key
  CHECK(shows(robot, in_cell(weight)));
  CHECK(shows(robot, fixed(weight, 4)));  // among the strongest keys
  robot.key(ImGuiKey_Z);
  robot.settle();
  CHECK(long_view_of(robot.app().view()).visible_part().queries == tokens);
  // The wheel zooms there, too, step by step.
  robot.move(robot.centre("long map"));
  for (int i = 0; i < 12; ++i) robot.scroll(1);
  robot.settle();
  const CellRange near = long_view_of(robot.app().view()).visible_part();
  CHECK(near.queries < tokens / 8);
  const Image before = robot.pixels();
  robot.drag({700, 500}, {760, 560});
  robot.settle();
  CHECK_FALSE(robot.pixels() == before);
}

TEST_CASE("tiles of any level are the exact weights, pooled") {
  LongRobot l;
  const Survey& survey = l.survey();
  Tiles tiles;
  tiles.show(l.robot.app().shown());
  const auto wait = [&](const auto& place) {
    tiles.want(place);
    tiles.end_frame();
    REQUIRE(wait_until([&] { return tiles.find(place) != nullptr; }, std::chrono::milliseconds(1)));
    return tiles.find(place);
  };
  for (const int level : {0, 1}) {
    const TilePlace place{0, 3, level, (tokens >> level) / Tiles::side,
                          1};  // at the lower end: not all there
    const auto tile = wait(place);
    TileRequest request;
    request.head = 3;
    request.rows = {place.first_query(), tokens, 1};
    request.first_key = place.first_key();
    request.last_key = place.first_key() + (Tiles::side << level);
    const auto backend = make_cpu_backend(1);
    const Tensor exact = backend->tile(survey.problem(), request, &survey.known, {});
    const std::int64_t size = std::int64_t{1} << level;
    REQUIRE(tile->max.shape() == Shape{(exact.shape()[0] + size - 1) / size, Tiles::side});
    for (std::int64_t y = 0; y < tile->max.shape()[0]; ++y) {
      for (std::int64_t x = 0; x < Tiles::side; ++x) {
        float most = 0;
        double sum = 0, cells = 0;
        for (std::int64_t i = y * size; i < std::min(exact.shape()[0], (y + 1) * size); ++i)
          for (std::int64_t j = x * size; j < (x + 1) * size; ++j) {
            most = std::max(most, exact.matrix()(i, j));
            sum += static_cast<double>(exact.matrix()(i, j));
            ++cells;
          }
        if (tile->max.matrix()(y, x) != most ||
            std::abs(static_cast<double>(tile->mean.matrix()(y, x)) - sum / cells) > 1e-7)
          FAIL("level " << level << ", cell " << y << ", " << x);
      }
    }
  }
  const auto row = wait(RowPlace{0, 3, 1500});
  CHECK(row->strongest.size() == static_cast<std::size_t>(WeightRow::most_strongest));
  for (std::size_t i = 1; i < row->strongest.size(); ++i)
    CHECK(row->cells.weights[static_cast<std::size_t>(row->strongest[i - 1])] >=
          row->cells.weights[static_cast<std::size_t>(row->strongest[i])]);
  CHECK(std::abs(static_cast<double>(row->cells.weights[1400]) - l.naive_weight(3, {1500, 1400})) < 1e-6);
}

TEST_CASE("tiles are made by the backend beside the one that computes, and by the CPU once it fails") {
  const auto second = std::make_shared<SecondBackend>(), beside = std::make_shared<SecondBackend>();
  TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000, .second = second, .beside = beside});
  robot.app().files().opening.open(directory.write("long.txt", long_text()));
  robot.settle();
  robot.app().view().notices.clear();  // the notice of opening it
  robot.key(ImGuiKey_U);
  robot.settle();
  REQUIRE(robot.app().shown()->backend == "Second");
  const int made = beside->tiles();
  CHECK(made > 0);
  CHECK(robot.app().view().notices.empty());

  beside->fail_after_tiles(0);
  robot.click("Head 7");
  robot.settle();
  CHECK(robot.app().message() ==
        "Out of device memory: 12 GiB are needed. The CPU makes what is in sight from now on.");
  CHECK(beside->tiles() == made);
  // For this result the backend is not asked again; for a new one it is.
  beside->fail_after_tiles(std::nullopt);
  robot.click("Head 6");
  robot.settle();
  CHECK(beside->tiles() == made);
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(beside->tiles() > made);
}

TEST_CASE("the colour bar of a long map says how the cells are spread and what its ends cut off") {
  LongRobot l;
  Robot& robot = l.robot;
  const auto picture = l.survey().known.largest_cells().matrix(robot.app().selection().head);
  const auto share = [&](const auto& is_beyond) {
    double beyond = 0, all = 0;
    for (const float v : picture.reshaped()) {
      all += v > 0 ? 1 : 0;
      beyond += v > 0 && is_beyond(v) ? 1 : 0;
    }
    return fixed(100 * beyond / all, 1) + " %";
  };
  const bool log = focus_of(robot.app().view()).log;
  if (log) robot.key(ImGuiKey_L);
  robot.settle();
  CHECK(shows(robot, "clipped " + share([](float) { return false; })));
  stage_look_of(robot.app().view()).range = RangeMode::Lock;
  stage_look_of(robot.app().view()).locked_range = {0.01f, 0.02f};
  robot.settle();
  CHECK(shows(robot, "clipped " + share([](float v) { return v < 0.01f || v > 0.02f; })));
  robot.key(ImGuiKey_L);  // the range is no longer locked
  stage_look_of(robot.app().view()).range = RangeMode::Lock;
  stage_look_of(robot.app().view()).locked_range = {0.01f, 1.0f};
  robot.settle();
  CHECK(shows(robot, "below range " + share([](float v) { return v < 0.01f; })));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
}

TEST_CASE("what a mask of single cells hides is drawn as what the causal mask hides") {
  const TemporaryDirectory directory;
  constexpr std::int64_t heads = 8, n = 2111;
  Tensor q(Shape{1, heads, n, 4}), k(Shape{1, heads, n, 4}), added(Shape{n, n});
  fill_normal(q.values(), 1, 0, 1);
  fill_normal(k.values(), 2, 0, 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i + 1; j < n; ++j) added.data()[i * n + j] = -INFINITY;
  const auto picture = [&](Robot& robot) {
    robot.leave();
    robot.settle();
    return robot.pixels();
  };
  Robot robot({.width = 1600, .height = 1000});
  write_safetensors(directory / "plain.safetensors",
                    std::array{NamedTensor{"Q", &q}, NamedTensor{"K", &k}, NamedTensor{"V", &q}});
  robot.app().files().opening.open(directory / "plain.safetensors");
  robot.settle();
  robot.click("Mask: Causal");
  robot.settle();
  const Image causal = picture(robot);
  REQUIRE(shows(robot, "of 6.96 nats"));  // ln 1056: the query in the middle sees itself and those before
  write_safetensors(directory / "masked.safetensors",
                    std::array{NamedTensor{"Q", &q}, NamedTensor{"K", &k}, NamedTensor{"V", &q},
                               NamedTensor{"attn_mask", &added}});
  robot.app().files().opening.open(directory / "masked.safetensors");
  robot.settle();
  const Image masked = picture(robot);
  CHECK(robot.document().layer().masking.additive);
  CHECK(shows(robot, "of 6.96 nats"));
  int different = 0, all = 0;
  for (int y = 160; y < 800; ++y)  // inside the map
    for (int x = 370; x < 1000; ++x, ++all) different += causal.at(x, y) == masked.at(x, y) ? 0 : 1;
  CHECK(different < all / 1000);  // the last bit of a weight may differ
}

TEST_CASE("heads, pooling, colours, scale and mask of a long result change the picture") {
  LongRobot l;
  Robot& robot = l.robot;
  const auto changes = [&](const char* what, const auto& act) {
    INFO(what);
    robot.leave();
    robot.settle();
    const Image before = robot.pixels();
    act();
    robot.leave();
    robot.settle();
    CHECK(l.result().is_complete());
    CHECK_FALSE(robot.pixels() == before);
  };
  changes("head", [&] { robot.click("Head 3"); });
  CHECK(robot.app().selection().head == 3);
  changes("mean", [&] { robot.click("Pool: Mean"); });
  changes("linear", [&] { robot.click("Colour: Linear"); });
  CHECK_FALSE(focus_of(robot.app().view()).log);
  changes("scale", [&] { robot.key(ImGuiKey_S); });
  CHECK(robot.document().layer().scaling.kind == Scaling::Kind::Off);
  changes("causal", [&] { robot.click("Mask: Causal"); });
  CHECK(robot.document().layer().masking.causal);
  changes("window", [&] { robot.click("Window more"); });
  CHECK(robot.document().layer().masking.window.left == 256);
  changes("undo", [&] { robot.key(ImGuiKey_Z, ImGuiMod_Ctrl); });
  CHECK(robot.document().layer().masking.window.left == -1);
}

TEST_CASE("one goes to a token, to a place, to the strongest cell, to a strong key and by the minimap") {
  LongRobot l;
  Robot& robot = l.robot;
  const auto& names = robot.document().input.sequences[0].tokens;
  const std::int64_t from = robot.app().selection().cell.key;
  robot.click("##Go to");
  robot.type("w17");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  const std::int64_t there = robot.app().selection().cell.key;
  CHECK(names[static_cast<std::size_t>(there)].text == "w17");
  CHECK(there != from);
  robot.click("Next");
  robot.settle();
  const std::int64_t after = robot.app().selection().cell.key;
  CHECK(names[static_cast<std::size_t>(after)].text == "w17");
  CHECK(after != there);
  robot.retype("##Go to", "1204, 800");
  robot.click("Next");
  robot.settle();
  CHECK(robot.app().selection().cell == Cell{1204, 800});
  robot.retype("##Go to", "nowhere");
  robot.click("Next");
  robot.settle();
  CHECK(robot.app().message().find("nowhere") != std::string::npos);
  robot.click("Dismiss");

  robot.click("Strong key 1");
  robot.settle();
  const Cell second = robot.app().selection().cell;
  CHECK(second.query == 1204);
  robot.key(ImGuiKey_J);
  robot.settle();
  const Cell strongest = robot.app().selection().cell;
  const double weight = l.naive_weight(0, strongest);
  for (const std::int64_t query : {64, 500, 1204, 2000})
    CHECK(weight > static_cast<double>(l.survey().known.largest.matrix()(0, query)) - 1e-5);

  robot.key(ImGuiKey_Z);
  robot.settle();
  const CellRange before = long_view_of(robot.app().view()).visible_part();
  robot.click("Minimap");
  robot.settle();
  const CellRange now = long_view_of(robot.app().view()).visible_part();
  CHECK(now.queries <= before.queries + 1);
  CHECK(std::abs(now.first.query + now.queries / 2 - tokens / 2) < 40);
}

TEST_CASE("cells in sight of a long map are exported, and too many are refused") {
  LongRobot l;
  Robot& robot = l.robot;
  const std::filesystem::path whole = l.directory / "whole.csv";
  robot.app().files().saving.save(whole);
  CHECK(robot.app().message().find("zoom in first") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(whole));
  robot.key(ImGuiKey_Z);
  robot.settle();
  const std::filesystem::path part = l.directory / "part.csv";
  robot.app().files().saving.save(part);
  const std::string csv = test::bytes_of(part);
  const CellRange seen = long_view_of(robot.app().view()).visible_part();
  CHECK(std::count(csv.begin(), csv.end(), '\n') == seen.queries + 1);
  robot.app().files().saving.save(l.directory / "map.svg");
  CHECK(std::filesystem::exists(l.directory / "map.svg"));
}

TEST_CASE("every action leaves a long result in peace, and Walk says that it needs all numbers") {
  LongRobot l(1280, 720);
  Robot& robot = l.robot;
  for (const Action& action : actions()) {
    if (action.key == 0) continue;
    INFO(std::string(action.name));
    robot.key(static_cast<ImGuiKey>(action.key & ~ImGuiMod_Mask_), action.key & ImGuiMod_Mask_);
    robot.frame(2);
    for (int i = 0; i < 2; ++i) robot.key(ImGuiKey_Escape);
    if (robot.app().view().mode == Mode::Walk) CHECK(shows(robot, "which a long sequence does not keep"));
    if (robot.app().view().mode == Mode::Compare) CHECK(robot.has("compare A"));
    robot.key(ImGuiKey_F2);
    robot.app().view().scale = 1;
  }
  robot.app().view().help = robot.app().view().timings = false;
  robot.settle();
  CHECK(l.result().is_long());
  CHECK(robot.has("long map"));
}

TEST_CASE("a long document comes back from a session as it was looked at") {
  LongRobot l;
  Robot& robot = l.robot;
  robot.click("Head 2");
  robot.key(ImGuiKey_Z);
  robot.settle();
  robot.leave();
  robot.settle();
  const Image before = robot.pixels();
  const std::filesystem::path path = l.directory / "session.json";
  robot.app().files().saving.save(path);
  robot.app().files().opening.open(list_examples(ATTNSCOPE_ASSETS).front().path);
  robot.settle();
  CHECK_FALSE(l.result().is_long());
  robot.app().files().opening.open(path);
  robot.settle();
  REQUIRE(l.result().is_long());
  robot.app().view().notices.clear();
  robot.leave();
  robot.settle();
  CHECK(focus_of(robot.app().view()).zoom > 1);
  CHECK(robot.app().selection().head == 2);
}

TEST_CASE("what needs scores that a long text does not keep is neither done by its key nor found") {
  LongRobot l;
  Robot& robot = l.robot;
  const Document before = robot.document();
  robot.key(ImGuiKey_P);
  robot.settle();
  CHECK(robot.document() == before);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type("mask on or off");
  robot.frame(2);
  CHECK(robot.has("Causal mask on or off"));
  CHECK_FALSE(robot.has("Padding mask on or off"));
}

}  // namespace attnscope::long_view_test

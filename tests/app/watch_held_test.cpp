// A held pass on the Watch page, and later passes beside it.
#include "app/watch/watch_held.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/watch/make_shown_watch.hpp"
#include "app/watch_robot.hpp"

namespace attnscope::watch_held_test {
namespace {

using namespace attnscope::test;

const RobotOptions wide{.width = 1600, .height = 1000};

/// The model's text of this many tokens, as one snapshot.
WatchedSnapshotPtr text_of(const WatchedModel& model, std::int64_t tokens) {
  WatchedText text;
  std::vector<WatchRecord> records;
  std::uint64_t number = 0;
  for (const WatchRecordBytes& record : model.records({.number = 0, .first = 0, .rows = tokens}))
    records.push_back(read_watch_record(record.made(number++), "test"));
  text.take(std::move(records));
  return text.snapshot();
}

}  // namespace

TEST_CASE("watch: the difference to a held pass is that of cells of equal position and key", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const WatchedModel before(1, 1, 80, WatchedProcess::layers_of(2, 4, 2)),
      after(2, 1, 80, WatchedProcess::layers_of(2, 4, 2));
  // 70 tokens are pooled by 2, 40 are not.
  for (const auto& [now_tokens, held_tokens] :
       {std::pair{20, 20}, std::pair{24, 20}, std::pair{70, 40}, std::pair{40, 70}, std::pair{70, 70}}) {
    INFO(now_tokens << " and " << held_tokens);
    const WatchedSnapshotPtr now = text_of(after, now_tokens), held = text_of(before, held_tokens);
    const ShownWatchHead a = make_watch_head(now, 1, 3, work), b = make_watch_head(held, 1, 3, work);
    const Tensor cells = held_difference(a, b);
    for (std::int64_t row = 0; row < now_tokens; ++row)
      for (std::int64_t key = 0; key < now_tokens; ++key) {
        const float found = cells.data()[row * now_tokens + key];
        const bool in_both = row < held_tokens && key <= row;
        REQUIRE(std::isnan(found) == !in_both);
        if (in_both) REQUIRE(found == a.at(row)[key] - b.at(row)[key]);
      }

    const ShownWatchGrid grid_now = make_watch_grid(now, work), grid_held = make_watch_grid(held, work);
    const auto pooled = held_difference(grid_now.layers[1], grid_held.layers[1]);
    REQUIRE(pooled);
    const std::int64_t size = pooled->rows_per_cell, down = pooled->mean.shape()[1];
    CHECK(size == (now_tokens > 64 || held_tokens > 64 ? 2 : 1));
    REQUIRE(pooled->keys_per_cell == size);
    REQUIRE(down == (now_tokens + size - 1) / size);
    int known = 0;
    for (std::int64_t i = 0; i < down; ++i)
      for (std::int64_t j = 0; j < down; ++j) {
        const std::int64_t row_end = std::min<std::int64_t>((i + 1) * size, now_tokens),
                           key_end = std::min<std::int64_t>((j + 1) * size, now_tokens);
        double sum_a = 0, sum_b = 0, largest_a = 0, largest_b = 0, count = 0;
        bool same = row_end <= held_tokens && key_end <= held_tokens;
        if (row_end == now_tokens && row_end % size != 0) same = same && now_tokens == held_tokens;
        if (key_end == now_tokens && key_end % size != 0) same = same && now_tokens == held_tokens;
        const float mean = pooled->mean.data()[(3 * down + i) * down + j],
                    max = pooled->max.data()[(3 * down + i) * down + j];
        REQUIRE(std::isnan(mean) == !same);
        REQUIRE(std::isnan(max) == !same);
        if (!same) continue;
        ++known;
        for (std::int64_t row = i * size; row < row_end; ++row)
          for (std::int64_t key = j * size; key < key_end; ++key) {
            const auto x = static_cast<double>(a.at(row)[key]), y = static_cast<double>(b.at(row)[key]);
            sum_a += x;
            sum_b += y;
            largest_a = std::max(largest_a, x);
            largest_b = std::max(largest_b, y);
            ++count;
          }
        REQUIRE(std::abs(static_cast<double>(mean) - (sum_a - sum_b) / count) < 1e-5);
        REQUIRE(std::abs(static_cast<double>(max) - (largest_a - largest_b)) < 1e-5);
      }
    CHECK(known > 0);
  }
}

TEST_CASE("watch: heads that cannot be compared have no difference", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ShownWatchGrid four =
                           make_watch_grid(text_of({1, 1, 20, WatchedProcess::layers_of(1, 4, 2)}, 9), work),
                       six =
                           make_watch_grid(text_of({1, 1, 20, WatchedProcess::layers_of(1, 6, 2)}, 9), work);
  CHECK_FALSE(held_difference(four.layers[0], six.layers[0]));
  CHECK(held_difference(four.layers[0], four.layers[0]));
}

TEST_CASE("watch: a pass is held, later calls stand beside it, and it is dropped", "[watch]") {
  const WatchFolder folder;
  WatchedProcess process(folder);
  process.pass(5);
  Robot robot(wide);
  show_watch_page(robot);
  REQUIRE(shows_tokens(robot, 5));
  robot.click("Hold this");
  robot.settle();
  REQUIRE(watch_state(robot).held);
  CHECK(watch_state(robot).held->position == 4);
  CHECK(watch_state(robot).held->pass == 0);
  CHECK(shows(robot, "What is held"));

  // The next row of the same text: the held row is the one that was followed.
  process.pass(1);
  REQUIRE(shows_tokens(robot, 6));
  CHECK(watch_state(robot).held->head->layer->rows() == 5);
  CHECK(shows(robot, "held, row 4"));
  robot.key(ImGuiKey_Slash);
  robot.settle();
  CHECK(watch_state(robot).differs);
  CHECK(shows(robot, "now − held"));

  // Another head of the held pass is computed from its text.
  robot.key(ImGuiKey_RightBracket);
  robot.key(ImGuiKey_DownArrow);
  robot.settle();
  REQUIRE(watch_state(robot).held_head);
  CHECK(watch_state(robot).held_head->head == 1);
  CHECK(watch_state(robot).held_head->layer->index == 1);
  const std::vector<double> wanted = process.model.weights(1, 0, 1, 4, 5, 5);
  for (std::int64_t key = 0; key < 5; ++key)
    CHECK(std::abs(double{watch_state(robot).held_head->at(4)[key]} - wanted[static_cast<std::size_t>(key)]) <
          1e-5);

  // Another process of the same shape is compared with the held pass, too.
  process.writer.close();
  WatchedProcess next(folder, 1);
  next.pass(5);
  REQUIRE(shows_tokens(robot, 5));
  REQUIRE(watch_state(robot).held_head);
  robot.settle();
  const ShownWatchHead& now = *shown_watch(robot).head;
  const Tensor difference = held_difference(now, *watch_state(robot).held_head);
  CHECK(std::abs(difference.data()[4 * 5 + 1]) > 0);
  robot.leave();
  robot.settle();
  CHECK(fmt::format("{}", fmt::join(collisions(texts_of(robot)), "\n")) == "");
  robot.key(ImGuiKey_Backslash, ImGuiMod_Shift);
  robot.settle();
  CHECK_FALSE(watch_state(robot).held);
  CHECK_FALSE(watch_state(robot).differs);
  CHECK_FALSE(shows(robot, "What is held"));
  robot.key(ImGuiKey_Slash);
  CHECK_FALSE(watch_state(robot).differs);
  robot.key(ImGuiKey_Backslash);
  CHECK(watch_state(robot).held);
}

}  // namespace attnscope::watch_held_test

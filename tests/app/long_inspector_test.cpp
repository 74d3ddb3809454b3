// The inspector's pages beside a long map, against the staged formula in double.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/long_robot.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/long_state.hpp"
#include "core/engine/cell_row.hpp"

namespace attnscope::long_inspector_test {

using namespace attnscope::test;

TEST_CASE("a computed row has every stage's numbers and the row's measures") {
  LongRobot l;
  const AttentionProblem& p = l.survey().problem();
  ThreadPool pool(1);
  constexpr std::int64_t h = 2, query = 1203;
  const CellRow row = computed_row(l.result(), 0, h, query, Work{pool, {}});
  REQUIRE(row.is_computed);
  REQUIRE(row.weights.size() == static_cast<std::size_t>(tokens));
  double sum = 0, entropy = 0, distance = 0;
  for (std::int64_t j = 0; j < tokens; ++j) {
    const auto at = static_cast<std::size_t>(j);
    double score = 0;
    for (std::int64_t c = 0; c < p.d_k; ++c)
      score += static_cast<double>(p.query.row(h, query)[c]) * static_cast<double>(p.key.row(h, j)[c]);
    if (std::abs(static_cast<double>(row.score[at]) - score) > 1e-4 * (1 + std::abs(score)))
      FAIL("score of key " << j);
    if (std::abs(static_cast<double>(row.scaled[at]) - score * p.scale) > 1e-4 * (1 + std::abs(score)))
      FAIL("scaled score of key " << j);
    const double w = static_cast<double>(row.weights[at]);
    sum += w;
    if (w > 0) entropy -= w * std::log(w);
    distance += w * std::abs(static_cast<double>(query - j));
  }
  CHECK(std::abs(sum - 1) < 1e-4);
  CHECK(std::abs(row.measures.entropy - entropy) < 1e-3);
  CHECK(std::abs(row.measures.distance - distance) < 1e-2);
  for (const std::int64_t j : {std::int64_t{0}, std::int64_t{700}, query})
    CHECK(std::abs(static_cast<double>(row.weights[static_cast<std::size_t>(j)]) -
                   l.naive_weight(h, {query, j})) < 1e-6);
  CHECK(row.measures.first == static_cast<double>(row.weights[0]));
  CHECK(row.measures.self == static_cast<double>(row.weights[query]));
  CHECK(row.measures.previous == static_cast<double>(row.weights[query - 1]));
}

TEST_CASE("the inspector's pages tell of a long result's cell, row and vectors") {
  LongRobot l;
  Robot& robot = l.robot;
  const Selection& selection = robot.app().selection();
  const std::string weight = fixed(l.naive_weight(selection.head, selection.cell), 4);
  CHECK(robot.has("Minimap"));
  robot.key(ImGuiKey_K);
  robot.settle();
  CHECK_FALSE(long_view_of(robot.app().view()).around);
  CHECK(inspector_of(robot.app().view()).page == InspectorPage::Cell);
  for (const char* words : {"score", "scaled", "masked", "contribution"}) CHECK(shows(robot, words));
  CHECK(shows(robot, weight));
  CHECK(shows(robot, "rank "));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
  robot.key(ImGuiKey_K);
  robot.settle();
  CHECK(inspector_of(robot.app().view()).page == InspectorPage::Row);
  for (const char* words : {"entropy H", "of ln(allowed)", "on itself", "log-sum-exp"}) {
    INFO(words);
    CHECK(shows(robot, words));
  }
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
  robot.key(ImGuiKey_K);
  robot.settle();
  CHECK(inspector_of(robot.app().view()).page == InspectorPage::Vectors);
  CHECK(shows(robot, "cos(q, k)"));
  CHECK(shows(robot, "norm "));
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
  robot.key(ImGuiKey_K);
  robot.settle();
  CHECK(long_view_of(robot.app().view()).around);
  CHECK(robot.has("Strong key 0"));
}

}  // namespace attnscope::long_inspector_test

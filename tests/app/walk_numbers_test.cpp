// Walk: the numbers on screen compared with those of the result, or with a naive computation if they exist
// only between two moves.
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/walk_robot.hpp"

namespace attnscope::walk_numbers_test {

using test::says;
using test::Walker;

namespace {

/// "−.46", "1.0", "−∞"; NaN when it is no number.
double number_in(std::string text) {
  double sign = 1;
  if (text.starts_with("\u2212")) {
    sign = -1;
    text.erase(0, 3);
  }
  if (text == "∞") return sign * INFINITY;
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) return NAN;
  return sign * std::stod(text[0] == '.' ? "0" + text : text);
}

/// Compares every number in a cell of a panel with the expected one; returns how many there are.
template <class Expected>
int check_cells(Walker& robot, std::string_view label, int rows, int columns, Expected expected) {
  const RecordedItem panel = robot.panel(label);
  int seen = 0;
  for (const PlacedText& text : texts_of(robot)) {
    const float x = (text.x0 + text.x1) / 2, y = (text.y0 + text.y1) / 2;
    if (x < panel.min.x || x >= panel.max.x || y < panel.min.y || y >= panel.max.y) continue;
    const auto index = [](float at, float low, float high, int n) {
      return static_cast<int>((at - low) / (high - low) * static_cast<float>(n));
    };
    const int i = index(y, panel.min.y, panel.max.y, rows), j = index(x, panel.min.x, panel.max.x, columns);
    const double shown = number_in(text.text), wanted = expected(i, j);
    INFO(std::string(label) << " [" << i << "][" << j << "] shows " << text.text << " for " << wanted);
    const std::size_t point = text.text.find('.');
    const double places = point == std::string::npos ? 0 : static_cast<double>(text.text.size() - point - 1);
    if (std::isinf(wanted)) {
      CHECK(shown == wanted);
    } else {
      CHECK(std::abs(shown - wanted) <= 0.5 * std::pow(10.0, -places) + 1e-6);
    }
    ++seen;
  }
  return seen;
}

}  // namespace

TEST_CASE("the numbers of every matrix are those of the result") {
  Walker robot;
  robot.press(ImGuiKey_End);
  const LayerResult& r = robot.result();
  const std::int64_t h = robot.app().selection().head;
  const auto of = [&](Stage stage) {
    return [&r, h, stage](int i, int j) { return static_cast<double>(r.trace[stage]->matrix(0, h)(i, j)); };
  };
  CHECK(check_cells(robot, "walk Q", 6, 8, of(Stage::Query)) == 48);
  CHECK(check_cells(robot, "walk K", 6, 8, of(Stage::Key)) == 48);
  CHECK(check_cells(robot, "walk V", 6, 8, of(Stage::Value)) == 48);
  robot.go(Stage::Mix, 6);  // the output shows its parts
  CHECK(check_cells(robot, "walk Scores", 6, 6, of(Stage::Score)) == 36);
  CHECK(check_cells(robot, "walk Scaled logits", 6, 6, of(Stage::Scale)) == 36);
  CHECK(check_cells(robot, "walk Masked logits", 6, 6, of(Stage::Mask)) == 36);
  CHECK(check_cells(robot, "walk Weights", 6, 6, of(Stage::Softmax)) == 36);
  CHECK(check_cells(robot, "walk Head outputs", 6, 8, of(Stage::Mix)) == 48);
}

TEST_CASE("between two moves stand the shifted scores, their powers, and the shares so far") {
  Walker robot;
  const LayerResult& r = robot.result();
  const std::int64_t h = robot.app().selection().head;
  const auto masked = r.trace[Stage::Mask]->matrix(0, h);
  const auto shifted = [&](int i, int j) {
    double largest = -INFINITY;
    for (int k = 0; k < 6; ++k) largest = std::max(largest, static_cast<double>(masked(i, k)));
    return static_cast<double>(masked(i, j)) - largest;
  };
  robot.go(Stage::Softmax, 1);
  CHECK(check_cells(robot, "walk Weights", 6, 6, shifted) == 36);
  robot.go(Stage::Softmax, 2);
  CHECK(check_cells(robot, "walk Weights", 6, 6, [&](int i, int j) { return std::exp(shifted(i, j)); }) ==
        36);
  robot.go(Stage::Softmax, 3);
  const Cell cell = robot.app().selection().cell;
  double sum = 0;
  for (int j = 0; j < 6; ++j) sum += std::exp(shifted(static_cast<int>(cell.query), j));
  CHECK(says(robot, fixed(sum, 3)));
  robot.go(Stage::Softmax, 4);
  CHECK(says(robot,
             fixed(std::exp(shifted(static_cast<int>(cell.query), static_cast<int>(cell.key))) / sum, 4)));
  robot.go(Stage::Mix, 2);  // the values of the first two keys
  const auto weights = r.trace[Stage::Drop]->matrix(0, h);
  const auto values = r.trace[Stage::Value]->matrix(0, h);
  const auto partial = [&](int i, int d) {
    double mixed = 0;
    for (int j = 0; j < 2; ++j)
      mixed += static_cast<double>(weights(i, j)) * static_cast<double>(values(j, d));
    return mixed;
  };
  CHECK(check_cells(robot, "walk Head outputs", 6, 8, partial) == 48);
}

TEST_CASE("the card writes out the real operands") {
  Walker robot;
  const LayerResult& r = robot.result();
  const auto h = robot.app().selection().head;
  const Cell cell = robot.app().selection().cell;
  const auto at = [&](Stage stage) {
    return static_cast<double>(r.trace[stage]->matrix(0, h)(cell.query, cell.key));
  };
  robot.go(Stage::Score, 6);
  const auto q = r.trace[Stage::Query]->matrix(0, h).row(cell.query);
  const auto k = r.trace[Stage::Key]->matrix(0, h).row(cell.key);
  for (Eigen::Index d = 0; d < q.size(); ++d) {
    CHECK(says(robot, fixed(static_cast<double>(q(d)), 2)));
    CHECK(says(robot, fixed(static_cast<double>(k(d)), 2)));
  }
  CHECK(says(robot, fixed(at(Stage::Score), 2)));
  robot.go(Stage::Scale, 2);
  CHECK(says(robot, fixed(std::sqrt(8.0), 2)));
  CHECK(says(robot, fixed(at(Stage::Scale), 2)));
  robot.go(Stage::Output, 1);
  robot.click_at(robot.cell("walk Output", static_cast<int>(cell.query), 5, 6, 64));
  robot.leave();
  robot.settle();
  double own = 0;
  const auto w = r.document.layer().weights[Parameter::WOutput]->matrix();
  for (Eigen::Index d = 0; d < 8; ++d)
    own += static_cast<double>(r.trace[Stage::Mix]->matrix(0, h)(cell.query, d)) *
           static_cast<double>(w(h * 8 + d, 5));
  CHECK(says(robot, fixed(own, std::abs(own) < 0.1 ? 3 : 2)));
}

}  // namespace attnscope::walk_numbers_test

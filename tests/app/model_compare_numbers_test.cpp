// The numbers on screen of the comparison of two models, against loops over the formulas.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_compare_numbers_test {
namespace {

using namespace attnscope::test;

/// The texts in the box of an item, in the order in which they were drawn.
std::vector<std::string> texts_in(Robot& robot, const std::string& label) {
  const auto& items = robot.items().items();
  const auto item =
      std::ranges::find_if(items, [&](const RecordedItem& one) { return one.visible && one.label == label; });
  REQUIRE(item != items.end());
  std::vector<std::string> found;
  for (const PlacedText& text : texts_of(robot)) {
    const float x = (text.x0 + text.x1) / 2, y = (text.y0 + text.y1) / 2;
    if (x >= item->min.x && x < item->max.x && y >= item->min.y && y < item->max.y)
      found.push_back(text.text);
  }
  return found;
}

/// "+0.12", "−3e−3": as a number.
double number(std::string text) {
  for (std::size_t at = text.find("−"); at != std::string::npos; at = text.find("−"))
    text.replace(at, std::string("−").size(), "-");
  return std::stod(text);
}

void check_number(const std::string& text, double expected) {
  INFO(text << " for " << expected);
  if (std::isnan(expected)) {
    CHECK(text == "–");
    return;
  }
  const double size = std::abs(expected);  // two places, or one significant digit
  CHECK(std::abs(number(text) - expected) <= (size < 0.005 ? 0.51 * size : 0.00501));
}

/// One side, run without the window.
struct Side {
  explicit Side(const ModelContext& at)
      : within(at),
        model(*within.model->model),
        tokens(tokens_of(*within.model, within.input)),
        run(run_model(model, tokens.input, {.changes = within.changes}, work)) {}

  std::vector<std::vector<double>> weights(std::size_t block, std::int64_t head) {
    const Tensor made = head_weights(model, run, AttentionOf::Decoder, block, head, work);
    std::vector<std::vector<double>> rows;
    for (std::int64_t i = 0; i < made.matrix().rows(); ++i) {
      rows.emplace_back();
      for (std::int64_t j = 0; j <= i; ++j) rows.back().push_back(static_cast<double>(made.matrix()(i, j)));
    }
    return rows;
  }
  std::vector<double> probabilities(std::int64_t row) const {
    std::vector<double> made;
    double sum = 0;
    for (std::int64_t id = 0; id < run.logits.width; ++id)
      sum += made.emplace_back(std::exp(static_cast<double>(run.logits.row(row)[id])));
    for (double& p : made) p /= sum;
    return made;
  }

  ThreadPool pool{1};
  Work work{pool, {}};
  ModelContext within;
  const Model& model;
  ModelTokens tokens;
  ModelRun run;
};

double divergence_of(const Side& a, const Side& b, std::int64_t row) {
  const std::vector<double> p = a.probabilities(row), q = b.probabilities(row);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * std::log(p[i] / q[i]);
  return sum;
}

/// H / ln n, the mean over the rows with a choice.
double entropy_of_rows(const std::vector<std::vector<double>>& weights) {
  double all = 0;
  for (std::size_t i = 1; i < weights.size(); ++i) {
    double row = 0;
    for (const double w : weights[i]) row -= w > 0 ? w * std::log(w) : 0;
    all += row / std::log(static_cast<double>(i + 1));
  }
  return all / static_cast<double>(weights.size() - 1);
}

struct HeadsApart {
  double distance = 0, uniform = 0, largest = 0;
  std::vector<double> rows;  // NaN: of the row without a choice
};
HeadsApart apart(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  HeadsApart made;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double row = 0, from_uniform = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      const double change = a[i][j] - b[i][j];
      row += std::abs(change) / 2;
      from_uniform += std::abs(a[i][j] - 1.0 / static_cast<double>(i + 1)) / 2;
      if (std::abs(change) > std::abs(made.largest)) made.largest = change;
    }
    made.rows.push_back(i == 0 ? NAN : row);
    made.distance += row / static_cast<double>(a.size() - 1);
    made.uniform += from_uniform / static_cast<double>(a.size() - 1);
  }
  return made;
}

}  // namespace

TEST_CASE("every number of the comparison of two texts is that of a naive loop", "[model][compare-models]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_F4);
  robot.click("Hold this");
  type_text(robot, "ab c dd a");
  robot.click("distance of 2.3");
  robot.settle();
  robot.leave();
  robot.settle();
  Side now(robot.document().within.read()), held(robot.app().held().model()->within);

  for (int block = 0; block < 3; ++block)
    for (int head = 0; head < 4; ++head) {
      const auto at = static_cast<std::size_t>(block);
      const HeadsApart expected = apart(now.weights(at, head), held.weights(at, head));
      const std::vector<std::string> texts = texts_in(robot, fmt::format("distance of {}.{}", block, head));
      REQUIRE(texts.size() == 4);
      check_number(texts[1], expected.distance);
      check_number(texts[2], expected.largest);
      check_number(texts[3], expected.uniform);
    }

  const HeadsApart chosen = apart(now.weights(2, 3), held.weights(2, 3));
  check_number(texts_in(robot, "distance").back(), chosen.distance);
  const std::string largest = texts_in(robot, "largest change").back();
  check_number(largest.substr(largest.rfind(' ') + 1), chosen.largest);
  const std::string entropies = texts_in(robot, "entropy ÷ ln n").back();
  check_number(entropies.substr(4, entropies.find("   ") - 4), entropy_of_rows(now.weights(2, 3)));
  check_number(entropies.substr(entropies.rfind(' ') + 1), entropy_of_rows(held.weights(2, 3)));
  const std::string of_row = texts_in(robot, "row distance").back();
  const double row = chosen.rows[static_cast<std::size_t>(robot.app().selection().cell.query)];
  if (std::isnan(row)) {
    CHECK(of_row == "no choice");
  } else {
    check_number(of_row, row);
  }

  // Token by token: its name, the row of the head, the divergence of the predictions.
  const std::vector<std::string> tokens = texts_in(robot, "Compared tokens");
  const std::int64_t rows = std::ssize(chosen.rows);
  REQUIRE(std::ssize(tokens) == 3 * rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    check_number(tokens[3 * at + 1], chosen.rows[at]);
    const double apart_in_row = divergence_of(now, held, i);
    if (std::abs(apart_in_row) < 1e-9) {
      CHECK(std::abs(number(tokens[3 * at + 2])) < 1e-6);
    } else {
      check_number(tokens[3 * at + 2], apart_in_row);
    }
  }

  // The predictions of both after the last token.
  const std::vector<double> p = now.probabilities(rows - 1), q = held.probabilities(rows - 1);
  int found = 0;
  for (std::size_t id = 0; id < p.size(); ++id) {
    const std::string label = "compared " + token_label(*now.within.model, static_cast<std::int64_t>(id));
    if (!robot.has(label)) continue;
    ++found;
    const std::vector<std::string> texts = texts_in(robot, label);
    REQUIRE(texts.size() == 3);
    CHECK(std::abs(number(texts[1]) - 100 * p[id]) < 0.051);
    CHECK(std::abs(number(texts[2]) - 100 * q[id]) < 0.051);
  }
  CHECK(found >= 3);
  const std::string divergence = texts_in(robot, "KL").front();
  REQUIRE(divergence.starts_with("KL "));
  check_number(divergence.substr(3), divergence_of(now, held, rows - 1));
}

}  // namespace attnscope::model_compare_numbers_test

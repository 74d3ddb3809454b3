// The list of strong lines: heads with planted structures and known weights in naive float64; the list has
// the planted lines with the oracle's numbers, and noise, blocks and windows are no lines.
#include "core/engine/strong_lines.hpp"

#include <cmath>
#include <functional>
#include <random>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"

namespace attnscope::strong_lines_test {

using Kind = StrongLine::Kind;

namespace {

/// One head with n queries and keys whose weights are what a function says, each row divided by its sum.
class PlantedHead {
 public:
  using Weight = std::function<double(std::int64_t i, std::int64_t j)>;
  PlantedHead(std::int64_t n, bool causal, const Weight& weight) : n_(n) {
    problem_.queries = problem_.keys = n;
    problem_.causal = causal;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) logs_.push_back(static_cast<float>(std::log(weight(i, j))));
  }
  PlantedHead& window(std::int64_t left) {
    problem_.left = left;
    return *this;
  }

  bool sees(std::int64_t i, std::int64_t j) const {
    if (problem_.causal && j > i) return false;
    return problem_.left < 0 || j >= i - problem_.left;
  }
  /// The row's weights in float64, by definition.
  std::vector<double> row(std::int64_t i) const {
    std::vector<double> w(static_cast<std::size_t>(n_));
    double sum = 0;
    for (std::int64_t j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (sees(i, j)) w[at] = std::exp(static_cast<double>(logs_[static_cast<std::size_t>(i * n_ + j)]));
      sum += w[at];
    }
    for (double& each : w) each /= sum;
    return w;
  }

  /// The survey after the first look and this many refinements; by default complete.
  SurveyPtr survey(int refinements = 99) const {
    auto numbers = std::make_shared<Tensor>(Shape{n_, 1});  // all 0: the scores are the added numbers
    StreamedDocument of;
    of.query = of.key = of.value = numbers;
    of.additive = logs_;
    of.problem = problem_;
    of.problem.heads = of.problem.kv_heads = of.problem.d_k = of.problem.d_v = 1;
    of.problem.query = of.problem.key = of.problem.value = {numbers->data(), 0, 1};
    of.problem.additive = {of.additive, 1};
    const auto backend = make_cpu_backend(2);
    SurveyPtr survey = first_look(std::move(of), *backend, {}, nullptr);
    for (int i = 0; i < refinements && !survey->is_complete(); ++i)
      survey = refined(*survey, *backend, {}, nullptr);
    return survey;
  }

 private:
  std::int64_t n_;
  AttentionProblem problem_;
  std::vector<float> logs_;  // [n][n]
};

std::vector<StrongLine> lines_of(const Survey& survey) {
  ThreadPool pool(2);
  return strong_lines(survey, 0, {pool, {}});
}

/// Log-normal noise, the same for the same place: e^(sigma · N(0, 1)).
std::function<double(std::int64_t, std::int64_t)> noise(double sigma, unsigned seed) {
  auto random = std::make_shared<std::mt19937>(seed);
  auto normal = std::make_shared<std::normal_distribution<double>>(0, sigma);
  return [=](std::int64_t, std::int64_t) { return std::exp((*normal)(*random)); };
}

/// Share and mean of a line by the oracle, over every step-th query.
void check_numbers(const PlantedHead& head, std::int64_t n, const StrongLine& line, std::int64_t step = 1) {
  double sum = 0, rows = 0, all = 0;
  for (std::int64_t i = 0; i < n; i += step) {
    ++all;
    const std::int64_t key = line.kind == Kind::Column ? line.at : i - line.at;
    if (i < line.first_query || i >= line.last_query || key < 0 || key >= n || !head.sees(i, key)) continue;
    ++rows;
    sum += head.row(i)[static_cast<std::size_t>(key)];
  }
  INFO("at " << line.at << ", queries " << line.first_query << " to " << line.last_query);
  CHECK(std::abs(line.share - sum / all) < 1e-5);
  CHECK(std::abs(line.mean - sum / rows) < 1e-4);
}

}  // namespace

TEST_CASE("strong lines: a sink and the previous token", "[bright]") {
  constexpr std::int64_t n = 1500;
  const auto rest = noise(0.5, 1);
  const PlantedHead head(n, true, [&](std::int64_t i, std::int64_t j) {
    // The noise of a row adds up to about 1.13 (i + 1): the sink takes 61 of 100, the diagonal 34.
    const double mass = 1.13 * static_cast<double>(i + 1) / 0.05;
    return rest(i, j) + (j == 0 ? 0.61 * mass : 0) + (j == i - 1 ? 0.34 * mass : 0);
  });
  const auto lines = lines_of(*head.survey());
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].kind == Kind::Column);
  CHECK(lines[0].at == 0);
  CHECK(std::abs(lines[0].share - 0.61) < 0.01);
  CHECK((lines[0].first_query == 0 && lines[0].last_query == n));
  CHECK(lines[1].kind == Kind::Diagonal);
  CHECK(lines[1].at == 1);
  CHECK(std::abs(lines[1].share - 0.34) < 0.01);
  CHECK(lines[1].first_query < 4);
  CHECK(lines[1].last_query == n);
  for (const StrongLine& line : lines) check_numbers(head, n, line);
}

TEST_CASE("strong lines: a line that is hard to see in its middle is one line all the same", "[bright]") {
  // Six others as bright beside it there: it stands out before and after them, and continues among them.
  constexpr std::int64_t n = 600;
  const auto rest = noise(0.3, 7);
  const PlantedHead head(n, false, [&](std::int64_t i, std::int64_t j) {
    const std::int64_t back = std::abs(i - j);
    const bool beside = i >= 200 && i < 400 && back >= 2 && back <= 4;
    return rest(i, j) + (back == 0 || beside ? 0.08 * static_cast<double>(n) : 0);
  });
  const auto lines = lines_of(*head.survey());
  std::int64_t found = 0;
  for (const StrongLine& line : lines) {
    found += line.at == 0 ? 1 : 0;
    for (const StrongLine& other : lines)
      if (&other != &line && other.at == line.at)
        CHECK((other.last_query <= line.first_query || line.last_query <= other.first_query));
  }
  CHECK(found == 1);
  CHECK((lines[0].at == 0 && lines[0].first_query == 0 && lines[0].last_query == n));
  check_numbers(head, n, lines[0]);
}

TEST_CASE("strong lines: a passage that comes again, where it begins and ends", "[bright]") {
  for (const std::int64_t n : {std::int64_t{600}, std::int64_t{1500}, std::int64_t{2500}}) {
    const std::int64_t begin = n / 2 + 13, end = begin + n / 5, distance = n / 3 + 1;
    const auto rest = noise(0.7, 2);
    const PlantedHead head(n, true, [&](std::int64_t i, std::int64_t j) {
      const bool copied = i >= begin && i < end && j == i - distance;
      return rest(i, j) + (copied ? 0.2 * static_cast<double>(i + 1) : 0);
    });
    const auto lines = lines_of(*head.survey());
    INFO("n = " << n);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].kind == Kind::Diagonal);
    CHECK(lines[0].at == distance);
    CHECK(lines[0].first_query == begin);
    CHECK(lines[0].last_query == end);
    check_numbers(head, n, lines[0]);
  }
}

TEST_CASE("strong lines: noise, a window and a bright block have none", "[bright]") {
  constexpr std::int64_t n = 1500;
  for (const unsigned seed : {3u, 4u}) {
    for (const bool causal : {false, true}) {
      CHECK(lines_of(*PlantedHead(n, causal, noise(1, seed)).survey()).empty());
      CHECK(lines_of(*PlantedHead(n, causal, noise(0.3, seed)).window(200).survey()).empty());
    }
  }
  CHECK(lines_of(*PlantedHead(n, true, [](std::int64_t, std::int64_t) { return 1; }).survey()).empty());
  const auto rest = noise(0.5, 5);
  const PlantedHead block(n, true, [&](std::int64_t i, std::int64_t j) {
    const bool inside = i >= 800 && i < 1200 && j >= 100 && j < 400;
    return rest(i, j) * (inside ? 40 : 1);
  });
  CHECK(lines_of(*block.survey()).empty());
}

TEST_CASE("strong lines: what lies ahead, and two distances side by side", "[bright]") {
  constexpr std::int64_t n = 1200;
  const auto rest = noise(0.5, 6);
  const PlantedHead head(n, false, [&](std::int64_t i, std::int64_t j) {
    const double mass = static_cast<double>(n);
    return rest(i, j) + (j == i + 1 ? 0.5 * mass : 0) + (j == i + 5 ? 0.25 * mass : 0) +
           (j == i - 300 ? 0.1 * mass : 0);
  });
  const auto lines = lines_of(*head.survey());
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].at == -1);
  CHECK(lines[1].at == -5);
  CHECK(lines[2].at == 300);
  for (const StrongLine& line : lines) {
    CHECK(line.kind == Kind::Diagonal);
    check_numbers(head, n, line);
  }
}

TEST_CASE("strong lines: columns are all the keys that the definition names", "[bright]") {
  constexpr std::int64_t n = 1100;
  const auto rest = noise(0.5, 7);
  std::mt19937 random(8);
  std::vector<double> pull(n, 0);
  for (int k = 0; k < 7; ++k) pull[random() % n] = 0.012 * n * (k + 1);
  const PlantedHead head(n, true, [&](std::int64_t i, std::int64_t j) {
    return rest(i, j) + pull[static_cast<std::size_t>(j)];
  });
  std::vector<double> received(n, 0), even(n, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::vector<double> w = head.row(i);
    for (std::size_t j = 0; j <= static_cast<std::size_t>(i); ++j) {
      received[j] += w[j] / n;
      even[j] += 1.0 / static_cast<double>((i + 1) * n);
    }
  }
  std::vector<std::int64_t> expected, found;
  for (std::int64_t j = 0; j < n; ++j) {
    const double share = received[static_cast<std::size_t>(j)];
    if (share >= 0.01 && share >= 4 * even[static_cast<std::size_t>(j)]) expected.push_back(j);
  }
  const auto lines = lines_of(*head.survey());
  for (const StrongLine& line : lines) {
    CHECK(line.kind == Kind::Column);
    CHECK(line.first_query == line.at);
    check_numbers(head, n, line);
    found.push_back(line.at);
  }
  CHECK(std::is_sorted(lines.begin(), lines.end(),
                       [](const auto& a, const auto& b) { return a.share > b.share; }));
  std::sort(found.begin(), found.end());
  REQUIRE(expected.size() >= 3);
  CHECK(found == expected);
}

TEST_CASE("strong lines: of the queries that are known so far", "[bright]") {
  constexpr std::int64_t n = 1500;
  const auto rest = noise(0.5, 9);
  const PlantedHead head(n, true, [&](std::int64_t i, std::int64_t j) {
    const double mass = static_cast<double>(i + 1);
    return rest(i, j) + (j == 20 ? mass : 0) + (j == i - 100 ? 0.5 * mass : 0);
  });
  CHECK(lines_of(*head.survey(0)).empty());  // the first look has no attention received
  const SurveyPtr half = head.survey(1);
  REQUIRE(half->known.rows.step == 2);
  const auto lines = lines_of(*half);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].at == 20);
  CHECK(lines[1].at == 100);
  for (const StrongLine& line : lines) check_numbers(head, n, line, 2);
}

TEST_CASE("strong lines: finding them can be stopped", "[bright]") {
  constexpr std::int64_t n = 1100;
  const SurveyPtr survey =
      PlantedHead(n, true, [](std::int64_t i, std::int64_t j) { return i == j ? n : 1; }).survey();
  CHECK(lines_of(*survey).size() == 1);
  ThreadPool pool(1);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(strong_lines(*survey, 0, {pool, stop.get_token()}), Cancelled);
}

}  // namespace attnscope::strong_lines_test

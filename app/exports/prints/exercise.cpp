#include "app/exports/prints/exercise.hpp"

#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson_numbers.hpp"
#include "core/base/random.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::prints {
namespace {

constexpr std::int64_t most_score = 6;  // larger ones leave the other weights no digits
constexpr int most_attempts = 1000;

/// Whole numbers from `low` to `high`. `place`: of the first one in the stream.
std::vector<int> drawn(std::uint64_t seed, std::uint64_t stream, std::uint64_t place, std::int64_t count,
                       int low, int high) {
  std::vector<int> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random_bits(seed, stream, place + static_cast<std::uint64_t>(i));
    numbers.push_back(low + static_cast<int>(bits % static_cast<std::uint64_t>(high - low + 1)));
  }
  return numbers;
}

std::int64_t dot(const Exercise& exercise, std::int64_t query, std::int64_t key) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < Exercise::d_k; ++i)
    sum += exercise.query[static_cast<std::size_t>(query * Exercise::d_k + i)] *
           exercise.key[static_cast<std::size_t>(key * Exercise::d_k + i)];
  return sum;
}

/// Whether every row has scores that differ, and none that is large.
bool is_worth_computing(const Exercise& exercise) {
  for (std::int64_t i = 0; i < Exercise::tokens; ++i) {
    std::int64_t least = most_score, largest = -most_score;
    for (std::int64_t j = 0; j < Exercise::tokens; ++j) {
      const std::int64_t score = dot(exercise, i, j);
      if (std::abs(score) > most_score) return false;
      least = std::min(least, score);
      largest = std::max(largest, score);
    }
    if (least == largest) return false;
  }
  return true;
}

std::string json_rows(const std::vector<int>& numbers, std::int64_t width) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < numbers.size(); at += static_cast<std::size_t>(width))
    rows.push_back(fmt::format(
        "[{}]", fmt::join(std::span(numbers).subspan(at, static_cast<std::size_t>(width)), ", ")));
  return fmt::format("[[[{}]]]", fmt::join(rows, ", "));
}

Document document_of(const Exercise& exercise, const ExerciseSetting& setting) {
  std::vector<std::string> names;
  for (const std::string_view name : Exercise::names) names.push_back(fmt::format("\"{}\"", name));
  return document_from_json(
      fmt::format(R"({{"attnscope": 1, "title": "exercise", "given": {{"tokens": [[{}]], "query": {}, )"
                  R"("key": {}, "value": {}}}, "scale": {}, "temperature": {}, )"
                  R"("mask": {{"causal": {}, "padding": false}}}})",
                  fmt::join(names, ", "), json_rows(exercise.query, Exercise::d_k),
                  json_rows(exercise.key, Exercise::d_k), json_rows(exercise.value, Exercise::d_v),
                  setting.divided ? "\"1/sqrt(d_k)\"" : "1.0", setting.temperature, setting.causal),
      "the exercise");
}

/// `name` of every row and column.
std::vector<double> matrix(const lessons::LookUp& numbers, std::string_view name, std::int64_t columns) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < Exercise::tokens; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      all.push_back(numbers(name, std::array{static_cast<double>(i), static_cast<double>(j)}));
  return all;
}

}  // namespace

std::vector<int> Exercise::row(const std::vector<int>& of, std::int64_t token) const {
  const std::size_t width = of.size() / static_cast<std::size_t>(tokens);
  const auto begin = of.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(token) * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

Exercise make_exercise(std::string_view lesson, std::int64_t seed,
                       const std::vector<ExerciseSetting>& settings) {
  Exercise exercise;
  if (settings.empty()) return exercise;
  const std::uint64_t stream = stream_of(lesson), of_seed = static_cast<std::uint64_t>(seed);
  constexpr std::int64_t of_keys = Exercise::tokens * Exercise::d_k,
                         of_values = Exercise::tokens * Exercise::d_v;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::uint64_t place = static_cast<std::uint64_t>(attempt) * (2 * of_keys + of_values);
    exercise.query = drawn(of_seed, stream, place, of_keys, -1, 2);
    exercise.key = drawn(of_seed, stream, place += of_keys, of_keys, -1, 2);
    exercise.value = drawn(of_seed, stream, place + of_keys, of_values, 0, 5);
    if (is_worth_computing(exercise)) break;
  }
  const SharedPool pool;
  Pipeline pipeline(make_cpu_backend(pool));
  for (const ExerciseSetting& setting : settings) {
    const ResultPtr result = pipeline.run(document_of(exercise, setting));
    const lessons::LookUp numbers = lessons::look_up_in({result->layer(), nullptr, 0});
    exercise.scores = matrix(numbers, "score", Exercise::tokens);
    exercise.parts.push_back({setting, matrix(numbers, "scaled", Exercise::tokens),
                              matrix(numbers, "weight", Exercise::tokens),
                              matrix(numbers, "mixed", Exercise::d_v)});
  }
  return exercise;
}

}  // namespace attnscope::prints

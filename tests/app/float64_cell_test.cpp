// The float64 value of a cell: at once where it takes no time, else from the worker, so that no frame waits.
#include <cstdint>
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "app/results/result_stats.hpp"
#include "core/analysis/reference.hpp"
#include "core/base/random.hpp"
#include "core/edits/edits.hpp"
#include "core/engine/pipeline.hpp"

namespace attnscope::float64_cell_test {

TEST_CASE("the float64 value of a cell of wide heads comes from the worker, a cell at a time", "[results]") {
  const auto drawn = [](std::int64_t rows, std::int64_t width, std::uint64_t seed) {
    const auto made = std::make_shared<Tensor>(Shape{1, 1, rows, width});
    fill_normal(made->values(), seed, 0, 1);
    return made;
  };
  const auto result_with = [&](std::int64_t width) {
    Document document;
    document.layer().positions = Positions::None;
    document.input.change<Given>().query = drawn(3, width, 1);
    document.input.change<Given>().key = drawn(1024, width, 2);
    document.input.change<Given>().value = drawn(1024, 8, 3);
    return Pipeline(make_cpu_backend(1)).run(document, {}, nullptr, 1);
  };
  const auto expected = [](const ResultPtr& result, std::int64_t key) {
    return reference_cell(result->document, result->layer().trace, 0, 0, 1, key).weight;
  };
  const ResultPtr narrow = result_with(8), wide = result_with(1024);
  ResultStats quick(narrow), stats(wide);
  REQUIRE(quick.reference(0, 0, 1, 5, false) != nullptr);
  CHECK(quick.reference(0, 0, 1, 5, false)->weight == expected(narrow, 5));
  CHECK_FALSE(quick.is_computing());

  CHECK(stats.computes_reference(false));
  CHECK(stats.reference(0, 0, 1, 5, false) == nullptr);
  CHECK(stats.is_computing());
  CHECK(stats.reference(0, 0, 1, 6, true) == nullptr);  // waits for the first one
  REQUIRE(stats.finish());
  CHECK(stats.reference(0, 0, 1, 6, true) == nullptr);  // begins now; not the first cell's number
  REQUIRE(stats.reference(0, 0, 1, 5, false) != nullptr);
  CHECK(stats.reference(0, 0, 1, 5, false)->weight == expected(wide, 5));
  REQUIRE(stats.finish());
  REQUIRE(stats.reference(0, 0, 1, 6, true) != nullptr);
  CHECK(stats.reference(0, 0, 1, 6, true)->weight == expected(wide, 6));
  CHECK_FALSE(stats.finish());
}

TEST_CASE("what latents and disentangled positions add to a cell's float64 value is the worker's",
          "[results]") {
  const auto vectors = std::make_shared<Tensor>(Shape{1, 6, 256});
  fill_normal(vectors->values(), 1, 0, 1);
  const auto is_at_once = [&](Document document) {
    document.input.change<Vectors>().query = vectors;
    ResultStats stats(Pipeline(make_cpu_backend(1)).run(document, {}, nullptr, 1));
    const bool at_once = stats.reference(0, 0, 1, 1, false) != nullptr;
    CHECK(stats.finish() != at_once);
    CHECK(stats.reference(0, 0, 1, 1, false) != nullptr);
    return at_once;
  };
  const Document plain = edit::d_model({}, 256);
  CHECK(is_at_once(plain));
  CHECK_FALSE(is_at_once(edit::latent(plain, {.width = 1024})));
  Document near = plain;
  near.layer().positions = Positions::Disentangled;
  near.layer().position_settings.span = 64;
  CHECK_FALSE(is_at_once(near));
}

}  // namespace attnscope::float64_cell_test

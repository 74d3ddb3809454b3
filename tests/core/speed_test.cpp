// The two speeds the window counts on: a change of mask or scale, from Document to Result with measures.
// Checked only where timing means something: optimised, no sanitizer.
#include <algorithm>
#include <chrono>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "core/document/dirty.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"

namespace attnscope::speed_test {
namespace {

#if defined(NDEBUG) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
constexpr bool timing_counts = true;
#else
constexpr bool timing_counts = false;
#endif

/// Milliseconds from Document to Result.
struct Timing {
  double best, median;
};

/// `change` is applied again and again.
template <class Change>
Timing time_changes(Pipeline& pipeline, Document document, int repeats, Change change) {
  pipeline.run(document);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    change(document, i);
    const auto start = std::chrono::steady_clock::now();
    const ResultPtr result = pipeline.run(document);
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

void toggle_mask(Document& document, int) {
  document.layer().masking.causal = !document.layer().masking.causal;
}
void drag_scale(Document& document, int i) {
  document.layer().scaling = {Scaling::Kind::Factor, 0.1f + 0.01f * static_cast<float>(i)};
}

struct Target {
  std::int64_t tokens;
  int d_model;
  int repeats;
  double milliseconds;
};

void measure_target(const Target& target) {
  samples::Random random(1);
  const Document document = samples::text_document(random, {target.tokens}, 8, target.d_model);
  Pipeline pipeline(make_cpu_backend(2));
  const Timing mask = time_changes(pipeline, document, target.repeats, toggle_mask);
  const Timing scale = time_changes(pipeline, document, target.repeats, drag_scale);
  WARN(fmt::format(
      "n = {}, 8 heads, d_model {}: mask {:.3f} ms (median {:.3f}), scale {:.3f} ms (median {:.3f}); "
      "target {} ms",
      target.tokens, target.d_model, mask.best, mask.median, scale.best, scale.median, target.milliseconds));
  if (!timing_counts) SKIP("timing is not checked in this build");
  // Three times the target, and the best of many: other programs may share the machine.
  CHECK(mask.best < 3 * target.milliseconds);
  CHECK(scale.best < 3 * target.milliseconds);
}

}  // namespace

TEST_CASE("A change of the opening example is computed within a millisecond", "[speed]") {
  measure_target({.tokens = 6, .d_model = 64, .repeats = 201, .milliseconds = 1});
}

TEST_CASE("A change of 256 tokens is computed within a frame", "[speed]") {
  measure_target({.tokens = 256, .d_model = 512, .repeats = 31, .milliseconds = 16});
}

TEST_CASE("Documents of a megabyte of text compare in under a microsecond where nothing changed", "[speed]") {
  samples::Random random(1);
  Document document = samples::text_document(random, {6}, 2, 16);
  const std::vector<std::string> tokens(200'000, "token");
  document.input.sequences = {{fmt::format("{}", fmt::join(tokens, " ")), label_tokens(tokens)}};
  const Document copy = document;
  CHECK(copy.input.sequences.identity() == document.input.sequences.identity());
  constexpr int rounds = 10'000;
  int alike = 0;
  double best = 1;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) alike += copy == document && changed_fields(copy, document).empty();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / rounds);
  }
  CHECK(alike == 5 * rounds);
  WARN(fmt::format("comparing takes {:.3f} microseconds; target 1", best * 1e6));
  if (!timing_counts) SKIP("timing is not checked in this build");
  CHECK(best < 3e-6);
}

}  // namespace attnscope::speed_test

// Two times that the window depends on: a change of mask or scale, from Document to Result with measures.
// They are printed beside their targets. The test checks their ratio to a yardstick that is measured at the
// same time, so that neither the machine nor other programs decide; only in optimised builds without a
// sanitizer.
#include <algorithm>
#include <chrono>
#include <vector>

#include <Eigen/Core>
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "core/engine/dirty.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"
#include "support/sanitizers.hpp"
#include "support/wait.hpp"

namespace attnscope::speed_test {
namespace {

#if defined(NDEBUG) && defined(__OPTIMIZE__)
const bool timing_counts = !test::under_address_sanitizer() && !test::under_thread_sanitizer();
#else
constexpr bool timing_counts = false;
#endif

template <class Work>
double milliseconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Milliseconds from Document to Result.
struct Timing {
  double best, median;
};
Timing timing_of(std::vector<double> times) {
  std::ranges::sort(times);
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
  double most_products;  // the limit of all of it
};

/// The four products of a layer by its weights, with nothing else, in one thread.
class Products {
 public:
  explicit Products(const Target& target)
      : rows_(Eigen::MatrixXf::Random(target.tokens, target.d_model)),
        weights_(Eigen::MatrixXf::Random(target.d_model, target.d_model)),
        made_(target.tokens, target.d_model) {}
  double milliseconds() {
    return milliseconds_of([this] {
      for (int i = 0; i < 4; ++i) made_.noalias() = rows_ * weights_;
    });
  }

 private:
  Eigen::MatrixXf rows_, weights_, made_;
};

void measure_target(const Target& target) {
  if (!timing_counts) SKIP("timing is not checked in this build");
  samples::Random random(1);
  Document document = samples::text_document(random, {target.tokens}, 8, target.d_model);
  Pipeline pipeline(make_cpu_backend(2));
  Products products(target);
  pipeline.run(document);
  // In turns, so that other programs affect all of them.
  std::vector<double> masks, scales, wholes, yardsticks;
  for (int i = 0; i < target.repeats; ++i) {
    toggle_mask(document, i);
    masks.push_back(milliseconds_of([&] { pipeline.run(document); }));
    drag_scale(document, i);
    scales.push_back(milliseconds_of([&] { pipeline.run(document); }));
    if (i % 3 != 0) continue;
    Pipeline fresh(make_cpu_backend(2));
    wholes.push_back(milliseconds_of([&] { fresh.run(document); }));
    yardsticks.push_back(products.milliseconds());
  }
  const Timing mask = timing_of(masks), scale = timing_of(scales), whole = timing_of(wholes),
               yardstick = timing_of(yardsticks);
  WARN(fmt::format(
      "n = {}, 8 heads, d_model {}: mask {:.3f} ms (median {:.3f}), scale {:.3f} ms (median {:.3f}), "
      "target {} ms; all of it {:.3f} ms, bare products {:.3f} ms",
      target.tokens, target.d_model, mask.best, mask.median, scale.best, scale.median, target.milliseconds,
      whole.best, yardstick.best));
  CHECK(mask.best < 0.8 * whole.best);
  CHECK(scale.best < 0.8 * whole.best);
  CHECK(whole.best < target.most_products * yardstick.best);
}

}  // namespace

TEST_CASE("A change of the opening example costs less than computing all of it", "[speed]") {
  measure_target({.tokens = 6, .d_model = 64, .repeats = 201, .milliseconds = 1, .most_products = 40});
}

TEST_CASE("A change of 256 tokens costs less than computing all of it", "[speed]") {
  measure_target({.tokens = 256, .d_model = 512, .repeats = 16, .milliseconds = 16, .most_products = 15});
}

TEST_CASE("Documents of a megabyte of text compare as fast as short ones where nothing changed", "[speed]") {
  if (!timing_counts) SKIP("timing is not checked in this build");
  samples::Random random(1);
  const Document small = samples::text_document(random, {6}, 2, 16);
  Document large = small;
  const std::vector<std::string> tokens(200'000, "token");
  large.input.sequences = {{fmt::format("{}", fmt::join(tokens, " ")), label_tokens(tokens)}};
  const Document small_copy = small, large_copy = large;
  CHECK(large_copy.input.sequences.identity() == large.input.sequences.identity());
  constexpr int rounds = 10'000, repeats = 5;
  int alike = 0;
  const auto microseconds = [&](const Document& a, const Document& b) {
    return 1e6 / rounds * test::least_seconds(repeats, [&] {
             for (int i = 0; i < rounds; ++i) alike += a == b && changed_fields(a, b).empty();
           });
  };
  const double least = microseconds(large_copy, large), least_small = microseconds(small_copy, small);
  CHECK(alike == 2 * repeats * rounds);
  WARN(fmt::format("comparing takes {:.3f} microseconds, target 1; {:.3f} for a short text", least,
                   least_small));
  CHECK(least < 3 * least_small);
}

}  // namespace attnscope::speed_test

// The streaming sweep of long sequences: several threads, parts of the rows, a stop in the middle.
#include <chrono>
#include <cmath>
#include <cstring>
#include <sys/resource.h>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/streaming/tile.hpp"
#include "core/streaming_cases.hpp"

namespace attnscope::streaming_long_test {
namespace {

using streaming_cases::Case;
using Clock = std::chrono::steady_clock;

template <class T>
bool same_bits(const TensorOf<T>& a, const TensorOf<T>& b) {
  if (a.size() == 0) return b.size() == 0;
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), a.values().size_bytes()) == 0;
}

bool same_bits(const Sweep& a, const Sweep& b) {
  return same_bits(a.output, b.output) && same_bits(a.log_sum_exp, b.log_sum_exp) &&
         same_bits(a.entropy, b.entropy) && same_bits(a.largest, b.largest) && a.strongest == b.strongest &&
         same_bits(a.received, b.received) && same_bits(a.mean, b.mean) && same_bits(a.max, b.max);
}

/// Rows of the sweep against the oracle, and a few cells around the diagonal through a tile.
void check_rows(const Case& c, const Sweep& found, const std::vector<std::size_t>& rows, const Work& work) {
  const oracle::RowProblem problem = c.in_oracle();
  const auto width = static_cast<std::size_t>(c.problem.d_v);
  for (const std::size_t i : rows) {
    const oracle::RowAnswer row = oracle::attend_row(problem, 0, i);
    INFO("row " << i);
    CHECK(compare::difference(std::span<const float>(found.output.values()).subspan(i * width, width),
                              row.output, 1e-5) == "");
    CHECK(std::abs(found.log_sum_exp.values()[i] - row.log_sum_exp) < 1e-5);
    CHECK(std::abs(static_cast<double>(found.entropy.values()[i]) - row.entropy) < 1e-5);
    const auto query = static_cast<std::int64_t>(i);
    const Tensor cells = tile(c.problem, {0, {query, query + 1, 1}, 0, -1, TileKind::Weights}, &found, work);
    CHECK(compare::difference(cells, row.weights, 1e-6) == "");
  }
}

}  // namespace

TEST_CASE("4096 tokens, causal: output, log-sum-exp, entropy and tiles hold to 1e-5") {
  ThreadPool pool(2);
  samples::Random random(11);
  const auto c = streaming_cases::plain_case(random, {1, 1, 4096, 4096, 64, 64});
  c->problem.causal = true;
  const Work work{pool, {}};
  const Sweep found = sweep(c->problem, {}, work);
  check_rows(*c, found, {0, 1, 63, 64, 2047, 3000, 4095}, work);
}

TEST_CASE("32,768 tokens, some rows of them: every shown row is exact") {
  ThreadPool pool(2);
  samples::Random random(12);
  const auto c = streaming_cases::plain_case(random, {1, 1, 32768, 32768, 16, 8});
  const Work work{pool, {}};
  SweepRequest request;
  request.rows = {0, 32768, 4096};
  const Sweep found = sweep(c->problem, request, work);
  const oracle::RowProblem problem = c->in_oracle();
  for (const std::size_t r : {std::size_t{1}, std::size_t{7}}) {
    const oracle::RowAnswer row = oracle::attend_row(problem, 0, r * 4096);
    CHECK(std::abs(found.log_sum_exp.values()[r] - row.log_sum_exp) < 1e-5);
    CHECK(std::abs(static_cast<double>(found.entropy.values()[r]) - row.entropy) < 1e-5);
    CHECK(compare::difference(std::span<const float>(found.output.values()).subspan(r * 8, 8), row.output,
                              1e-5) == "");
  }
}

TEST_CASE("A sweep gives the same bits for any number of threads") {
  samples::Random random(13);
  const auto c = streaming_cases::plain_case(random, {4, 2, 300, 333, 24, 20});
  c->problem.causal = true;
  c->problem.offset = 33;
  SweepRequest request;
  request.received = request.strongest = true;
  for (const PooledCells picture : {PooledCells{1, 1}, PooledCells{4, 4}, PooledCells{128, 64}}) {
    request.picture = picture;
    ThreadPool one(1);
    const Sweep alone = sweep(c->problem, request, Work{one, {}});
    for (const int threads : {2, 3, 8}) {
      ThreadPool pool(threads);
      CHECK(same_bits(alone, sweep(c->problem, request, Work{pool, {}})));
    }
  }
}

TEST_CASE("A sweep into the memory of another one is the same bits") {
  ThreadPool pool(2);
  samples::Random random(17);
  const auto c = streaming_cases::plain_case(random, {2, 1, 300, 300, 8, 8});
  SweepRequest request;
  request.received = request.strongest = true;
  Sweep used;
  for (const PooledCells cells : {PooledCells{4, 4}, PooledCells{128, 2}, PooledCells{1, 1}}) {
    request.picture = cells;
    for (const bool causal : {false, true}) {  // causal: cells above the diagonal are not reached
      c->problem.causal = causal;
      const Sweep fresh = sweep(c->problem, request, Work{pool, {}});
      sweep_into(used, c->problem, request, Work{pool, {}});
      CHECK(same_bits(fresh, used));
    }
  }
  sweep_into(used, c->problem, {}, Work{pool, {}});
  CHECK(same_bits(sweep(c->problem, {}, Work{pool, {}}), used));
}

TEST_CASE("Some rows of a sweep are the bits they are among all rows") {
  ThreadPool pool(2);
  samples::Random random(14);
  const auto c = streaming_cases::plain_case(random, {2, 1, 500, 500, 32, 32});
  c->problem.left = 100;
  c->problem.causal = true;
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    for (const bool pooled : {false, true}) {
      SweepRequest request;
      request.strongest = true;
      if (pooled) request.picture = PooledCells{1, 4};
      const Sweep whole = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
      request.first_head = 1;
      request.rows = {7, 480, 13};
      const Sweep part = sweep(c->problem, request, Work{pool, {}}, nullptr, kernels);
      const auto count = static_cast<std::size_t>(count_rows(request.rows, 500));
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t i = 500 + 7 + 13 * r;
        REQUIRE(part.log_sum_exp.values()[r] == whole.log_sum_exp.values()[i]);
        REQUIRE(part.entropy.values()[r] == whole.entropy.values()[i]);
        REQUIRE(part.strongest[r] == whole.strongest[i]);
        REQUIRE(std::memcmp(part.output.data() + r * 32, whole.output.data() + i * 32, 32 * sizeof(float)) ==
                0);
        if (pooled)
          REQUIRE(std::memcmp(part.max.data() + r * 125, whole.max.data() + i * 125, 125 * sizeof(float)) ==
                  0);
      }
    }
  }
}

namespace {

/// Rows of a sweep with a second pass: 64 of them took 12 milliseconds, four of which were the delay of a
/// stop on a busy machine.
constexpr std::int64_t rows_of_two_passes = 256;

/// A sweep of all rows, or of few rows over all keys whose second pass begins soon.
SweepRequest long_request(bool second_pass) {
  SweepRequest request;
  request.received = second_pass;
  if (second_pass) {
    request.rows = {0, 1024, 1024 / rows_of_two_passes};
    request.output = false;
  }
  return request;
}

double milliseconds_of(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Stops a sweep in the middle of its first or second pass: how many milliseconds later it returned, and
/// whether it had been stopped.
struct Stopped {
  double milliseconds = 0;
  bool cancelled = false;
};
Stopped stop_in_the_middle(const AttentionProblem& problem, const streaming::Kernels* kernels,
                           bool second_pass) {
  ThreadPool pool(2);
  std::stop_source source;
  SweepProgress progress;
  Clock::time_point asked;
  std::jthread other([&] {
    while (progress.total == 0 || (second_pass && progress.done < rows_of_two_passes))
      std::this_thread::yield();
    if (!second_pass) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    asked = Clock::now();
    source.request_stop();
  });
  Stopped stopped;
  try {
    sweep(problem, long_request(second_pass), Work{pool, source.get_token()}, &progress, kernels);
  } catch (const Cancelled&) {
    stopped.cancelled = true;
  }
  const Clock::time_point returned = Clock::now();
  other.join();
  stopped.milliseconds = milliseconds_of(returned - asked);
  return stopped;
}

}  // namespace

TEST_CASE("A stop ends a long sweep in a fraction of its time, with any kernel, in both passes") {
  samples::Random random(15);
  const auto c = streaming_cases::plain_case(random, {1, 1, 1024, 32768, 64, 64});
  for (const streaming::Kernels* kernels : streaming_cases::all_kernels()) {
    for (const bool second_pass : {false, true}) {
      ThreadPool pool(2);
      const Clock::time_point start = Clock::now();
      sweep(c->problem, long_request(second_pass), Work{pool, {}}, nullptr, kernels);
      const double whole = milliseconds_of(Clock::now() - start), most = whole / (second_pass ? 4 : 20);
      // Other programs may suspend this thread or the stopping one, but not in every attempt.
      constexpr int attempts = 20;
      double quickest = whole;
      for (int attempt = 0; attempt < attempts && quickest >= most; ++attempt) {
        const Stopped stopped = stop_in_the_middle(c->problem, kernels, second_pass);
        if (stopped.cancelled) quickest = std::min(quickest, stopped.milliseconds);
      }
      INFO(kernels->name << ", second pass " << second_pass << ": " << quickest << " of " << whole << " ms");
      CHECK(quickest < most);
    }
  }
}

TEST_CASE("Progress goes from nothing to everything") {
  ThreadPool pool(2);
  samples::Random random(16);
  const auto c = streaming_cases::plain_case(random, {2, 1, 200, 100, 8, 8});
  SweepProgress progress;
  CHECK(progress.share() == 0);
  SweepRequest request;
  request.received = true;
  sweep(c->problem, request, Work{pool, {}}, &progress);
  CHECK(progress.total == 2 * (200 + 100));
  CHECK(progress.done == progress.total);
  CHECK(progress.share() == 1);
}

}  // namespace attnscope::streaming_long_test

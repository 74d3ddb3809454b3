// The thread pool: everything is done once, exceptions and stops arrive at the caller.
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"

namespace attnscope::parallel_test {
namespace {
constexpr double long_enough_to_share = 1e6;  // nanoseconds a call, as the caller claims
}

TEST_CASE("Every index is done exactly once, by any number of threads") {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    for (const std::int64_t count : {0, 1, 2, 3, 100}) {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<int> done(static_cast<std::size_t>(count),
                              0);  // not atomic: each is touched by one thread
        pool.parallel_for(count, long_enough_to_share, {},
                          [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
        CHECK(std::accumulate(done.begin(), done.end(), 0) == count);
      }
    }
  }
}

TEST_CASE("Other threads do help when there is enough to do") {
  ThreadPool pool(2);
  std::atomic<int> arrived{0};
  pool.parallel_for(2, long_enough_to_share, {}, [&](std::int64_t) {
    ++arrived;
    arrived.notify_all();
    while (arrived.load() < 2) arrived.wait(1);  // each waits for the other: one thread alone would hang
  });
  CHECK(arrived == 2);
}

TEST_CASE("Small work stays with the caller") {
  ThreadPool pool(4);
  const auto caller = std::this_thread::get_id();
  bool strangers = false;
  pool.parallel_for(100, 10.0, {}, [&](std::int64_t) { strangers |= std::this_thread::get_id() != caller; });
  CHECK(!strangers);
}

TEST_CASE("Stages that follow one another at once are each done once, small and large ones") {
  ThreadPool pool(3);
  std::int64_t sum = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::array<int, 24> done{};
    const double nanoseconds = repeat % 3 == 0 ? 10.0 : repeat % 3 == 1 ? 2e3 : long_enough_to_share;
    pool.parallel_for(24, nanoseconds, {}, [&](std::int64_t i) { done[static_cast<std::size_t>(i)] += 1; });
    sum += std::count(done.begin(), done.end(), 1);
    if (repeat % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // all are asleep again
  }
  CHECK(sum == 2000 * 24);
}

TEST_CASE("An exception of one call reaches the caller and the pool goes on") {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::string message;
    try {
      pool.parallel_for(64, long_enough_to_share, {}, [&](std::int64_t i) {
        if (i == 13) throw Error("unlucky");
      });
    } catch (const Error& error) {
      message = error.what();
    }
    CHECK(message == "unlucky");
  }
  std::atomic<int> done{0};
  pool.parallel_for(64, long_enough_to_share, {}, [&](std::int64_t) { ++done; });
  CHECK(done == 64);
}

TEST_CASE("A stop ends the work early and is told") {
  ThreadPool pool(2);
  std::stop_source source;
  std::atomic<int> done{0};
  CHECK_THROWS_AS(pool.parallel_for(1000, long_enough_to_share, source.get_token(),
                                    [&](std::int64_t i) {
                                      ++done;
                                      if (i == 5) source.request_stop();
                                    }),
                  Cancelled);
  CHECK(done < 1000);
  CHECK_THROWS_AS(pool.parallel_for(3, 1.0, source.get_token(), [](std::int64_t) {}), Cancelled);
}

}  // namespace attnscope::parallel_test

// The thread pool: every item is done once, exceptions and stops reach the caller.
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"

namespace attnscope::parallel_test {
namespace {
constexpr double long_enough_to_share = 1e6;  // nanoseconds a call, as declared
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

TEST_CASE("No more threads work on a call than its caller asks for") {
  ThreadPool pool(4);
  for (const int most : {1, 2, 3}) {
    std::atomic<int> inside{0}, largest{0}, done{0};
    for (int repeat = 0; repeat < 20; ++repeat)
      pool.parallel_for(
          32, long_enough_to_share, {},
          [&](std::int64_t) {
            const int now = ++inside;
            int before = largest;
            while (before < now && !largest.compare_exchange_weak(before, now)) continue;
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            --inside;
            ++done;
          },
          most);
    CHECK(largest <= most);
    CHECK(done == 20 * 32);
  }
  // With two threads the second helps: one alone would hang.
  std::atomic<int> arrived{0};
  const auto both = [&](std::int64_t) {
    ++arrived;
    arrived.notify_all();
    while (arrived.load() < 2) arrived.wait(1);
  };
  pool.parallel_for(2, long_enough_to_share, {}, both, 2);
  CHECK(arrived == 2);
}

TEST_CASE("Work of one thread stays with the caller, however large, and leaves the helpers to others") {
  ThreadPool pool(2);
  const Work alone{.pool = pool, .stop = {}, .most_threads = 1};
  CHECK(alone.threads() == 1);
  CHECK(Work{pool, {}}.threads() == 2);
  const auto caller = std::this_thread::get_id();
  std::atomic<int> arrived{0};
  bool strangers = false;
  alone.for_each(3, long_enough_to_share, [&](std::int64_t) {
    strangers |= std::this_thread::get_id() != caller;
    arrived = 0;
    pool.parallel_for(2, long_enough_to_share, {}, [&](std::int64_t) {
      ++arrived;
      arrived.notify_all();
      while (arrived.load() < 2) arrived.wait(1);
    });
  });
  CHECK_FALSE(strangers);
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

TEST_CASE("Several threads use one pool at a time, and each has all of its own work done once") {
  ThreadPool pool(4);
  constexpr int callers = 3;
  std::array<std::int64_t, callers> sums{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t caller = 0; caller < callers; ++caller)
      threads.emplace_back([&, caller] {
        for (int repeat = 0; repeat < 1500; ++repeat) {
          std::array<int, 24> done{};  // not atomic: each is touched by one thread
          const double nanoseconds = repeat % 3 == 0 ? 10.0 : repeat % 3 == 1 ? 2e3 : long_enough_to_share;
          pool.parallel_for(24, nanoseconds, {},
                            [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
          sums[caller] += std::count(done.begin(), done.end(), 1);
        }
      });
  }
  for (const std::int64_t sum : sums) CHECK(sum == 1500 * 24);
}

TEST_CASE("An exception or a stop of one call does not touch the calls beside it") {
  ThreadPool pool(3);
  std::atomic<int> thrown{0}, stopped{0}, whole{0};
  constexpr int repeats = 300;
  const auto repeated = [](auto once) {
    return std::jthread([once] {
      for (int repeat = 0; repeat < repeats; ++repeat) once();
    });
  };
  {
    const std::jthread throws = repeated([&] {
      try {
        pool.parallel_for(64, long_enough_to_share, {}, [](std::int64_t i) {
          if (i == 13) throw Error("unlucky");
        });
      } catch (const Error& error) {
        thrown += std::string_view(error.what()) == "unlucky" ? 1 : 0;
      }
    });
    const std::jthread stops = repeated([&] {
      std::stop_source source;
      try {
        pool.parallel_for(1000, long_enough_to_share, source.get_token(), [&](std::int64_t i) {
          if (i == 5) source.request_stop();
          // A thread that comes to the stop last of all would find nothing left to be stopped.
          while (i > 5 && !source.stop_requested()) std::this_thread::yield();
        });
      } catch (const Cancelled&) {
        ++stopped;
      }
    });
    const std::jthread goes_on = repeated([&] {
      std::array<int, 64> done{};
      pool.parallel_for(64, long_enough_to_share, {},
                        [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
      whole += std::count(done.begin(), done.end(), 1) == 64 ? 1 : 0;
    });
  }
  CHECK(thrown == repeats);
  CHECK(stopped == repeats);
  CHECK(whole == repeats);
}

TEST_CASE("A long call does not keep the helpers from a short one that comes later") {
  ThreadPool pool(2);
  std::atomic<bool> is_helped{false}, is_over{false};
  std::jthread long_call([&] {
    const auto self = std::this_thread::get_id();
    pool.parallel_for(1'000'000, long_enough_to_share, {}, [&](std::int64_t) {
      if (std::this_thread::get_id() != self) is_helped = true;
      if (!is_over) std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const auto in_time = [&] { return std::chrono::steady_clock::now() < end; };
  while (!is_helped && in_time()) std::this_thread::yield();
  REQUIRE(is_helped);
  std::atomic<int> arrived{0};
  pool.parallel_for(2, long_enough_to_share, {}, [&](std::int64_t) {
    ++arrived;
    while (arrived < 2 && in_time()) std::this_thread::yield();  // one thread alone would wait for ever
    if (arrived == 2 || !in_time()) is_over = true;
  });
  CHECK(in_time());
}

TEST_CASE("A call may be made from within a call") {
  ThreadPool pool(3);
  std::array<std::array<int, 16>, 16> done{};
  pool.parallel_for(16, long_enough_to_share, {}, [&](std::int64_t i) {
    pool.parallel_for(16, long_enough_to_share, {}, [&](std::int64_t j) {
      ++done[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    });
  });
  for (const auto& row : done) CHECK(std::count(row.begin(), row.end(), 1) == 16);
}

TEST_CASE("A pool that has nothing to do takes no processor time") {
  ThreadPool pool(4);
  std::atomic<int> done{0};
  pool.parallel_for(64, long_enough_to_share, {}, [&](std::int64_t) { ++done; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than helpers stay awake
  const auto seconds = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return of(usage.ru_utime) + of(usage.ru_stime);
  };
  const double before = seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(seconds() - before < 0.03);
}

}  // namespace attnscope::parallel_test

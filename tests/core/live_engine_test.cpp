// The engine's thread, with a backend whose pace the test sets. Nothing depends on the machine's speed: the
// tests wait for events, not for time.
#include "core/engine/live_engine.hpp"

#include <atomic>
#include <new>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/samples.hpp"
#include "core/streaming/tile.hpp"
#include "support/wait.hpp"

namespace attnscope::live_engine_test {
namespace {

using namespace std::chrono_literals;

/// Computes nothing real. Each run stops at its first stage until the test lets it go on or its stop token
/// fires.
class PacedBackend final : public Backend {
 public:
  std::string_view name() const override { return "paced"; }

  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    if (stage == Stage::Embed) {
      std::unique_lock lock(mutex_);
      entered_.push_back(document.layer().temperature);
      changed_.notify_all();
      changed_.wait(lock, stop, [this] { return allowed_ > 0; });
      if (stop.stop_requested()) {
        ++stopped_;
        throw Cancelled();
      }
      --allowed_;
      if (fail_ == "memory") throw std::bad_alloc();
      if (!fail_.empty()) throw Error(fail_);
    }
    return real_->run(stage, document, so_far, stop);
  }
  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    real_->on_cpu(stop, fn);
  }
  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    return real_->sweep(problem, request, stop, progress);
  }
  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    return real_->tile(problem, request, known, stop);
  }
  PooledTile pooled_tile(const AttentionProblem& problem, const TileRequest& request,
                         const PooledCells& cells, const Sweep* known, std::stop_token stop) override {
    return real_->pooled_tile(problem, request, cells, known, stop);
  }

  /// Lets that many runs pass, now or later.
  void allow(int runs) {
    const std::lock_guard lock(mutex_);
    allowed_ += runs;
    changed_.notify_all();
  }
  void fail_with(std::string what) {
    const std::lock_guard lock(mutex_);
    fail_ = std::move(what);
  }
  /// Blocks until that many runs have begun.
  void await_runs(std::size_t runs) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_.size() >= runs; });
  }
  std::vector<float> entered() {
    const std::lock_guard lock(mutex_);
    return entered_;
  }
  int stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

 private:
  std::unique_ptr<Backend> real_ = make_cpu_backend(1);
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<float> entered_;  // the temperatures of the Documents whose runs began
  int allowed_ = 0;
  int stopped_ = 0;
  std::string fail_;
};

/// A Document identified by its temperature; its tokens differ as well, so that every run begins with Embed.
Document numbered(int number) {
  samples::Random random(1);
  Document document = samples::text_document(random, {2}, 1, 4);
  document.input.sequences.change()[0].tokens[0] = fmt::format("token{}", number);
  document.layer().temperature = static_cast<float>(number);
  return document;
}

}  // namespace

TEST_CASE("The latest Document wins and what waited before it is never computed") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  CHECK(!engine.busy());
  CHECK(!engine.latest());
  CHECK(engine.submit(numbered(1)) == 1);
  backend->await_runs(1);
  CHECK(engine.busy());
  CHECK(engine.running_for().count() > 0);
  engine.submit(numbered(2));
  engine.submit(numbered(3));
  CHECK(engine.submit(numbered(4)) == 4);
  backend->allow(2);
  engine.wait_idle();
  CHECK(backend->entered() == std::vector<float>{1, 4});
  CHECK(engine.latest()->ticket == 4);
  CHECK(engine.latest()->document.layer().temperature == 4.0f);
  CHECK(engine.latest_good() == engine.latest());
  CHECK(engine.running_for().count() == 0);
  CHECK(engine.progress().total == 0);
}

TEST_CASE("A superseded run that is young finishes and is published") {
  const auto backend = std::make_shared<PacedBackend>();
  std::atomic<int> published{0};
  LiveEngine engine(backend, [&] { ++published; });
  engine.submit(numbered(1));
  backend->await_runs(1);
  engine.submit(numbered(2));
  backend->allow(1);
  backend->await_runs(2);  // the second begins once the first is published
  CHECK(engine.latest()->ticket == 1);
  backend->allow(1);
  engine.wait_idle();
  CHECK(engine.latest()->ticket == 2);
  CHECK(backend->stopped() == 0);
}

TEST_CASE("A superseded run older than a second is stopped and publishes nothing") {
  const auto backend = std::make_shared<PacedBackend>();
  std::vector<std::uint64_t> published;
  LiveEngine* seen = nullptr;
  LiveEngine engine(backend, [&] { published.push_back(seen->latest()->ticket); });
  seen = &engine;
  const auto start = std::chrono::steady_clock::now();
  engine.submit(numbered(1));
  backend->await_runs(1);
  engine.submit(numbered(2));  // the first is never allowed: only its age can end it
  backend->await_runs(2);
  CHECK(std::chrono::steady_clock::now() - start >= 1s);
  CHECK(backend->stopped() == 1);
  CHECK(!engine.latest());
  backend->allow(1);
  engine.wait_idle();
  CHECK(engine.latest()->ticket == 2);
}

TEST_CASE("A run that nothing supersedes may take as long as it likes") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  engine.submit(numbered(1));
  backend->await_runs(1);
  std::this_thread::sleep_for(1200ms);
  CHECK(backend->stopped() == 0);
  CHECK(engine.running_for() > 1.1s);
  engine.submit(numbered(2));  // now it is old already
  backend->await_runs(2);
  CHECK(backend->stopped() == 1);
  backend->allow(1);
  engine.wait_idle();
  CHECK(engine.latest()->ticket == 2);
}

TEST_CASE("An exception becomes a message and the last good result stays") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  backend->allow(4);
  engine.submit(numbered(1));
  engine.wait_idle();
  const ResultPtr good = engine.latest_good();
  REQUIRE(good);

  backend->fail_with("The sky fell.");
  engine.submit(numbered(2));
  engine.wait_idle();
  CHECK(engine.latest()->error == "The sky fell.");
  CHECK(engine.latest()->document.layer().temperature == 2.0f);
  CHECK(engine.latest()->backend == "paced");
  CHECK(engine.latest()->layers.empty());
  CHECK(engine.latest_good() == good);

  backend->fail_with("memory");
  engine.submit(numbered(3));
  engine.wait_idle();
  CHECK(engine.latest()->error.starts_with("There is not enough memory"));

  backend->fail_with("");
  Document broken = numbered(4);
  broken.layer().heads = 3;
  engine.submit(broken);  // refused by check(), never reaches the backend
  engine.wait_idle();
  CHECK(engine.latest()->error.starts_with("d_model 4 cannot be split over 3 heads"));
  CHECK(engine.latest_good() == good);

  engine.submit(numbered(5));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest_good()->ticket == 5);
}

TEST_CASE("Cancel stops the run and says so") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  engine.cancel();  // nothing to cancel
  engine.submit(numbered(1));
  backend->await_runs(1);
  engine.cancel();
  engine.wait_idle();
  CHECK(engine.latest()->error == "Cancelled");
  CHECK(engine.latest()->document.layer().temperature == 1.0f);
  CHECK(backend->stopped() == 1);

  engine.submit(numbered(2));
  backend->await_runs(2);
  engine.submit(numbered(3));
  engine.cancel();  // both: the running one publishes nothing, the waiting one is cancelled
  engine.wait_idle();
  CHECK(engine.latest()->error == "Cancelled");
  CHECK(engine.latest()->ticket == 3);
  CHECK(backend->entered() == std::vector<float>{1, 2});

  backend->allow(1);
  engine.submit(numbered(4));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest_good()->ticket == 4);
}

TEST_CASE("The engine may be destroyed while it computes") {
  const auto backend = std::make_shared<PacedBackend>();
  std::atomic<int> published{0};
  {
    LiveEngine engine(backend, [&] { ++published; });
    engine.submit(numbered(1));
    backend->await_runs(1);
    engine.submit(numbered(2));
  }
  CHECK(backend->entered() == std::vector<float>{1});
  CHECK(backend->stopped() == 1);
  CHECK(published == 0);
  { const LiveEngine idle(backend); }
}

TEST_CASE("A listener that is told of a result finds the engine idle") {
  const auto backend = std::make_shared<PacedBackend>();
  std::atomic<int> published{0}, busy{0};
  std::atomic<LiveEngine*> self{nullptr};
  LiveEngine engine(backend, [&] {
    if (self.load()->busy()) ++busy;
    ++published;
    published.notify_all();
  });
  self = &engine;
  backend->allow(50);
  for (int i = 1; i <= 50; ++i) {
    engine.submit(numbered(i));
    published.wait(i - 1);
  }
  CHECK(busy == 0);
  CHECK(published == 50);
}

TEST_CASE("Under a storm of edits nothing is published out of order and the last one arrives") {
  std::atomic<std::uint64_t> newest{0};
  std::atomic<bool> out_of_order{false};
  std::atomic<LiveEngine*> self{nullptr};
  LiveEngine engine(make_cpu_backend(2), [&] {
    const std::uint64_t ticket = self.load()->latest()->ticket;
    if (ticket < newest.exchange(ticket)) out_of_order = true;
  });
  self = &engine;
  std::vector<std::jthread> hands;
  for (int hand = 0; hand < 3; ++hand) {
    hands.emplace_back([&engine, hand] {
      for (int i = 0; i < 200; ++i) {
        Document document = numbered(1 + i % 7);
        if (i % 11 == 0) document.layer().heads = 3;  // some Documents are invalid
        engine.submit(std::move(document));
        if (i % 37 == hand) engine.cancel();
        const ResultPtr result = engine.latest();
        if (result && result->error.empty() && !result->layer().trace[Stage::Output])
          throw Error("a torn result");
      }
    });
  }
  hands.clear();
  const std::uint64_t last = engine.submit(numbered(3));
  engine.wait_idle();
  CHECK(engine.latest()->ticket == last);
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->document.layer().temperature == 3.0f);
  CHECK(!out_of_order);
}

TEST_CASE(
    "What is held has a lane of its own: neither lane supersedes the other, what is shown comes first") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  engine.submit(numbered(1));
  backend->await_runs(1);
  const std::uint64_t held = engine.submit(numbered(2), Lane::Held);
  const std::uint64_t shown = engine.submit(numbered(3));
  CHECK(engine.busy(Lane::Held));
  backend->allow(3);
  engine.wait_idle();
  CHECK(backend->entered() == std::vector<float>{1, 3, 2});
  CHECK(backend->stopped() == 0);
  CHECK(engine.latest()->ticket == shown);
  CHECK(engine.latest(Lane::Held)->ticket == held);
  CHECK(engine.latest_good(Lane::Held)->document.layer().temperature == 2.0f);
  engine.forget(Lane::Held);
  CHECK(!engine.latest(Lane::Held));
  CHECK(engine.latest()->ticket == shown);
}

TEST_CASE("Cancel ends both lanes, and another backend computes both anew") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  engine.submit(numbered(1));
  engine.submit(numbered(2), Lane::Held);
  backend->await_runs(1);
  engine.cancel();
  engine.wait_idle();
  CHECK(engine.latest()->error == "Cancelled");
  CHECK(engine.latest(Lane::Held)->error == "Cancelled");
  CHECK(backend->entered() == std::vector<float>{1});

  engine.submit(numbered(3));
  engine.submit(numbered(4), Lane::Held);
  backend->await_runs(2);
  CHECK(engine.use(make_cpu_backend(1)) > 0);
  engine.wait_idle();
  CHECK(engine.latest()->backend == "CPU · 1 thread");
  CHECK(engine.latest(Lane::Held)->backend == "CPU · 1 thread");
  CHECK(engine.latest(Lane::Held)->document.layer().temperature == 4.0f);
}

TEST_CASE("What a lane was told to forget is given back") {
  LiveEngine engine(make_cpu_backend(1));
  engine.submit(numbered(1), Lane::Held);
  engine.wait_idle();
  const std::weak_ptr<const Result> watched = engine.latest(Lane::Held);
  CHECK(!watched.expired());
  engine.forget(Lane::Held);
  CHECK(test::wait_until([&] { return watched.expired(); }));
}

TEST_CASE(
    "What a forgotten lane runs is stopped, what waits in it is dropped, and it goes on with what comes") {
  const auto backend = std::make_shared<PacedBackend>();
  LiveEngine engine(backend);
  engine.submit(numbered(1), Lane::Held);
  backend->await_runs(1);
  engine.submit(numbered(2), Lane::Held);
  engine.forget(Lane::Held);
  engine.wait_idle();
  CHECK(backend->entered() == std::vector<float>{1});
  CHECK(backend->stopped() == 1);
  CHECK(!engine.latest(Lane::Held));
  CHECK(engine.use(make_cpu_backend(1)) == 0);  // nothing has to be computed again
  engine.wait_idle();
  CHECK(!engine.latest(Lane::Held));
  engine.submit(numbered(3), Lane::Held);
  engine.wait_idle();
  CHECK(engine.latest(Lane::Held)->document.layer().temperature == 3.0f);
}

TEST_CASE("A result that is let go is given back by the worker, between runs") {
  LiveEngine engine(make_cpu_backend(1));
  auto result = std::make_shared<const Result>();
  const std::weak_ptr<const Result> watched = result;
  engine.give_back(std::move(result));
  CHECK(test::wait_until([&] { return watched.expired(); }));
  engine.submit(numbered(1));  // and it goes on
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
}

}  // namespace attnscope::live_engine_test

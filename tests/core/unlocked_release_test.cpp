// Locks of the worker and of the engines are short: no foreign object is destroyed while one is held. The
// objects destroyed here use, from another thread, what the lock guards, and note whether that returns.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/worker.hpp"
#include "core/engine/live_engine.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/opened_models.hpp"
#include "core/samples.hpp"
#include "core/streaming/tile.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::unlocked_release_test {
namespace {

/// Long enough for a thread to be scheduled; only a test that fails waits for it.
constexpr std::chrono::seconds patience{10};

/// Calls a function on its own thread and waits some time for the answer. What the function uses must outlive
/// this.
class Asker {
 public:
  explicit Asker(std::function<void()> ask) : ask_(std::move(ask)) {}
  void ask() {
    if (asked > answered) return;  // one wait is enough to fail
    std::promise<void> heard;
    const std::future<void> answer = heard.get_future();
    threads_.emplace_back([this, heard = std::move(heard)]() mutable {
      ask_();
      heard.set_value();
    });
    ++asked;
    if (answer.wait_for(patience) == std::future_status::ready) ++answered;
  }
  std::atomic<int> asked{0}, answered{0};

 private:
  std::function<void()> ask_;
  std::vector<std::jthread> threads_;
};

/// Waits in the worker until the worker is destroyed.
class Last final : public Job {
 public:
  explicit Last(std::shared_ptr<Asker> asker) : asker_(std::move(asker)) {}
  ~Last() override { asker_->ask(); }
  bool step() override { return false; }

 private:
  std::shared_ptr<Asker> asker_;
};

/// Computes, and calls `gone` when the embeddings of a run are destroyed.
class WatchedBackend final : public Backend {
 public:
  explicit WatchedBackend(std::function<void()> gone) : gone_(std::move(gone)) {}
  std::string_view name() const override { return "watched"; }
  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    TensorPtr made = real_->run(stage, document, so_far, stop);
    if (stage != Stage::Embed) return made;
    const Tensor* const tensor = made.get();
    return {tensor, [kept = std::move(made), gone = gone_](const Tensor*) { gone(); }};
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

 private:
  std::shared_ptr<Backend> real_ = make_cpu_backend(1);
  std::function<void()> gone_;
};

Document numbered(int number) {
  samples::Random random(1);
  Document document = samples::text_document(random, {2}, 1, 4);
  document.input.sequences.change()[0].tokens[0] = fmt::format("token{}", number);
  return document;
}

}  // namespace

TEST_CASE("A worker that goes away lets the jobs go that still wait, without its lock") {
  auto worker = std::make_unique<Worker>();
  Worker* const asked = worker.get();
  const auto asker = std::make_shared<Asker>([asked] { asked->is_busy(); });
  std::promise<void> begun;
  worker->add(std::make_shared<Task<int>>([&](const std::stop_token& stop, NoProgress&) {
    begun.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
    return 0;
  }));
  begun.get_future().wait();
  for (int lane = 0; lane < Worker::most_lanes; ++lane) worker->add(std::make_shared<Last>(asker), lane);
  worker.reset();
  CHECK(asker->asked == Worker::most_lanes);
  CHECK(asker->answered == Worker::most_lanes);
}

TEST_CASE("A result is destroyed without the engine's lock when the next one is published") {
  std::unique_ptr<LiveEngine> engine;
  Asker asker([&] { engine->latest(); });
  std::atomic<bool> is_over{false};
  engine = std::make_unique<LiveEngine>(std::make_shared<WatchedBackend>([&] {
    if (!is_over) asker.ask();
  }));
  for (int i = 0; i < 3; ++i) {
    engine->submit(numbered(i));
    engine->wait_idle();
    CHECK(engine->latest()->error.empty());
  }
  CHECK(asker.asked == 2);  // the last one is still shown
  CHECK(asker.answered == 2);
  is_over = true;
  engine.reset();
}

TEST_CASE("A backend that never computed is destroyed without the engine's lock") {
  LiveEngine engine(make_cpu_backend(1));
  Asker asker([&] { engine.backend(); });
  std::shared_ptr<Backend> second = make_cpu_backend(1);
  Backend* const plain = second.get();
  engine.use({plain, [kept = std::move(second), &asker](Backend*) { asker.ask(); }});
  CHECK(asker.asked == 0);
  engine.use(make_cpu_backend(1));
  CHECK(asker.asked == 1);
  CHECK(asker.answered == 1);
}

TEST_CASE("A model that is closed is destroyed without the engine's lock", "[models]") {
  const test::TemporaryDirectory directory;
  ModelEngine engine({}, 1);
  Asker asker([&] { engine.latest(); });
  const OpenedModelPtr next = opened_models::small_gpt(directory / "gpt");
  OpenedModelPtr first = opened_models::small_gpt(directory / "first");
  const OpenedModel* const plain = first.get();
  OpenedModelPtr watched(plain, [kept = std::move(first), &asker](const OpenedModel*) { asker.ask(); });
  engine.submit(opened_models::within_of(watched, ""));  // refused, so that no good reading keeps the model
  engine.wait_idle();
  REQUIRE_FALSE(engine.latest()->error.empty());
  watched.reset();
  engine.submit({});
  engine.wait_idle();
  CHECK(asker.asked == 0);  // the engine's work on it is still there
  engine.submit(opened_models::within_of(next, "abc"));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(asker.asked == 1);
  CHECK(asker.answered == 1);
}

}  // namespace attnscope::unlocked_release_test

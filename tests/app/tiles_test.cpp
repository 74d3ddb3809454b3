// Tiles without a window: the shown result may change at any time, and a stop callback may call back.
#include "app/results/tiles.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"
#include "core/streaming/tile.hpp"

namespace attnscope::tiles_test {
namespace {

using namespace std::chrono_literals;

/// Q, K and V of more scores than can be kept.
ResultPtr long_result(std::int64_t heads, std::int64_t tokens, std::uint64_t ticket) {
  samples::Random random(5);
  Document document;
  document.layer().positions = Positions::None;
  document.input.change<Given>().query = random.tensor({1, heads, tokens, 4});
  document.input.change<Given>().key = random.tensor({1, heads, tokens, 4});
  document.input.change<Given>().value = random.tensor({1, heads, tokens, 4});
  document.layer().masking.causal = true;
  auto result = std::make_shared<Result>(*Pipeline(make_cpu_backend(1)).run(document));
  result->ticket = ticket;
  REQUIRE(result->layer().is_long());
  return result;
}

/// A CPU backend whose tiles do not end until they are stopped.
class Halting final : public Backend {
 public:
  explicit Halting(std::function<void()> on_stop) : on_stop_(std::move(on_stop)) {}
  void await_tile() const { halted_.wait(false); }

  std::string_view name() const override { return "Halting"; }
  TensorPtr run(Stage stage, const Document& document, const Trace& so_far, std::stop_token stop) override {
    return real_->run(stage, document, so_far, std::move(stop));
  }
  void on_cpu(std::stop_token stop, const std::function<void(const Work&)>& fn) override {
    real_->on_cpu(std::move(stop), fn);
  }
  Sweep sweep(const AttentionProblem& problem, const SweepRequest& request, std::stop_token stop,
              SweepProgress* progress) override {
    return real_->sweep(problem, request, std::move(stop), progress);
  }
  Tensor tile(const AttentionProblem& problem, const TileRequest& request, const Sweep* known,
              std::stop_token stop) override {
    return real_->tile(problem, request, known, std::move(stop));
  }
  PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&, const Sweep*,
                         std::stop_token stop) override {
    std::atomic<bool> is_stopped{false};
    const std::stop_callback back(stop, [&] {
      on_stop_();
      is_stopped = true;
      is_stopped.notify_all();
    });
    halted_ = true;
    halted_.notify_all();
    is_stopped.wait(false);
    throw Cancelled();
  }

 private:
  std::unique_ptr<Backend> real_ = make_cpu_backend(1);
  std::function<void()> on_stop_;
  std::atomic<bool> halted_{false};
};

}  // namespace

TEST_CASE("tiles: what is called back when one is stopped finds them unlocked") {
  const ResultPtr first = long_result(8, 2111, 1), second = long_result(8, 2111, 2);
  Tiles tiles;
  std::future<bool> asked;  // by another thread, since a callback may wait for the one that asks
  bool was_answered = false;
  const auto halting = std::make_shared<Halting>([&] {
    asked = std::async(std::launch::async, [&] { return tiles.is_busy(); });
    was_answered = asked.wait_for(5s) == std::future_status::ready;
  });
  tiles.show(first, halting);
  tiles.want(TilePlace{});
  tiles.end_frame();
  halting->await_tile();
  tiles.show(second);
  CHECK(was_answered);
}

TEST_CASE("tiles: of results that change while they are made, only those of the last are there") {
  const ResultPtr many = long_result(10, 2111, 1), few = long_result(8, 2111, 2);
  Tiles tiles;
  const auto want_all = [&](std::int64_t heads) {
    for (std::int64_t head = 0; head < heads; ++head) tiles.want(TilePlace{.head = head, .level = 1});
    tiles.want(RowPlace{.head = heads - 1, .query = 2000});
    tiles.want(LinesPlace{.head = heads - 1});
    tiles.end_frame();
  };
  for (int round = 0; round < 20; ++round) {
    tiles.show(round % 2 == 0 ? many : few);
    for (int frame = 0; frame <= round % 3; ++frame) want_all(round % 2 == 0 ? 10 : 8);
    if (round % 4 == 1) std::this_thread::sleep_for(2ms);
  }
  const TilePlace last{.head = 7, .level = 1};
  for (int i = 0; i < 5000 && !tiles.find(last); ++i) {
    want_all(8);
    std::this_thread::sleep_for(2ms);
  }
  const auto made = tiles.find(last);
  REQUIRE(made);
  CHECK_FALSE(tiles.find(TilePlace{.head = 9, .level = 1}));
  ThreadPool alone(1);
  const WeightTile exact = make_tile(*few->layer().surveys[0], last, nullptr, Work{alone, {}});
  CHECK(made->max == exact.max);
  CHECK(made->mean == exact.mean);
  for (int i = 0; i < 5000 && tiles.is_busy(); ++i) std::this_thread::sleep_for(2ms);
  CHECK_FALSE(tiles.is_busy());
  CHECK(tiles.take_error().empty());
}

}  // namespace attnscope::tiles_test

// What crosses between the computer and the card: results when they are read, operands once. Bytes are
// counted on cards that compute nothing where the numbers do not matter.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/engine/live_engine.hpp"
#include "core/engine/overview.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"
#include "core/streaming/tile.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/emulated_device.hpp"

namespace attnscope::crossing_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;

/// A pipeline on a card that can be asked, also when the pipeline is gone.
struct OnCard {
  EmulatedDevice* card;
  std::optional<Pipeline> pipeline;
  explicit OnCard(gpu::CardSettings settings = {}, bool hollow = false) {
    auto device = std::make_unique<EmulatedDevice>(Schedule::Lazy);
    card = device.get();
    card->is_hollow = hollow;
    if (hollow) card->facts_.memory = std::size_t{80} << 30;
    pipeline.emplace(gpu::make_card_backend(std::move(device), settings));
  }
  std::size_t crossed() const { return card->uploaded() + card->downloaded(); }
  /// Bytes that cross while something is done.
  std::size_t bytes_of(const std::function<void()>& done) const {
    const std::size_t before = crossed();
    done();
    return crossed() - before;
  }
};

Document text(std::int64_t tokens = 40) {
  samples::Random random(5);
  return samples::text_document(random, {tokens}, 4, 32);
}

/// Heads of 64 numbers that are zero: only their place matters.
Document given(std::int64_t heads, std::int64_t tokens) {
  samples::Random random(6);
  const auto zeros = [&] { return std::make_shared<const Tensor>(Shape{1, heads, tokens, 64}); };
  return samples::given_document(zeros(), zeros(), zeros());
}

constexpr std::size_t megabyte = 1'000'000;

}  // namespace

TEST_CASE("A result comes from the card a head at a time, when it is read", "[crossing]") {
  OnCard on;
  const ResultPtr result = on.pipeline->run(text());
  const Tensor& scores = *result->layer().trace[Stage::Score];
  const auto plane = static_cast<std::size_t>(scores.shape()[2] * scores.shape()[3]) * sizeof(float);
  CHECK(on.bytes_of([&] { scores.matrix(0, 1); }) == plane);
  CHECK(on.bytes_of([&] { scores.matrix(0, 1); }) == 0);
  CHECK(on.bytes_of([&] { scores.matrix(0, 3); }) == plane);
  CHECK(on.bytes_of([&] { scores.values(); }) == 2 * plane);
  CHECK(on.bytes_of([&] { scores.values(); }) == 0);
  // Each head's numbers are its own.
  const Tensor copy = scores;
  const ResultPtr on_cpu = Pipeline(std::shared_ptr<Backend>(make_cpu_backend(1))).run(text());
  const Tensor& expected = *on_cpu->layer().trace[Stage::Score];
  REQUIRE(copy.shape() == expected.shape());
  for (std::int64_t i = 0; i < copy.size(); ++i)
    REQUIRE(std::abs(copy.data()[i] - expected.data()[i]) < 1e-4f);
}

TEST_CASE("A result outlives the backend that made it", "[crossing]") {
  OnCard on;
  const ResultPtr result = on.pipeline->run(text());
  on.pipeline.reset();
  const auto weights = result->layer().trace[Stage::Softmax]->matrix(0, 2);
  for (Eigen::Index i = 0; i < weights.rows(); ++i) CHECK(std::abs(weights.row(i).sum() - 1) < 1e-5f);
}

TEST_CASE("What a card cannot send any more is no number, and reading it throws nothing", "[crossing]") {
  OnCard on;
  const ResultPtr result = on.pipeline->run(text());
  const Tensor& scores = *result->layer().trace[Stage::Score];
  CHECK(std::isfinite(scores.matrix(0, 0)(1, 1)));
  on.card->fails = true;
  CHECK(std::isnan(scores.matrix(0, 1)(1, 1)));
  CHECK(std::isfinite(scores.matrix(0, 0)(1, 1)));
  CHECK(std::isnan(scores.values().back()));
}

TEST_CASE("Biases of distances cross as a number for each distance", "[crossing]") {
  OnCard on;
  Document document = text(64);
  on.pipeline->run(document);
  document.layer().positions = Positions::Alibi;
  const std::size_t before = on.card->uploaded();
  const ResultPtr result = on.pipeline->run(document);
  const std::size_t plane = 64 * 64 * sizeof(float);
  CHECK(on.card->uploaded() - before < plane);
  const Tensor& bias = *result->layer().trace[Stage::Bias];
  CHECK(bias.matrix(0, 1)(40, 3) == bias.matrix(0, 1)(3, 40));
  CHECK(bias.matrix(0, 1)(40, 3) < 0);
}

TEST_CASE("A card that another backend takes over from gives back what it kept", "[crossing]") {
  auto device = std::make_unique<EmulatedDevice>(Schedule::Lazy);
  EmulatedDevice& card = *device;
  const std::shared_ptr<Backend> on_card = gpu::make_card_backend(std::move(device), {});
  const std::shared_ptr<Backend> cpu = make_cpu_backend(1);
  LiveEngine engine(on_card, {}, cpu);
  engine.submit(text());
  engine.wait_idle();
  const std::size_t held = card.allocated();
  CHECK(card.trims == 0);
  engine.use(cpu);
  engine.wait_idle();
  CHECK(card.trims == 1);
  CHECK(card.allocated() < held);
}

TEST_CASE("Results make room on a full card and keep their numbers", "[crossing]") {
  OnCard on;
  const ResultPtr first = on.pipeline->run(text());
  const Tensor expected = *first->layer().trace[Stage::Scale];
  Document other = text();
  other.layer().temperature = 2;
  on.card->facts_.memory = on.card->allocated() + 1000;
  on.pipeline->run(other);
  const std::size_t before = on.card->downloaded();
  CHECK(*first->layer().trace[Stage::Scale] == expected);
  CHECK(on.card->downloaded() == before);  // they were here already
  // A stage that needs them again takes them back.
  other.layer().scaling.kind = Scaling::Kind::Off;
  const ResultPtr third = on.pipeline->run(other);
  const ResultPtr on_cpu = Pipeline(std::shared_ptr<Backend>(make_cpu_backend(1))).run(other);
  const Tensor &found = *third->layer().trace[Stage::Softmax],
               &wanted = *on_cpu->layer().trace[Stage::Softmax];
  for (std::int64_t i = 0; i < found.size(); ++i)
    REQUIRE(std::abs(found.data()[i] - wanted.data()[i]) < 1e-5f);
}

TEST_CASE("A slider step of 12 heads of 16,384 tokens stays within its bytes", "[crossing]") {
  gpu::CardSettings settings;
  settings.moment_pairs = std::int64_t{1} << 40;
  OnCard on(settings, true);
  Document document = given(12, 16'384);
  on.pipeline->run(document);
  const auto step = [&](const std::function<void(LayerSpec&)>& change) {
    change(document.layer());
    return on.bytes_of([&] {
      const ResultPtr result = on.pipeline->run(document);
      REQUIRE(result->is_complete());
      // What views read: numbers of every row of every head, and the picture of the one that is looked at.
      const Sweep& known = result->layer().surveys[0]->known;
      for (const Tensor* tensor : {&known.entropy, &known.largest, &known.received}) tensor->values();
      known.log_sum_exp.values();
      known.largest_cells().matrix(3);
      known.mean.matrix(3);
    });
  };
  CHECK(step([](LayerSpec& layer) { layer.temperature = 0.5f; }) < 16 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.scaling.kind = Scaling::Kind::Off; }) < 16 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.masking.causal = true; }) < 16 * megabyte);
}

TEST_CASE("A tile of 131,072 tokens sends one tile, of a head that was not looked at before, too",
          "[crossing]") {
  OnCard on({}, true);
  const Document document = given(2, 131'072);
  const ResultPtr result = on.pipeline->run(document);
  const AttentionProblem& problem = result->layer().surveys[0]->problem();
  for (const std::int64_t head : {0, 1}) {
    TileRequest request;
    request.head = head;
    request.rows = {70'000, 71'000, 1};
    request.first_key = 40'000;
    request.last_key = 41'000;
    CHECK(on.bytes_of([&] { on.pipeline->backend()->tile(problem, request, nullptr, {}).values(); }) <
          4 * megabyte + 4096);
  }
}

TEST_CASE("A second backend of the same card reads what the first left there", "[crossing]") {
  OnCard first({}, true), second({}, true);
  samples::Random random(7);
  const Document document = samples::text_document(random, {20'000}, 2, 128);
  const ResultPtr result = first.pipeline->run(document);
  const AttentionProblem& problem = result->layer().surveys[0]->problem();
  TileRequest request;
  request.rows = {0, 100, 1};
  request.last_key = 100;
  second.pipeline->backend()->tile(problem, request, nullptr, {});
  CHECK(second.card->uploaded() == 0);
  // And it may still do so when the first is gone.
  first.pipeline.reset();
  second.pipeline->backend()->tile(problem, request, nullptr, {});
  CHECK(second.card->uploaded() == 0);
}

TEST_CASE("A slider step of 12 heads of 1,024 tokens sends measures, small pictures and the head looked at",
          "[crossing]") {
  OnCard on({}, true);
  Document document = given(12, 1024);
  on.pipeline->run(document);
  const auto step = [&](const std::function<void(LayerSpec&)>& change) {
    change(document.layer());
    return on.bytes_of([&] {
      const ResultPtr result = on.pipeline->run(document);
      result->layer().trace[Stage::Softmax]->matrix(0, 5);
      result->layer().overview->values();  // the pictures of all heads
    });
  };
  CHECK(step([](LayerSpec& layer) { layer.temperature = 0.5f; }) < 8 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.scaling.kind = Scaling::Kind::Off; }) < 8 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.masking.causal = true; }) < 8 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.soft_cap = 5; }) < 8 * megabyte);
  CHECK(step([](LayerSpec& layer) { layer.masking.window.left = 100; }) < 8 * megabyte);
}

TEST_CASE("An overview made on the card is that of the CPU, wherever numbers are none", "[crossing]") {
  samples::Random random(9);
  Tensor query = *random.tensor({1, 2, 300, 4});
  query.matrix(0, 1)(270, 2) = std::numeric_limits<float>::quiet_NaN();
  Document document = samples::given_document(std::make_shared<const Tensor>(query),
                                              random.tensor({1, 2, 290, 4}), random.tensor({1, 2, 290, 4}));
  document.layer().masking.causal = true;
  OnCard on;
  const ResultPtr result = on.pipeline->run(document);
  const TensorPtr& overview = result->layer().overview;
  REQUIRE(overview != nullptr);
  const Tensor expected = overview_of(*result->layer().trace[Stage::Softmax]);
  REQUIRE(overview->shape() == expected.shape());
  int none = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    const float a = overview->values()[i], b = expected.values()[i];
    none += std::isnan(b) ? 1 : 0;
    REQUIRE((a == b || (std::isnan(a) && std::isnan(b))));
  }
  CHECK(none > 50);
}

TEST_CASE("Tensors that are made ready on a card have to leave it where it is full", "[crossing]") {
  samples::Random random(10);
  const auto numbers = [&] { return random.tensor({1, 4, 200, 32}); };
  const TensorPtr query = numbers(), key = numbers(), value = numbers();
  const std::size_t whole = 4 * 200 * 32 * sizeof(float);
  AttentionProblem problem;
  problem.heads = problem.kv_heads = 4;
  problem.queries = problem.keys = 200;
  problem.d_k = problem.d_v = 32;
  problem.query = HeadRows::of(query), problem.key = HeadRows::of(key), problem.value = HeadRows::of(value);
  gpu::CardSettings settings;
  settings.bfloat_from = 0;  // they are not taken as they are
  OnCard roomy(settings);
  const Sweep expected = roomy.pipeline->backend()->sweep(problem, {}, {}, nullptr);
  const std::size_t most = roomy.card->most_allocated();
  for (const std::size_t less : {whole, 2 * whole}) {
    OnCard narrow(settings);
    narrow.card->facts_.memory = most - less;
    const Sweep found = narrow.pipeline->backend()->sweep(problem, {}, {}, nullptr);
    CHECK(found.output == expected.output);
    CHECK(found.entropy == expected.entropy);
  }
}

TEST_CASE("That the CPU swept for a card is still said when everything is known", "[crossing]") {
  samples::Random random(11);
  const auto numbers = [&](std::int64_t d) { return random.tensor({1, 1, 6000, d}); };
  const Document document = samples::given_document(numbers(130), numbers(130), numbers(4));
  OnCard on;
  ResultPtr result = on.pipeline->run(document);
  REQUIRE(result->layer().is_long());
  CHECK(result->backend_note.find("The CPU swept them.") != std::string::npos);
  while (on.pipeline->can_refine()) result = on.pipeline->refine();
  CHECK(result->backend_note.find("The CPU swept them.") != std::string::npos);
  result = on.pipeline->run(text());
  CHECK(result->backend_note.empty());
}

}  // namespace attnscope::crossing_test

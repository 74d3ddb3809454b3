// Stages of short Documents on an emulated card against the float64 oracle: any Document at all.
#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/base/error.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/emulated_device.hpp"
#include "support/seeds.hpp"

namespace attnscope::stages_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;

/// Every pass of one computation is counted.
struct Counted {
  int products = 0, masks = 0, softmaxes = 0, measures = 0;
  void count(const gpu::AnyPass& pass) {
    products += std::holds_alternative<gpu::ProductPass>(pass) ? 1 : 0;
    masks += std::holds_alternative<gpu::MaskPass>(pass) ? 1 : 0;
    measures += std::holds_alternative<gpu::MeasurePass>(pass) ? 1 : 0;
    softmaxes += std::holds_alternative<gpu::SoftmaxPass>(pass) ? 1 : 0;
  }
};

}  // namespace

TEST_CASE("Every stage of any Document on a card is what the oracle says, on matrix units too") {
  Counted counted;
  for (std::uint64_t index = 0; index < 200; ++index) {
    samples::Random random(seeds::of_case("stages on a card", index));
    const Document document = samples::any_document(random);
    auto device =
        std::make_unique<EmulatedDevice>(index % 2 == 0 ? Schedule::Lazy : Schedule::Adversarial, index);
    device->on_launch = [&](const gpu::AnyPass& pass) { counted.count(pass); };
    gpu::CardSettings settings;
    if (index >= 130) settings.split_from = 0;
    const ResultPtr found = Pipeline(gpu::make_card_backend(std::move(device), settings)).run(document);
    INFO("case " << index);
    // Float32, as on the CPU: the sums behind a number are in another order, no longer. Split, each factor is
    // rounded to 2^-18, and scores are products of products.
    REQUIRE(against_oracle::difference(document, found->layer().trace,
                                       against_oracle::expected(document, found->layer().trace),
                                       index < 130 ? 1e-5 : 4e-5) == "");
    if (index >= 130) continue;
    // What is read off the weights is as exact as they are.
    REQUIRE(against_oracle::measures_difference(document, found->layer().trace, found->layer().measures,
                                                against_oracle::expected(document, found->layer().trace)) ==
            "");
  }
  CHECK(counted.measures > 10);

  // Not everything went to the CPU.
  CHECK(counted.products > 300);
  CHECK(counted.masks > 30);
  CHECK(counted.softmaxes > 75);
}

TEST_CASE("Each sequence of its own length has its own biases on the card") {
  samples::Random random(8);
  Document document = samples::given_document(random.tensor({3, 2, 4, 5}), random.tensor({3, 2, 6, 5}),
                                              random.tensor({3, 2, 6, 5}));
  document.input.change<Given>().lengths = {6, 4, 5};  // the last query stands at the last of these keys
  document.layer().positions = Positions::Alibi;
  document.layer().masking.causal = true;
  Counted counted;
  auto device = std::make_unique<EmulatedDevice>(Schedule::Lazy);
  device->on_launch = [&](const gpu::AnyPass& pass) { counted.count(pass); };
  const ResultPtr found = Pipeline(gpu::make_card_backend(std::move(device))).run(document);
  const Trace& trace = found->layer().trace;
  CHECK(against_oracle::difference(document, trace, against_oracle::expected(document, trace), 1e-5) == "");
  CHECK(counted.masks > 0);
}

TEST_CASE("A stage reads what the stage before left on the card, without sending it there again") {
  auto device = std::make_unique<EmulatedDevice>(Schedule::Lazy);
  EmulatedDevice& card = *device;
  Pipeline pipeline(gpu::make_card_backend(std::move(device)));
  samples::Random random(3);
  Document document = samples::any_given_document(random);
  document.input.change<Given>().past_key = document.input.change<Given>().past_value = nullptr;
  document.layer().masking = {};
  document.layer().positions = Positions::None;
  document.precision = Precision::Float32;
  document.layer().weights[Parameter::BiasK] = document.layer().weights[Parameter::BiasV] = nullptr;
  document.layer().add_zero_attn = false;
  document.layer().linear = false;
  document.layer().softmax = SoftmaxKind::Stable;
  document.layer().interventions = {};
  document.layer().dropout = {};
  document.layer().soft_cap = 0;
  const ResultPtr first = pipeline.run(document);
  const Given& given = document.input.given();
  const std::size_t numbers =
      static_cast<std::size_t>(given.query->size() + given.key->size() + given.value->size()) * sizeof(float);
  CHECK(card.uploaded() >= numbers);
  CHECK(card.uploaded() <= numbers + 4096);  // intervals of keys
  // The scale slider: scores are there already.
  const std::size_t before = card.uploaded();
  document.layer().scaling.kind = Scaling::Kind::Off;
  const ResultPtr second = pipeline.run(document);
  CHECK(second->layer().trace[Stage::Score] == first->layer().trace[Stage::Score]);
  CHECK(card.uploaded() - before <= 4096);
}

}  // namespace attnscope::stages_test

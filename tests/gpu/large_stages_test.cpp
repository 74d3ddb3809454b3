// Stages of Documents that are larger than a tile in every direction, on an emulated card against the float64
// oracle.
#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/emulated_device.hpp"

namespace attnscope::large_stages_test {

TEST_CASE("Stages of a Document larger than a tile are what the oracle says") {
  for (const auto schedule : {emulator::Schedule::Lazy, emulator::Schedule::Adversarial}) {
    samples::Random random(31);
    Document document = samples::text_document(random, {100, 70}, 2, 160);
    document.layer().masking.causal = schedule == emulator::Schedule::Lazy;
    for (const bool split : {false, true}) {
      auto device = std::make_unique<emulator::EmulatedDevice>(schedule);
      int measured = 0;
      device->on_launch = [&](const gpu::AnyPass& pass) {
        measured += std::holds_alternative<gpu::MeasurePass>(pass) ? 1 : 0;
      };
      gpu::CardSettings settings;
      if (split) settings.split_from = 0;
      const ResultPtr found = Pipeline(gpu::make_card_backend(std::move(device), settings)).run(document);
      INFO(split);
      // Split, each factor is rounded to 2^-18, and scores are products of products.
      REQUIRE(against_oracle::difference(document, found->layer().trace,
                                         against_oracle::expected(document, found->layer().trace),
                                         split ? 4e-5 : 1e-5) == "");
      if (split) continue;
      REQUIRE(against_oracle::measures_difference(document, found->layer().trace, found->layer().measures,
                                                  against_oracle::expected(document, found->layer().trace)) ==
              "");
      CHECK(measured == 1);
    }
  }
}

TEST_CASE(
    "What windows drop is measured on the card, with biases, padding and heads that follow no pattern") {
  for (const bool causal : {false, true}) {
    samples::Random random(32);
    Document document = samples::text_document(random, {60, 45}, 2, 32);
    document.layer().positions = Positions::Alibi;
    document.layer().masking.causal = causal;
    document.layer().masking.padding = true;
    document.layer().masking.window = {9, 4};
    document.layer().masking.heads = {1};
    auto device = std::make_unique<emulator::EmulatedDevice>(emulator::Schedule::Adversarial);
    int measured = 0;
    device->on_launch = [&](const gpu::AnyPass& pass) {
      measured += std::holds_alternative<gpu::MeasurePass>(pass) ? 1 : 0;
    };
    const ResultPtr found = Pipeline(gpu::make_card_backend(std::move(device))).run(document);
    const Trace& trace = found->layer().trace;
    INFO(causal);
    CHECK(measured == 1);
    CHECK(against_oracle::measures_difference(document, trace, found->layer().measures,
                                              against_oracle::expected(document, trace)) == "");
    CHECK(found->layer().measures.head(0, 1).dropped > 0.05);
    CHECK(found->layer().measures.head(0, 0).dropped == 0);
  }
}

}  // namespace attnscope::large_stages_test

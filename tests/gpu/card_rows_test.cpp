// Models on the emulated card: against transformers and against the CPU, and what crosses when a person
// types.
#include "gpu/card_rows.hpp"

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/document/attention_settings.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_again.hpp"
#include "core/small_models.hpp"
#include "core/transformers_goldens.hpp"
#include "gpu/emulated_device.hpp"
#include "gpu/rows_on_card.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::card_rows_test {
namespace {

namespace fs = std::filesystem;
using emulator::EmulatedDevice;
using emulator::Schedule;
using rows_on_card::Card;

/// The largest difference of two runs, as a share of the largest number of its kind.
class Difference {
 public:
  void of(const KeptRows& a, const KeptRows& b) {
    REQUIRE(a.values.size() == b.values.size());
    add(a.values, b.values);
  }
  void of(const Tensor& a, const Tensor& b) {
    REQUIRE(a.shape() == b.shape());
    add(a.values(), b.values());
  }
  void of(const StackRun& a, const StackRun& b) {
    REQUIRE(a.hidden.size() == b.hidden.size());
    for (std::size_t i = 0; i < a.hidden.size(); ++i) of(a.hidden[i], b.hidden[i]);
    of(a.normed, b.normed);
    for (const auto& [some, others] :
         {std::pair(&a.attention, &b.attention), std::pair(&a.cross, &b.cross)}) {
      REQUIRE(some->size() == others->size());
      for (std::size_t i = 0; i < some->size(); ++i) of((*some)[i], (*others)[i]);
    }
  }
  double largest = 0;

 private:
  void of(const AttentionRun& a, const AttentionRun& b) {
    of(a.queries, b.queries);
    of(a.keys, b.keys);
    of(a.entropy, b.entropy);
    of(a.received, b.received);
    CHECK(a.pictures.cells == b.pictures.cells);
    of(a.pictures.mean, b.pictures.mean);
    of(a.pictures.largest, b.pictures.largest);
  }
  void add(std::span<const float> a, std::span<const float> b) {
    double most = 1e-6, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
      most = std::max(most, std::abs(x));
      apart = std::max(apart, x == y ? 0 : std::isfinite(x - y) ? std::abs(x - y) : 1e9);
    }
    largest = std::max(largest, apart / most);
  }
};

double difference(const ModelRun& a, const ModelRun& b) {
  Difference found;
  if (!a.encoder.hidden.empty() && a.encoder.hidden[0].rows() > 0) found.of(a.encoder, b.encoder);
  if (!a.decoder.hidden.empty() && a.decoder.hidden[0].rows() > 0) found.of(a.decoder, b.decoder);
  found.of(a.logits, b.logits);
  return found.largest;
}

// Sums of a few hundred float32 products in another order.
constexpr double rounding = 3e-5;

const RunRequest everything{.entropy = true, .received = true, .picture_side = 4};

}  // namespace

TEST_CASE("models of every family give the CPU's numbers on a card", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    ModelInput input;
    input.ids = small_models::some_ids(11, family.model->spec.vocabulary);
    const ModelRun here = run_model(*family.model, input, everything, card.on_cpu());
    const std::size_t before = card.device->uploaded();
    const ModelRun there = run_model(*family.model, input, everything, card.work());
    CHECK(card.device->uploaded() > before);
    CHECK(difference(here, there) < rounding);
    CHECK(card.rows->remark().empty());
    input.mask.assign(11, 1);
    input.mask[0] = 0;
    if (family.name != "bloom") input.mask[4] = 0;  // there a gap is refused
    CHECK(difference(run_model(*family.model, input, everything, card.on_cpu()),
                     run_model(*family.model, input, everything, card.work())) < rounding);
  }
}

TEST_CASE("models whose rows are wider than a warp give the CPU's numbers on a card", "[card_rows]") {
  Card card;
  for (const char* const name : {"brackets", "millbrook"}) {  // 64 and 96 wide, RMS norm and layer norm
    CAPTURE(name);
    const ModelPtr model = open_model(fs::path(ATTNSCOPE_ASSETS) / "models" / name);
    ModelInput input;
    input.ids = small_models::some_ids(9, model->spec.vocabulary);
    CHECK(difference(run_model(*model, input, everything, card.on_cpu()),
                     run_model(*model, input, everything, card.work())) < rounding);
  }
}

TEST_CASE("changes inside a model act on a card as they do on the CPU", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    ModelInput input;
    input.ids = small_models::some_ids(9, family.model->spec.vocabulary);
    RunRequest request = everything;
    using Kind = HeadChange::Kind;
    for (const Kind kind : {Kind::Zero, Kind::Mean, Kind::Uniform, Kind::PreviousToken}) {
      HeadChange change;
      change.of = AttentionOf::Decoder;
      change.block = 0;
      change.head = kind == Kind::Mean ? 1 : 2;
      change.kind = kind;
      request.changes.heads = {change};
      BlockChange block;
      block.of = AttentionOf::Decoder;
      block.block = 1;
      block.temperature = 1.5;
      block.mlp_off = kind == Kind::Zero;
      block.attention_off = kind == Kind::Mean;
      request.changes.blocks = {block};
      CHECK(difference(run_model(*family.model, input, request, card.on_cpu()),
                       run_model(*family.model, input, request, card.work())) < rounding);
    }
    // A block with settings of its own is computed by the stages of a layer, between blocks on the card.
    LayerSpec layer;
    layer.positions = Positions::Alibi;
    layer.masking.causal = layer.linear = true;
    request.changes.blocks = {{.block = 0, .attention = SharedValue<LayerSpec>(attention_only(layer))}};
    CHECK(difference(run_model(*family.model, input, request, card.on_cpu()),
                     run_model(*family.model, input, request, card.work())) < rounding);
    // Settings that are swept stay on the card.
    layer.linear = false;
    layer.masking.window.left = 3;
    layer.qk_norm.kind = QkNorm::Kind::RootMeanSquare;
    request.changes.blocks = {{.block = 0, .attention = SharedValue<LayerSpec>(attention_only(layer))}};
    CHECK(difference(run_model(*family.model, input, request, card.on_cpu()),
                     run_model(*family.model, input, request, card.work())) < rounding);
  }
}

TEST_CASE("a text that is edited goes on on the card from the rows that stay", "[card_rows]") {
  const test::TemporaryDirectory directory;
  Card card;
  for (const small_models::Family& family : small_models::every_family(directory.path())) {
    CAPTURE(family.name);
    const auto ids = small_models::some_ids(14, family.model->spec.vocabulary);
    ModelInput input;
    input.ids.assign(ids.begin(), ids.begin() + 6);
    ModelRun run = run_model(*family.model, input, everything, card.work());
    const auto edited = [&](std::vector<std::int64_t> now, const Work& work) {
      input.ids = std::move(now);
      run = run_again(*family.model, std::move(run), input, everything, work);
      CHECK(difference(run_model(*family.model, input, everything, card.on_cpu()), run) < rounding);
    };
    edited({ids.begin(), ids.begin() + 9}, card.work());
    edited({ids.begin(), ids.begin() + 4}, card.work());
    edited({ids.begin(), ids.begin() + 8}, card.on_cpu());  // here, whose rows the card does not have
    std::vector<std::int64_t> other(ids.begin(), ids.begin() + 8);
    other[5] = ids[13];
    edited(other, card.on_cpu());
    other.push_back(ids[11]);
    edited(other, card.work());
    other.push_back(ids[12]);
    edited(other, card.work());
  }
}

TEST_CASE("every tiny model gives transformers' numbers on the emulated card", "[card_rows]") {
  const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  using namespace transformers_goldens;
  Card card;
  const Work work = card.work();
  int seen = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(models)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    const std::string name = folder.path().filename();
    CAPTURE(name);
    const ModelPtr model = open_model(folder.path());
    const SafetensorsFile file(folder.path() / "goldens.safetensors");
    for (const std::string part : {"single.", "pair."}) {
      const Golden golden(file, part);
      if (!golden.has("input_ids")) continue;
      CAPTURE(part);
      const ModelRun run = run_model(*model, input_of(golden, 0), {}, work);
      // As on the CPU, see tiny_models_test.cpp.
      Checks({*model, run, golden, 0, work}, name == "t5" ? 1e-5 : 5e-6).all();
      ++seen;
    }
  }
  CHECK(seen >= 12);
}

TEST_CASE("weights cross once and leave with their file; what has no room the CPU multiplies",
          "[card_rows]") {
  const test::TemporaryDirectory directory;
  const fs::path folder = directory.path() / "gpt";
  small_models::write_gpt(folder, small_models::gpt_weights());
  ModelPtr model = open_model(folder);
  ModelInput input;
  input.ids = small_models::some_ids(7, small_models::gpt_tokens);
  Card card;
  const ModelRun here = run_model(*model, input, everything, card.on_cpu());
  const std::size_t before = card.device->uploaded();
  run_model(*model, input, everything, card.work());
  const std::size_t first = card.device->uploaded() - before;
  run_model(*model, input, everything, card.work());
  const std::size_t second = card.device->uploaded() - before - first;
  // Norms and the rows that enter cross each time.
  CHECK(second * 3 < first);

  const std::size_t held = card.device->allocated();
  model = nullptr;
  const ModelPtr other = open_model(folder);
  run_model(*other, input, everything, card.work());
  CHECK(card.device->allocated() <= held + held / 8);

  Card small;
  small.device->facts_.memory = 30'000;
  CHECK(difference(here, run_model(*other, input, everything, small.work())) < rounding);
  CHECK(small.rows->remark().find("no room for all weights") != std::string::npos);
  CHECK(small.device->most_allocated() <= 30'000);
}

TEST_CASE("a card without products runs no models, and says why", "[card_rows]") {
  const auto device = std::make_shared<EmulatedDevice>(Schedule::Lazy);
  device->cannot_multiply = true;
  std::string why_not;
  CHECK(gpu::make_card_rows(device, why_not) == nullptr);
  CHECK(why_not == "The emulated card has no products.");
}

}  // namespace attnscope::card_rows_test

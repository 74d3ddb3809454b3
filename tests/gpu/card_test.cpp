// What stands around the kernels: tiles, what stays on the card, what happens when it is full, when the work
// is stopped, and where the CPU takes over.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/survey.hpp"
#include "core/streaming_expected.hpp"
#include "gpu/card_backend.hpp"
#include "gpu/emulated_device.hpp"
#include "gpu/sweeps.hpp"
#include "support/seeds.hpp"

namespace attnscope::card_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;
using streaming_cases::Case;

/// A backend and the card it owns.
struct OnCard {
  EmulatedDevice* card;
  std::unique_ptr<Backend> backend;
  explicit OnCard(gpu::CardSettings settings = {}) {
    auto device = std::make_unique<EmulatedDevice>(Schedule::Lazy);
    card = device.get();
    backend = gpu::make_card_backend(std::move(device), settings);
  }
};

SweepRequest everything() {
  SweepRequest request;
  request.received = request.strongest = true;
  request.picture = PooledCells{8, 8};
  return request;
}

/// A plain case whose numbers have an owner.
std::unique_ptr<Case> owned_case(std::shared_ptr<const int> owner, std::int64_t n = 100) {
  samples::Random random(5);
  auto made = streaming_cases::plain_case(random, {2, 1, n, n, 32, 32});
  for (HeadRows* rows : {&made->problem.query, &made->problem.key, &made->problem.value}) rows->owner = owner;
  return made;
}

bool right(const Sweep& found, const Case& c, const SweepRequest& request) {
  const auto expected = streaming_cases::expected_of(c, request, 0, c.problem.heads);
  return streaming_cases::difference(found, expected, request).empty();
}

}  // namespace

TEST_CASE(
    "A tile on a card of any rectangle and kind is what the oracle says, whatever sweeps compute with") {
  for (std::uint64_t index = 0; index < 120; ++index) {
    samples::Random random(seeds::of_case("tile on a card", index));
    const auto c = streaming_cases::any_case(random, index < 100 ? 60 : 180);
    const TileRequest request = streaming_cases::any_tile(random, c->problem);
    const oracle::Numbers expected = streaming_cases::expected_cells(*c, request);
    OnCard on({random.coin() ? 0 : -1, 1 << 20});
    const Tensor found = on.backend->tile(c->problem, request, nullptr, {});
    INFO("case " << index << ": " << c->description() << "; kind " << static_cast<int>(request.kind));
    // As on the CPU: up to 128 products behind a score of up to 10.
    REQUIRE(compare::difference(found, expected, request.kind == TileKind::Weights ? 5e-6 : 2e-6) == "");
  }
}

TEST_CASE("Learned sinks are swept by the CPU, with nothing sent to the card") {
  samples::Random random(6);
  const auto c = streaming_cases::any_case(random, 60);
  add_sinks(random, *c);
  OnCard on;
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
  const oracle::Numbers expected = streaming_cases::expected_cells(*c, {});
  CHECK(compare::difference(on.backend->tile(c->problem, {}, nullptr, {}), expected, 5e-6) == "");
  CHECK(on.card->uploaded() == 0);
}

TEST_CASE("Numbers that have an owner go to the card once; another scale sends nothing") {
  auto owner = std::make_shared<const int>(1);
  const auto c = owned_case(owner);
  OnCard on;
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
  const std::size_t once = on.card->uploaded(), kept = on.card->allocated();
  CHECK(once == (c->q.size() + c->k.size() + c->v.size()) * sizeof(float));
  CHECK(kept > 0);
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
  CHECK(on.card->uploaded() == once);
  c->problem.scale *= 2;
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
  CHECK(on.card->uploaded() == once);
  CHECK(on.card->allocated() == kept);

  // They have no owner any more: the next problem finds the card empty.
  for (HeadRows* rows : {&c->problem.query, &c->problem.key, &c->problem.value}) rows->owner = nullptr;
  owner.reset();
  const auto other = owned_case(nullptr, 20);
  on.backend->sweep(other->problem, everything(), {}, nullptr);
  on.backend->sweep(other->problem, everything(), {}, nullptr);
  CHECK(on.card->allocated() < kept);
}

TEST_CASE("An owner of the same address but another life is another owner") {
  OnCard on;
  auto c = owned_case(std::make_shared<const int>(1));
  on.backend->sweep(c->problem, everything(), {}, nullptr);
  for (HeadRows* rows : {&c->problem.query, &c->problem.key, &c->problem.value})
    rows->owner = std::make_shared<const int>(1);
  for (float& x : c->k) x += 1;
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
}

TEST_CASE("A full card is an error with a sentence; what other problems left there goes first") {
  OnCard on;
  const auto first = owned_case(std::make_shared<const int>(1)),
             second = owned_case(std::make_shared<const int>(2));
  on.backend->sweep(first->problem, everything(), {}, nullptr);
  const std::size_t needed = on.card->most_allocated();
  on.card->facts_.memory = needed + 100;  // not room for both
  CHECK(right(on.backend->sweep(second->problem, everything(), {}, nullptr), *second, everything()));
  on.card->facts_.memory = needed / 2;
  CHECK_THROWS_AS(on.backend->sweep(first->problem, everything(), {}, nullptr), Error);
  on.card->facts_.memory = 4 * needed;
  CHECK(right(on.backend->sweep(first->problem, everything(), {}, nullptr), *first, everything()));
}

TEST_CASE("A stop ends a sweep and a tile, and the next one is right") {
  const auto c = owned_case(nullptr);
  OnCard on({-1, 1});
  for (const int launches : {0, 1, 4, 6, 9}) {
    std::stop_source source;
    int left = launches;
    on.card->on_launch = [&](const gpu::AnyPass&) {
      if (left-- == 0) source.request_stop();
    };
    INFO(launches);
    CHECK_THROWS_AS(on.backend->sweep(c->problem, everything(), source.get_token(), nullptr), Cancelled);
  }
  std::stop_source source;
  on.card->on_launch = [&](const gpu::AnyPass&) { source.request_stop(); };
  CHECK_THROWS_AS(on.backend->tile(c->problem, {}, nullptr, source.get_token()), Cancelled);
  CHECK_THROWS_AS(on.backend->pooled_tile(c->problem, {}, {8, 8}, nullptr, source.get_token()), Cancelled);
  on.card->on_launch = nullptr;
  SweepProgress progress;
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, &progress), *c, everything()));
  CHECK(progress.share() == 1);
}

TEST_CASE("Stale work leaves before its first item") {
  EmulatedDevice card(Schedule::Adversarial);
  const gpu::DeviceArray<gpu::RowState> rows(card, 64);
  gpu::RowPass pass{};
  pass.in.rows = 64;
  pass.in.heads = pass.in.heads_per_key = 1;
  pass.rows = rows.data();
  pass.last_item = 1;
  pass.stale = card.current();
  card.make_stale();
  card.launch(pass, {gpu::Arithmetic::Float, 64}, 2);  // its operands are null
  gpu::ColumnPass columns{};
  columns.last_item = 1;
  columns.stale = pass.stale;
  card.launch(columns, {gpu::Arithmetic::Bfloat, 64}, 2);
  std::vector<gpu::RowState> states(64);
  card.download(states.data(), rows.data(), 64 * sizeof(gpu::RowState));
  for (const gpu::RowState& state : states) CHECK(std::isnan(state.sum));  // as the memory came
}

TEST_CASE("What the card cannot take, the CPU computes") {
  samples::Random random(9);
  const auto wide = streaming_cases::plain_case(random, {1, 1, 30, 30, 129, 4});
  OnCard on;
  int launches = 0;
  on.card->on_launch = [&](const gpu::AnyPass&) { ++launches; };
  CHECK(right(on.backend->sweep(wide->problem, everything(), {}, nullptr), *wide, everything()));
  on.card->facts_.shared_bytes = 48 * 1024;  // of a card that has no more, heads of 64 numbers and wider
  const auto narrow = streaming_cases::plain_case(random, {1, 1, 30, 30, 64, 64});
  CHECK(right(on.backend->sweep(narrow->problem, everything(), {}, nullptr), *narrow, everything()));
  CHECK(launches == 0);
  CHECK(on.backend->remark() ==
        "Emulated card has 48 KB of fast memory for a block, too few for heads of 64 numbers. The CPU swept "
        "them.");
  const auto fits = streaming_cases::plain_case(random, {1, 1, 30, 30, 32, 32});
  CHECK(right(on.backend->sweep(fits->problem, everything(), {}, nullptr), *fits, everything()));
  CHECK(on.backend->remark().empty());
}

TEST_CASE("A card without bfloat16 computes long sequences in float32") {
  OnCard on({0, 1 << 20});
  on.card->facts_.capability = 75;
  on.card->facts_.shared_bytes = 64 * 1024;
  const auto c = owned_case(nullptr);
  CHECK(right(on.backend->sweep(c->problem, everything(), {}, nullptr), *c, everything()));
}

TEST_CASE(
    "Two runs agree to the bit, whatever the schedule; so do those with other blocks but for sums over "
    "rows") {
  const auto c = owned_case(nullptr, 200);
  SweepRequest request = everything();
  for (const std::int64_t bfloat_from : {-1, 0}) {
    Sweep found[3];
    for (int i = 0; i < 3; ++i) {
      const auto card = std::make_shared<EmulatedDevice>(i == 0 ? Schedule::Lazy : Schedule::Adversarial,
                                                         11 + static_cast<std::uint64_t>(i), i == 2 ? 5 : 3);
      gpu::CardCopies copies(card);
      found[i] =
          gpu::CardSweeps(*card, copies, {bfloat_from, 1 << 20}).sweep(c->problem, request, {}, nullptr);
    }
    CHECK(found[0].received == found[1].received);
    for (const Sweep& other : {std::cref(found[1]), std::cref(found[2])}) {
      CHECK(found[0].output == other.output);
      CHECK(found[0].log_sum_exp == other.log_sum_exp);
      CHECK(found[0].entropy == other.entropy);
      CHECK(found[0].mean == other.mean);
      CHECK(found[0].max == other.max);
      CHECK(found[0].strongest == other.strongest);
    }
  }
}

TEST_CASE("A survey goes from coarse to fine on a card as on the CPU") {
  OnCard on;
  const std::unique_ptr<Backend> cpu = make_cpu_backend(1);
  samples::Random random(12);
  const auto c = streaming_cases::plain_case(random, {2, 2, 150, 150, 16, 16});
  c->problem.causal = true;
  SurveyPtr surveys[2];
  for (const bool on_card : {false, true}) {
    Backend& backend = on_card ? *on.backend : *cpu;
    StreamedDocument document;
    document.problem = c->problem;
    SurveyPtr survey = first_look(std::move(document), backend, {}, nullptr);
    while (!survey->is_complete()) survey = refined(*survey, backend, {}, nullptr);
    surveys[on_card ? 1 : 0] = survey;
  }
  const Sweep &a = surveys[0]->known, &b = surveys[1]->known;
  CHECK(compare::difference(b.output, compare::in_double(a.output), 1e-5) == "");
  CHECK(compare::difference(b.entropy, compare::in_double(a.entropy), 1e-5) == "");
  CHECK(compare::difference(b.largest_cells(), compare::in_double(a.largest_cells()), 5e-6) == "");
}

}  // namespace attnscope::card_test

// A model of eight thousand million weights on cards that compute nothing: how much of their memory it takes,
// and how many bytes cross for each letter.
#include <cstddef>
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "core/models/run_again.hpp"
#include "gpu/card_rows.hpp"
#include "gpu/emulated_device.hpp"
#include "gpu/large_model.hpp"

namespace attnscope::model_memory_test {
namespace {

using emulator::EmulatedDevice;
using emulator::Schedule;
using large_model::text;

constexpr std::size_t gigabyte = std::size_t{1} << 30;

struct Hollow {
  std::shared_ptr<EmulatedDevice> device = std::make_shared<EmulatedDevice>(Schedule::Lazy);
  std::shared_ptr<RowOperators> rows;
  ThreadPool pool{1};
  explicit Hollow(std::size_t memory) {
    device->is_hollow = true;
    device->facts_.memory = memory;
    std::string why_not;
    rows = gpu::make_card_rows(device, why_not);
    REQUIRE(rows);
  }
  Work work() { return {pool, {}, rows.get()}; }
  std::size_t crossed() const { return device->uploaded() + device->downloaded(); }
};

}  // namespace

TEST_CASE("8B weights of bfloat16 fit a card of 24 GB, and few bytes cross for a letter", "[model_memory]") {
  const auto model = large_model::make(large_model::eight_billion, large_model::Numbers::Zero);
  const auto weights = static_cast<std::size_t>(count_weights(*model)) * 2;
  CHECK(weights > 14'900'000'000);
  Hollow card(24 * gigabyte);
  const RunRequest request = large_model::in_the_window();
  ModelRun run = run_model(*model, text(64), request, card.work());
  CHECK(card.rows->remark().empty());
  CHECK(card.device->uploaded() > weights);
  CHECK(card.device->uploaded() < weights + 20'000'000);
  CHECK(card.device->most_allocated() < weights + gigabyte);

  const std::size_t before = card.crossed();
  run = run_again(*model, std::move(run), text(65), request, card.work());
  // Rows of the residual stream, queries, keys, values and logits; norms; what is shown of 1,024 heads.
  const std::size_t letter = card.crossed() - before;
  CAPTURE(letter);
  CHECK(letter < 20'000'000);
  CHECK(card.device->most_allocated() < weights + gigabyte);
}

TEST_CASE("A long text through an 8B model leaves room on a card of 80 GB", "[model_memory]") {
  const auto model = large_model::make(large_model::eight_billion, large_model::Numbers::Zero);
  Hollow card(80 * gigabyte);
  run_model(*model, text(4096), large_model::in_the_window(), card.work());
  CHECK(card.rows->remark().empty());
  CAPTURE(card.device->most_allocated());
  CHECK(card.device->most_allocated() < 24 * gigabyte);
}

}  // namespace attnscope::model_memory_test

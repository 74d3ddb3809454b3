// tests: operators of a model's blocks on the emulated card.
#pragma once

#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "gpu/card_rows.hpp"
#include "gpu/emulated_device.hpp"

namespace attnscope::rows_on_card {

/// Small products are worth it, too.
inline constexpr gpu::CardSettings all_of_it{.product_from = 0};

struct Card {
  std::shared_ptr<emulator::EmulatedDevice> device =
      std::make_shared<emulator::EmulatedDevice>(emulator::Schedule::Lazy);
  std::shared_ptr<RowOperators> rows;
  ThreadPool pool{2};

  explicit Card(const gpu::CardSettings& settings = all_of_it) {
    std::string why_not;
    rows = gpu::make_card_rows(device, why_not, settings);
    REQUIRE(rows);
  }
  Work work() { return {pool, {}, rows.get()}; }
  Work on_cpu() { return {pool, {}}; }
};

}  // namespace attnscope::rows_on_card

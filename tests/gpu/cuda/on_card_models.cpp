// Models on a card: the CPU's numbers, and how long a person who types waits.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/run_again.hpp"
#include "gpu/card_rows.hpp"
#include "gpu/cuda/on_card_watch.hpp"
#include "gpu/large_model.hpp"

namespace attnscope::on_card {

namespace {

/// A card's operators, and the card.
struct Operators {
  std::shared_ptr<TimedDevice> device;
  std::shared_ptr<RowOperators> rows;
  ThreadPool pool;

  explicit Operators(Card& card) : device(card.open()) {
    gpu::CardSettings settings;
    if (card.emulated) settings.product_from = 0;
    std::string why_not;
    rows = gpu::make_card_rows(device, why_not, settings);
    if (!rows) throw Error(why_not);
  }
  Work work() { return {pool, {}, rows.get()}; }
  double crossed() const { return static_cast<double>(device->uploaded() + device->downloaded()) / 1e6; }
};

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double most = 1e-9, apart = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    most = std::max(most, std::abs(static_cast<double>(a[i])));
    apart = std::max(apart, std::isfinite(difference) ? difference : 1e9);
  }
  return apart / most;
}

large_model::Sizes small_sizes(const Card& card) {
  return card.emulated ? large_model::Sizes{64, 96, 50, 2, 4, 2, 16} : large_model::some_millions;
}

}  // namespace

void model_parity(Card& card) {
  if (card.skips("model parity")) return;
  const auto model = large_model::make(small_sizes(card), large_model::Numbers::Random);
  Operators operators(card);
  RunRequest request = large_model::in_the_window();
  request.logits = LogitRows::All;
  const std::int64_t tokens = card.emulated ? 9 : 300;
  const ModelRun here = run_model(*model, large_model::text(tokens), request, {operators.pool, {}});
  ModelRun there = run_model(*model, large_model::text(tokens - 3), request, operators.work());
  there = run_again(*model, std::move(there), large_model::text(tokens), request, operators.work());
  const double hidden =
      largest_difference(here.decoder.hidden.back().values, there.decoder.hidden.back().values);
  const double logits = largest_difference(here.logits.values, there.logits.values);
  card.report("model: hidden state beside the CPU", hidden, "of the largest");
  card.report("model: logits beside the CPU", logits, "of the largest");
  constexpr double most = 1e-4;
  card.check("model parity", hidden < most && logits < most ? "" : "numbers are too far from the CPU's");
}

void models(Card& card) {
  if (card.skips("8B")) return;
  const auto model =
      large_model::make(card.emulated ? small_sizes(card) : large_model::eight_billion,
                        card.emulated ? large_model::Numbers::Zero : large_model::Numbers::Random);
  Operators operators(card);
  const RunRequest request = large_model::in_the_window();
  const auto time = [&](const std::string& name, const auto& run) {
    const double before = operators.crossed();
    const Clock::time_point begin = Clock::now();
    run();
    card.report(name + " wall", milliseconds_since(begin), "ms");
    card.report(name + " crossed", operators.crossed() - before, "MB");
  };
  ModelRun run;
  const auto tokens = [&](std::int64_t count) {
    run = run_again(*model, std::move(run), large_model::text(count), request, operators.work());
  };
  time("8B: first run, weights cross", [&] { tokens(card.emulated ? 4 : 64); });
  for (const std::int64_t n :
       card.emulated ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{64, 1024}) {
    if (card.skips(fmt::format("8B: n={}", n))) return;
    run = {};
    time(fmt::format("8B: all of {} tokens", n), [&] { tokens(n); });
    std::vector<double> letters;
    const double before = operators.crossed();
    for (std::int64_t letter = 1; letter <= 5; ++letter) {
      const Clock::time_point begin = Clock::now();
      tokens(n + letter);
      letters.push_back(milliseconds_since(begin));
    }
    std::ranges::sort(letters);
    card.report(fmt::format("8B: a token behind {} wall", n), letters[2], "ms");
    card.report(fmt::format("8B: a token behind {} crossed", n), (operators.crossed() - before) / 5, "MB");
  }
  card.report("8B: memory", static_cast<double>(operators.device->most_allocated()) / 1e9, "GB");
  card.check("8B: all on the card", std::string(operators.rows->remark()));
}

}  // namespace attnscope::on_card

// The numbers behind a cell's weight, against the oracle in float64.
#include "core/engine/cell_facts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/against_oracle.hpp"
#include "core/edits/edits.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "core/text/tokenize.hpp"
#include "support/seeds.hpp"

namespace attnscope::cell_facts_test {
namespace {

ResultPtr result_of(const Document& document) {
  Pipeline pipeline(make_cpu_backend(1));
  ResultPtr result = pipeline.run(document, {}, nullptr, 1);
  REQUIRE(result->error.empty());
  REQUIRE_FALSE(result->layer().is_long());
  return result;
}

CellFacts facts_of(const LayerResult& result, const MaskRule& rule, const CellPlace& at) {
  return cell_facts(result, rule, row_of_planes(result, at.b, at.h, at.query), at);
}

/// How far apart a weight of float32 and one of float64 may be: errors of the scores are in its exponent.
double tolerance_of(const against_oracle::Expected& exact, double temperature) {
  double largest = 0;
  for (const oracle::Numbers* stage : {&exact.answer.scaled, &exact.answer.capped, &exact.answer.masked})
    for (const double x : *stage)
      if (std::abs(x) < 1e6) largest = std::max(largest, std::abs(x));
  return 2e-5 * (1 + largest / temperature);
}

/// Cells of every row against the oracle's.
void compare(const LayerResult& result) {
  const Dimensions& d = result.dimensions;
  const LayerSpec& layer = result.document.layer();
  const MaskRule rule(result.document, result.trace);
  const against_oracle::Expected exact = against_oracle::expected(result.document, result.trace);
  const double tau = static_cast<double>(layer.temperature), near = tolerance_of(exact, tau);
  const bool hides_later = rule.after_softmax();
  for (std::int64_t b = 0; b < d.batch; ++b)
    for (std::int64_t h = 0; h < d.heads; ++h)
      for (std::int64_t query = 0; query < d.queries; ++query) {
        const std::int64_t key = (h + 2 * query) % d.keys;
        INFO("entry " << b << ", head " << h << ", query " << query << ", key " << key);
        const CellPlace place{b, h, h * d.kv_heads / d.heads, query, key};
        const CellFacts f = facts_of(result, rule, place);
        const auto row = static_cast<std::size_t>((b * d.heads + h) * d.queries + query);
        const std::size_t at = row * static_cast<std::size_t>(d.keys) + static_cast<std::size_t>(key);
        const oracle::Answer& answer = exact.answer;
        CHECK(static_cast<const CellPlace&>(f) == place);
        if (layer.masking.mistake == MaskMistake::None) CHECK(f.masked == !answer.seen[at]);
        CHECK(f.allowed == static_cast<std::int64_t>(answer.allowed[row]));
        // Rank: one more than weights that are larger.
        std::int64_t larger = 0;
        const CellRow cells = row_of_planes(result, b, h, query);
        for (const float weight : cells.weights)
          if (static_cast<double>(weight) > f.weight) ++larger;
        const bool is_muted =
            has_intervention(result.document, h) &&
            layer.interventions[static_cast<std::size_t>(h)].kind == Intervention::Kind::Mute;
        if (!is_muted) CHECK(f.rank == larger + 1);
        if (std::isnan(f.softmax)) continue;  // a row of the naive softmax that is 0 / 0
        CHECK((f.exponential == 0 || f.exponential == std::exp((f.hidden - f.largest) / tau)));
        // ln Σ e^(x / τ), and the cell's weight by this sum.
        const double log_sum = std::log(f.sum) + f.largest / tau;
        if (f.sum > 1e-200 && std::isfinite(f.sum)) {
          CHECK(std::abs(log_sum - answer.log_sum_exp[row]) <=
                near + 2e-5 * std::abs(answer.log_sum_exp[row]));
          if (!hides_later) CHECK(std::abs(f.exponential / f.sum - answer.weights[at]) <= near);
        }
      }
}

constexpr const char* sentence = "[CLS] the cat sat on the mat because the cat was tired [SEP]";

Document text_of() {
  Document document = edit::texts(Document{}, {sentence});
  document.layer().d_model = 32;
  document.layer().heads = 4;
  return edit::recipe(document, Recipe::Random);
}

}  // namespace

TEST_CASE("The facts of a cell are the oracle's, whatever the settings") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of cell facts");
    samples::Random random(seeds::of_case("cell facts", i));
    compare(result_of(samples::any_document(random))->layer());
  }
}

TEST_CASE("The weight that full attention had put on a cell is that of the layer without its window") {
  Document windowed = text_of();
  windowed.layer().masking.window = {2, 1};
  windowed.layer().temperature = 0.5f;
  Document open = windowed;
  open.layer().masking.window = {};
  const ResultPtr of_window = result_of(windowed), of_all = result_of(open);
  const LayerResult &result = of_window->layer(), &whole = of_all->layer();
  const against_oracle::Expected exact = against_oracle::expected(whole.document, whole.trace);
  const MaskRule rule(result.document, result.trace);
  const MaskRule full = rule.without_sparsity();
  const Dimensions& d = result.dimensions;
  int hidden = 0;
  for (std::int64_t query = 0; query < d.queries; ++query)
    for (std::int64_t key = 0; key < d.keys; ++key) {
      const CellPlace place{0, 1, 1, query, key};
      const CellRow row = row_of_planes(result, 0, 1, query);
      const auto at = static_cast<std::size_t>((d.queries + query) * d.keys + key);
      CHECK(std::abs(full_weight(result, full, row, place) - exact.answer.weights[at]) < 1e-5);
      const CellFacts f = facts_of(result, rule, place);
      CHECK(f.masked == (key < query - 2 || key > query + 1));
      if (f.masked) ++hidden;
    }
  CHECK(hidden > 50);
}

TEST_CASE("Of a muted head the rank is that of its own weight, and naive exponentials overflow") {
  Document muted = text_of();
  muted.layer().interventions.assign(4, {});
  muted.layer().interventions[2].kind = Intervention::Kind::Mute;
  const ResultPtr of_muted = result_of(muted);
  const MaskRule rule(of_muted->layer().document, of_muted->layer().trace);
  const CellRow row = row_of_planes(of_muted->layer(), 0, 2, 3);
  const auto strongest = std::ranges::max_element(row.own) - row.own.begin();
  const CellFacts f = facts_of(of_muted->layer(), rule, {0, 2, 2, 3, strongest});
  CHECK(f.weight == 0);
  CHECK(f.own > 0);
  CHECK(f.rank == 1);
  const std::int64_t other = strongest == 0 ? 1 : 0;
  CHECK(facts_of(of_muted->layer(), rule, {0, 2, 2, 3, other}).rank > 1);

  Document naive = text_of();
  naive.layer().softmax = SoftmaxKind::Naive;
  naive.layer().masking.additive = std::make_shared<const Tensor>(
      Shape{1, 1, sequence_length(naive, 0), sequence_length(naive, 0)},
      std::vector<float>(static_cast<std::size_t>(sequence_length(naive, 0) * sequence_length(naive, 0)),
                         200.0f));
  const ResultPtr of_naive = result_of(naive);
  const MaskRule same(of_naive->layer().document, of_naive->layer().trace);
  const CellFacts over = facts_of(of_naive->layer(), same, {0, 0, 0, 1, 1});
  CHECK(over.largest == 0);
  CHECK(over.overflows);
  CHECK(std::isfinite(over.exponential));
  CHECK_FALSE(facts_of(result_of(text_of())->layer(), rule, {0, 0, 0, 1, 1}).overflows);
}

}  // namespace attnscope::cell_facts_test

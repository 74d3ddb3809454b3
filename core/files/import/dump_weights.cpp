// Attention weights of a dump, turned back into logits whose softmax gives them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/import/dump.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr double most_above = 0.02;  // by which rounding may raise a row's sum above 1
constexpr double least_rest = 1e-7;  // the least weight of a sink, for rows that sum to 1

/// Whether every value is a bfloat16, whose coarser rounding changes the sums more.
bool are_rounded(const Tensor& weights) {
  return std::ranges::all_of(weights.values(),
                             [](float w) { return (std::bit_cast<std::uint32_t>(w) & 0xFFFF) == 0; });
}

/// Softmax gives NaN for a fully masked row; cells that are masked again are 0.
bool is_row_of_nan(std::span<const float> row) {
  return std::ranges::all_of(row, [](float w) { return std::isnan(w) || w == 0; });
}

std::string decimal(double value) { return fmt::format("{:.4f}", value); }

}  // namespace

struct Dump::RowSums {
  std::vector<double> sums;  // NaN for rows with NaN
  std::int64_t nan_rows = 0;
  std::int64_t least = -1;  // the row with the smallest sum above 0
  bool causal = true;       // no query has weight on a later key

  double rest() const { return least < 0 ? 0 : 1 - sums[static_cast<std::size_t>(least)]; }
};

std::vector<std::int64_t> Dump::weight_sizes(const std::string& name) const {
  const std::vector<std::int64_t> found = shape_of(name);
  if (facts_.axes.empty()) return sizes_of(name, false);
  if (facts_.axes.size() != found.size())
    refuse_fact("axes", fmt::format("names {}, but {} has shape [{}]", fmt::join(facts_.axes, ", "),
                                    in_quotes(name), fmt::join(found, ", ")));
  constexpr const char* all[] = {"batch", "heads", "queries", "keys"};
  std::vector<std::int64_t> sizes(4, 1);
  for (std::size_t axis = 0; axis < found.size(); ++axis)
    sizes[static_cast<std::size_t>(std::ranges::find(all, facts_.axes[axis]) - std::begin(all))] =
        found[axis];
  return sizes;
}

std::string Dump::axes_note(const std::string& name) const {
  const std::vector<std::int64_t> sizes = shape_of(name);
  const bool is_said = !facts_.axes.empty() || sizes.size() == 4;
  if (is_said || (sizes.size() == 3 && sizes[0] == 1) || (sizes.size() == 2 && sizes[0] == sizes[1]))
    return {};
  return fmt::format("{} has the axes [{}], taken as {}; \"axes\" in the metadata says otherwise, {}. ",
                     in_quotes(name), fmt::join(sizes, ", "),
                     sizes.size() == 3 ? "heads, queries, keys" : "queries, keys",
                     sizes.size() == 3 ? "\"batch queries keys\" or \"batch heads keys\""
                                       : "\"heads keys\" or \"batch keys\"");
}

Dump::RowSums Dump::look_at_rows(const std::string& name, const Tensor& weights,
                                 const std::vector<std::int64_t>& sizes) const {
  const std::int64_t queries = sizes[2], keys = sizes[3], rows = weights.size() / keys;
  const auto head_of = [&](std::int64_t row) { return row / queries % sizes[1]; };
  RowSums found{.sums = {}, .causal = keys > 1 && keys >= queries};
  expect(reading_, static_cast<std::uint64_t>(weights.size()));  // progress: these numbers are checked
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const w = weights.data() + row * keys;
    const std::int64_t query = row % queries, own = query + keys - queries;  // its own key
    double sum = 0;
    const bool is_nan = is_row_of_nan({w, static_cast<std::size_t>(keys)});
    for (std::int64_t key = 0; key < keys; ++key) {
      if (w[key] < 0 || std::isinf(w[key]) || (std::isnan(w[key]) && !is_nan))
        refuse(name,
               fmt::format("holds {} at row {}, key {}, expected weights from 0 to 1", w[key], query, key));
      sum += static_cast<double>(w[key]);
      if (key <= own || w[key] == 0 || std::isnan(w[key])) continue;
      if (facts_.causal.value_or(false) && keys >= queries)
        refuse_fact("causal",
                    fmt::format("is \"true\", but in {} head {} query {} gives later key {} a weight of "
                                "{:.4g}, expected 0",
                                in_quotes(name), head_of(row), query, key, w[key]));
      found.causal = false;
    }
    if (sum > 1 + most_above)
      refuse(name,
             fmt::format("has a row (head {}, query {}) that adds up to {:.4g}, expected weights that add "
                         "up to 1 or less: those after softmax and before dropout",
                         head_of(row), query, sum));
    found.nan_rows += std::isnan(sum);
    if (sum > 0 && (found.least < 0 || sum < found.sums[static_cast<std::size_t>(found.least)]))
      found.least = row;
    found.sums.push_back(sum);
    advance(reading_, static_cast<std::uint64_t>(keys));
  }
  return found;
}

void Dump::take_weights(Document& document, const LayerNames& layer) const {
  const std::string& name = layer.weights;
  const std::vector<std::int64_t> sizes = weight_sizes(name);
  Tensor weights = four_dimensional(name, sizes);
  const std::int64_t queries = sizes[2], keys = sizes[3], rows = weights.size() / keys;
  const RowSums found = look_at_rows(name, weights, sizes);
  const bool has_sink = found.rest() > (are_rounded(weights) ? 0.02 : 0.002);
  for (std::int64_t row = 0; row < rows; ++row) {
    const double sum = found.sums[static_cast<std::size_t>(row)];
    // w = e^x / (1 + Σ e^x) for x = ln w - ln (1 - Σ w): the 1 is the sink's e^0.
    const auto shift = static_cast<float>(has_sink ? std::log(std::max(1 - sum, least_rest)) : 0);
    float* const w = weights.data() + row * keys;
    for (std::int64_t key = 0; key < keys; ++key)
      w[key] = std::isnan(sum) ? std::nanf("") : std::log(w[key]) - shift;  // ln 0 = -∞ hides the key
  }
  std::string note = axes_note(name);
  if (has_sink) {
    note += fmt::format("Up to {} of a row (head {}, query {}) of {} went to no key: a sink takes it. ",
                        decimal(found.rest()), found.least / queries % sizes[1], found.least % queries,
                        in_quotes(name));
    document.layer().weights.recipe = Recipe::Given;
    document.layer().weights[Parameter::SinkLogits] = std::make_shared<const Tensor>(Shape{sizes[1]});
  }
  if (found.nan_rows > 0)
    note += fmt::format("{} row{} of {} hold{} NaN; they are shown as they are and marked. ", found.nan_rows,
                        found.nan_rows == 1 ? "" : "s", in_quotes(name), found.nan_rows == 1 ? "s" : "");
  if (!note.empty()) note.pop_back();
  const auto zeros = [&](std::int64_t tokens) {
    return std::make_shared<const Tensor>(Shape{sizes[0], sizes[1], tokens, 1});
  };
  document.input.numbers = Given{.query = zeros(queries),
                                 .key = zeros(keys),
                                 .value = zeros(keys),
                                 .holds = GivenTensors::Weights,
                                 .guesses = {.causal = {}, .positions = note}};
  document.layer().masking.additive = std::make_shared<const Tensor>(std::move(weights));
  document.layer().masking.causal = facts_.causal.value_or(found.causal);
}

}  // namespace attnscope

#include "app/exports/patching_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/base/error.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/csv.hpp"

namespace attnscope {
namespace {

double recovered(const PatchingReading& patching, double effect) {
  return patching.clean_answer == patching.corrupted_answer ? std::numeric_limits<double>::quiet_NaN()
                                                            : patching.recovered(effect);
}

}  // namespace

std::string patched_heads_table(const ModelReading& reading, const ChangedModel& of) {
  const PatchingReading& patching = *reading.patching;
  CsvTable table({"layer", "head", "estimate", "estimate_share", "exact", "exact_share", "numbers_of",
                  "changes_inside"});
  const std::string changes = of.words();
  for (std::size_t i = 0; i < patching.heads.size(); ++i) {
    const double estimate =
        i < patching.estimates.size() ? patching.estimates[i] : std::numeric_limits<double>::quiet_NaN();
    table.whole(patching.heads[i].block).whole(patching.heads[i].head);
    table.number(estimate).number(recovered(patching, estimate));
    table.number(patching.whole[i]).number(recovered(patching, patching.whole[i]));
    table.text(as_it_is).text(changes);
    table.end_row();
  }
  return table.str();
}

std::string patched_rows_table(const ModelReading& reading, const ChangedModel& changed,
                               const std::stop_token& stop) {
  const PatchingReading& patching = *reading.patching;
  const AttentionOf of = output_attention(reading.within.model->model->spec);
  const Sequence &clean = reading.tokens->queries_of(of), &corrupted = patching.corrupted->queries_of(of);
  const auto label = [](const Sequence& tokens, std::int64_t row) {
    return row < std::ssize(tokens.tokens) ? tokens.tokens[static_cast<std::size_t>(row)].text
                                           : std::string();
  };
  CsvTable table({"layer", "head", "row", "clean_token", "corrupted_token", "exact", "exact_share",
                  "numbers_of", "changes_inside"});
  const std::string changes = changed.words();
  for (std::size_t i = 0; i < patching.heads.size(); ++i) {
    if (stop.stop_requested()) throw Cancelled();
    for (std::int64_t row = 0; row < patching.rows; ++row) {
      // Rows before the first token that differs are the same in both texts.
      const double effect = row < patching.first_row ? 0 : patching.at(i, row);
      table.whole(patching.heads[i].block).whole(patching.heads[i].head).whole(row);
      table.text(label(clean, row)).text(label(corrupted, row));
      table.number(effect).number(recovered(patching, effect)).text(as_it_is).text(changes);
      table.end_row();
    }
  }
  return table.str();
}

}  // namespace attnscope

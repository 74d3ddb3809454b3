#include "app/pages/experiments/words.hpp"

#include <algorithm>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

std::string written_number(NumberForm form, double value) {
  switch (form) {
    case NumberForm::Share:
      if (value == 0) return "0 %";
      return fixed(100 * value, value < 0.1 ? 1 : 0) + " %";
    case NumberForm::Bytes: return bytes(std::llround(value));
    case NumberForm::Count: return metric(value);
    case NumberForm::Milliseconds:
    case NumberForm::Whole:
    case NumberForm::Small: break;
  }
  const double size = std::abs(value);
  if (size < 1000 && form == NumberForm::Whole && value == std::round(value)) return fixed(value, 0);
  if (value == 0 || !std::isfinite(value)) return fixed(value, 0);
  if (size >= 9995) return size < 1e6 ? grouped(std::llround(value)) : tiny(value);
  if (size >= 99.95) return fixed(value, 0);
  if (size >= 9.995) return fixed(value, 1);
  if (size >= 0.0995) return fixed(value, 2);
  return size >= 0.00095 ? fixed(value, 3) : tiny(value);
}

std::span<const ExperimentWords> experiment_words() {
  static const std::vector<ExperimentWords> rows{
      scaling_words(),   masks_words(), cost_words(),    sparse_words(),      precision_words(),
      positions_words(), path_words(),  cache_words(),   same_words(),        contribution_words(),
      dilution_words(),  sinks_words(), grouped_words(), temperature_words(), phasors_words()};
  return rows;
}

const ExperimentWords& words_of(const experiments::Experiment& experiment) {
  const auto rows = experiment_words();
  const auto found = std::ranges::find(rows, experiment.name, &ExperimentWords::name);
  return found == rows.end() ? rows.front() : *found;
}

}  // namespace attnscope

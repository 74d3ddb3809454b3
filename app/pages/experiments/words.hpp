// app/pages/experiments: what each experiment is called, what its plots and its table show, and what it says
// of its numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/pages/experiments/experiment_runs.hpp"

namespace attnscope {

/// A is as it is, B the change; the others are further changes, Formula what a formula says.
enum class SeriesHue : std::uint8_t { A, B, Third, Fourth, Fifth, Formula, Baseline };

/// How a number is written; Whole: without places where it has none.
enum class NumberForm : std::uint8_t { Small, Whole, Share, Bytes, Count, Milliseconds };
std::string written_number(NumberForm, double);

struct SeriesRow {
  std::size_t quantity;
  SeriesHue hue;
};

struct ExperimentPage;

struct PlotRow {
  std::string_view title, unit;
  std::vector<SeriesRow> series = {};
  bool log = false;
  double low = std::numeric_limits<double>::quiet_NaN();  // of the axis; NaN: as the numbers ask
  double high = std::numeric_limits<double>::quiet_NaN();
  NumberForm form = NumberForm::Small;
  std::string_view baseline = {};  // what a dashed line is called
  bool nan = false;                // what is not a number is a result: it stands there as "NaN"
  /// Instead of lines over the sweep; `area`: below the title.
  void (*draw)(const ExperimentPage&, const Box& area) = nullptr;
};

// Pictures in the place of lines.

/// Scores as bars, tile by tile, with the running maximum; a click or a drag takes tiles up to there.
void draw_online_row(const ExperimentPage&, const Box& area);
/// A circle for each pair of rotary positions, with the angles at the chosen distance.
void draw_phasors(const ExperimentPage&, const Box& area);

/// Two columns of one table differ in their words, not in their colours alone.
struct QuantityColumn {
  std::string_view head;
  std::string_view of;  // which of those that have the same head, in a line below it; empty: there is one
  std::size_t quantity;
  SeriesHue hue;
  NumberForm form = NumberForm::Small;
  bool nan = false;  // what is not a number is a result
};

struct LegendEntry {
  std::string_view words;
  SeriesHue hue;
};

/// The numbers at the chosen value and elsewhere.
class ExperimentNumbers {
 public:
  ExperimentNumbers(const ExperimentSight& sight, std::size_t point) : sight_(&sight), point_(point) {}
  double value() const { return sight_->experiment->values[point_]; }
  std::size_t point() const { return point_; }
  double operator[](std::size_t quantity) const { return at(point_, quantity); }
  double at(std::size_t point, std::size_t quantity) const {
    const auto& measured = sight_->points[point];
    return measured ? (*measured)[quantity].typical : std::numeric_limits<double>::quiet_NaN();
  }
  double at_value(double value, std::size_t quantity) const {
    return at(experiments::nearest(*sight_->experiment, value), quantity);
  }
  /// "0.79"; "…" where it is not known yet.
  std::string say(std::size_t quantity, NumberForm form = NumberForm::Small) const {
    return said((*this)[quantity], form);
  }
  static std::string said(double number, NumberForm form = NumberForm::Small) {
    // A unit belongs to its number, whatever is said around them, and so does the sign of one not known yet.
    return own_number(std::isnan(number) ? "…" : written_number(form, number));
  }

 private:
  const ExperimentSight* sight_;
  std::size_t point_;
};

/// The large numbers under the pictures.
struct ExperimentHeadline {
  std::string_view words;
  std::size_t a, b;
  NumberForm form = NumberForm::Small;
};

struct ExperimentWords {
  std::string_view name;  // of core/experiments
  int number = 0;
  std::string_view title, subtitle, about, symbol;
  std::string_view axis;                   // under the plots
  std::string (*value)(double) = nullptr;  // as the slider and the table write it
  std::vector<LegendEntry> legend;
  std::vector<PlotRow> plots;
  std::vector<QuantityColumn> columns;
  std::string_view picture_title = "Weights";
  std::string (*picture_a)(double) = nullptr, (*picture_b)(double) = nullptr;
  float picture_high = 0;  // of the colours; 0: the largest number
  ExperimentHeadline headline;
  std::vector<std::string> (*sentences)(const ExperimentNumbers&) = nullptr;
  bool kinds = false;                     // the values have no order: bars in the place of lines
  std::string_view computed = "float64";  // in which numbers; of the engine's own runs: what it takes
  std::string_view repeats = "seeds";     // what bands run over
  std::vector<float> thumb_a, thumb_b;    // from 0 to 1, over equal steps
};

/// All, in the order of core/experiments.
std::span<const ExperimentWords> experiment_words();
/// Of an experiment that there is.
const ExperimentWords& words_of(const experiments::Experiment&);

// Where they are written.
ExperimentWords scaling_words();
ExperimentWords dilution_words();
ExperimentWords grouped_words();
ExperimentWords cache_words();
ExperimentWords cost_words();
ExperimentWords sinks_words();
ExperimentWords masks_words();
ExperimentWords sparse_words();
ExperimentWords precision_words();
ExperimentWords positions_words();
ExperimentWords path_words();
ExperimentWords same_words();
ExperimentWords contribution_words();
ExperimentWords temperature_words();
ExperimentWords phasors_words();

}  // namespace attnscope

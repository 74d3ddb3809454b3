// app/pages/experiments: the words of each experiment: title, plots, table, and the sentences about its
// numbers.
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

/// A: unchanged; B: changed; Third to Fifth: further changes; Formula: predicted by a formula.
enum class SeriesHue : std::uint8_t { A, B, Third, Fourth, Fifth, Formula, Baseline };

/// How a number is written; Whole: without decimals if it is an integer.
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
  double low = std::numeric_limits<double>::quiet_NaN();  // lower end of the axis; NaN: chosen by the numbers
  double high = std::numeric_limits<double>::quiet_NaN();
  NumberForm form = NumberForm::Small;
  std::string_view baseline = {};  // name of the dashed line
  bool nan = false;                // NaN is a result and is written "NaN"
  /// Draws this instead of lines over the sweep; `area`: below the title.
  void (*draw)(const ExperimentPage&, const Box& area) = nullptr;
};

// Pictures instead of lines.

/// Scores as bars, tile by tile, with the running maximum; a click or a drag takes tiles up to the mouse.
void draw_online_row(const ExperimentPage&, const Box& area);
/// A circle for each pair of rotary positions, with the angles at the chosen distance.
void draw_phasors(const ExperimentPage&, const Box& area);

/// Two columns of one table differ in their words, not in their colours alone.
struct QuantityColumn {
  std::string_view head;
  std::string_view of;  // second line, to tell columns of one heading apart; empty: none needed
  std::size_t quantity;
  SeriesHue hue;
  NumberForm form = NumberForm::Small;
  bool nan = false;  // NaN is a result
};

struct LegendEntry {
  std::string_view words;
  SeriesHue hue;
};

/// The numbers at the chosen value and elsewhere.
class ExperimentNumbers {
 public:
  ExperimentNumbers(const ShownExperiment& shown, std::size_t point) : shown_(&shown), point_(point) {}
  double value() const { return shown_->experiment->values[point_]; }
  std::size_t point() const { return point_; }
  double operator[](std::size_t quantity) const { return at(point_, quantity); }
  double at(std::size_t point, std::size_t quantity) const {
    const auto& measured = shown_->points[point];
    return measured ? (*measured)[quantity].typical : std::numeric_limits<double>::quiet_NaN();
  }
  double at_value(double value, std::size_t quantity) const {
    return at(experiments::nearest(*shown_->experiment, value), quantity);
  }
  /// "0.79"; "…" while it is unknown.
  std::string say(std::size_t quantity, NumberForm form = NumberForm::Small) const {
    return said((*this)[quantity], form);
  }
  static std::string said(double number, NumberForm form = NumberForm::Small) {
    // A number and its unit are not translated, and neither is the "…" of an unknown number.
    return own_number(std::isnan(number) ? "…" : written_number(form, number));
  }

 private:
  const ShownExperiment* shown_;
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
  std::string (*value)(double) = nullptr;  // how the slider and the table write a value
  std::vector<LegendEntry> legend;
  std::vector<PlotRow> plots;
  std::vector<QuantityColumn> columns;
  std::string_view picture_title = "Weights";
  std::string (*picture_a)(double) = nullptr, (*picture_b)(double) = nullptr;
  float picture_high = 0;  // upper end of the colours; 0: the largest number
  ExperimentHeadline headline;
  std::vector<std::string> (*sentences)(const ExperimentNumbers&) = nullptr;
  bool kinds = false;                     // the values have no order: bars instead of lines
  std::string_view computed = "float64";  // number type; for runs of the engine: the type it uses
  std::string_view repeats = "seeds";     // what the bands extend over
  std::vector<float> thumb_a, thumb_b;    // from 0 to 1, over equal steps
};

/// All experiments, in the order of core/experiments.
std::span<const ExperimentWords> experiment_words();
/// The words of an experiment in that list.
const ExperimentWords& words_of(const experiments::Experiment&);

// One function for each experiment.
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

// core/experiments: one number is swept and what follows from it is measured in float64, over several seeds:
// numbers for plots and a table, and for every value the Documents that it was measured on.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/document/document.hpp"
#include "core/experiments/online.hpp"

namespace attnscope::experiments {

/// One quantity over all seeds; NaN: not known, or nothing that this value of the sweep has.
struct Band {
  double typical = std::numeric_limits<double>::quiet_NaN();  // mean or median, see the quantity
  double least = typical, greatest = typical;
};
/// All quantities of one value, in the order of the experiment's names.
using Measured = std::vector<Band>;

/// What was measured as it is, and with the change.
struct States {
  Document a;
  std::optional<Document> b;
};

/// Two matrices to look at; empty where there is none.
struct Pictures {
  Tensor a, b;  // [queries][keys]
};

struct Experiment {
  std::string_view name;  // in sessions and names of files
  std::vector<double> values;
  std::size_t rest = 0;  // the value that it begins with
  std::size_t seeds = 1;
  /// Of the quantities, in tables that programs read.
  std::vector<std::string_view> quantities;
  /// Throws Cancelled soon after `stop` fires. Thread-safe.
  Measured (*measure)(double value, const std::stop_token& stop);
  /// Of the first seed. Thread-safe.
  States (*states)(double value);
  /// Instead of the first head's weights.
  Pictures (*pictures)(double value, const std::stop_token& stop) = nullptr;
  /// One query's row, taken tile by tile.
  OnlineRow (*online)(double value) = nullptr;
  /// Documents are not made larger than for this value.
  double most_shown = std::numeric_limits<double>::infinity();
};

/// All of them, in the order in which they are numbered.
std::span<const Experiment> all();
/// Null where there is none of that name.
const Experiment* find(std::string_view name);
/// The value of the sweep next to a number, by its place.
std::size_t nearest(const Experiment&, double value);

/// A value to look at: its Documents and their weights, or what the experiment shows instead.
struct Look {
  double value = 0;
  States states;
  Pictures pictures;
  OnlineRow online;  // without tiles where the experiment has none
};
/// Throws Error or Cancelled.
Look look(const Experiment&, double value, const std::stop_token& stop);

/// Radians that each pair of the experiment "phasors" has turned at that distance, as it is or interpolated.
std::vector<double> phasor_angles(double distance, bool is_interpolated);

/// A table for programs: a line a value, each quantity with its least and greatest where there are seeds.
/// Values that are not measured yet are left out.
std::string csv(const Experiment&, std::span<const std::optional<Measured>> points);

}  // namespace attnscope::experiments

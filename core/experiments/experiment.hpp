// core/experiments: an experiment sweeps one number and measures quantities in float64 over several seeds:
// numbers for plots and a table, and for every value the Documents it was measured on.
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

/// One quantity over all seeds; NaN: unknown, or not defined for this value of the sweep.
struct Band {
  double typical = std::numeric_limits<double>::quiet_NaN();  // mean or median, see the quantity
  double least = typical, greatest = typical;
};
/// All quantities of one value, in the order of the experiment's names.
using Measured = std::vector<Band>;

/// The Documents measured: a without the change, b with it.
struct States {
  Document a;
  std::optional<Document> b;
};

/// Two matrices to show; empty if there is none.
struct Pictures {
  Tensor a, b;  // [queries][keys]
};

struct Experiment {
  std::string_view name;  // in sessions and names of files
  std::vector<double> values;
  std::size_t rest = 0;  // index of the initial value
  std::size_t seeds = 1;
  /// Names of the quantities in tables for programs.
  std::vector<std::string_view> quantities;
  /// Throws Cancelled soon after `stop` fires. Thread-safe.
  Measured (*measure)(double value, const std::stop_token& stop);
  /// Of the first seed. Thread-safe.
  States (*states)(double value);
  /// Pictures to show instead of the first head's weights; null: none.
  Pictures (*pictures)(double value, const std::stop_token& stop) = nullptr;
  /// One query's row, processed tile by tile; null: none.
  OnlineRow (*online)(double value) = nullptr;
  /// The largest value for which Documents are made; larger ones show this one's.
  double most_shown = std::numeric_limits<double>::infinity();
};

/// All experiments in the order of their numbers.
std::span<const Experiment> all();
/// Null if there is no experiment of this name.
const Experiment* find(std::string_view name);
/// The index of the sweep's value nearest to a number.
std::size_t nearest(const Experiment&, double value);

/// The data shown for a value: its Documents and their weights, or the experiment's own pictures.
struct Look {
  double value = 0;
  States states;
  Pictures pictures;
  OnlineRow online;  // without tiles if the experiment has none
};
/// Throws Error or Cancelled.
Look look(const Experiment&, double value, const std::stop_token& stop);

/// The angle in radians of each pair of the experiment "phasors" at this distance, plain or interpolated.
std::vector<double> phasor_angles(double distance, bool is_interpolated);

/// A table for programs: one line for each value, each quantity with its least and greatest if there are
/// several seeds. Values that are not measured yet are left out.
std::string csv(const Experiment&, std::span<const std::optional<Measured>> points);

}  // namespace attnscope::experiments

// core/edits: a sweep of one number of a layer, with a Document for each value, from which an animated
// picture is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope::edit {

/// The numbers that can be swept.
enum class Knob : std::uint8_t { Temperature, Scale, DK, SoftCap, WindowLeft, Seed };

struct KnobInfo {
  Knob knob;
  std::string_view id;     // on the command line
  std::string_view words;  // on screen
  double least, most;      // values outside are rejected
  double from, to;         // the default range
  bool log;                // values have equal ratios; else equal differences
  bool whole;              // whole numbers
};
std::span<const KnobInfo> knob_table();
const KnobInfo& info(Knob);

/// The knobs that have an effect in this Document: not the scale if the file has only weights, no widths and
/// seeds if queries, keys and values are given.
std::vector<Knob> knobs_of(const Document&);

/// A range, both ends included.
struct Sweep {
  Knob knob = Knob::Temperature;
  double from = 0.1, to = 10;
  int frames = 25;
  bool operator==(const Sweep&) const = default;
};
inline constexpr int least_frames = 2, most_frames = 120;

/// The default range of a knob.
Sweep whole_sweep(Knob);
/// Throws Error with the number, its value and the expected range: for an end outside the knob's range, and
/// for too few or too many frames.
void check(const Sweep&);
/// The values, starting with `from`, without repetitions: a knob of whole numbers may have fewer than
/// `frames`.
std::vector<double> values_of(const Sweep&);
/// The Document with the knob at that value.
Document turned(Document, Knob, double value);

/// Parses the command line's "temperature:0.1:10" or "temperature:0.1:10:25". Throws Error with the expected
/// form; the result passes check().
Sweep parse_sweep(std::string_view text);

}  // namespace attnscope::edit

// core/edits: one number of a layer that is turned from one end to the other, a Document for each value: what
// an animated picture of it is drawn from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope::edit {

/// What can be turned.
enum class Knob : std::uint8_t { Temperature, Scale, DK, SoftCap, WindowLeft, Seed };

struct KnobInfo {
  Knob knob;
  std::string_view id;     // on the command line
  std::string_view words;  // on screen
  double least, most;      // values outside are refused
  double from, to;         // proposed
  bool log;                // values stand at equal ratios; else at equal distances
  bool whole;              // whole numbers
};
std::span<const KnobInfo> knob_table();
const KnobInfo& info(Knob);

/// Those that change something in this Document: not the scale of a file that has the weights alone, no
/// widths and seeds where queries, keys and values are given.
std::vector<Knob> knobs_of(const Document&);

/// From one end to the other, both included.
struct Sweep {
  Knob knob = Knob::Temperature;
  double from = 0.1, to = 10;
  int frames = 25;
  bool operator==(const Sweep&) const = default;
};
inline constexpr int least_frames = 2, most_frames = 120;

/// The whole range that is proposed for a knob.
Sweep whole_sweep(Knob);
/// Throws Error that names the number, what it is and what is expected: an end outside the knob's range, too
/// few or too many frames.
void check(const Sweep&);
/// The values, from `from` on; each is there once, so that a knob of whole numbers may have fewer than
/// `frames`.
std::vector<double> values_of(const Sweep&);
/// The Document with the knob at that value.
Document turned(Document, Knob, double value);

/// "temperature:0.1:10" or "temperature:0.1:10:25", as the command line says it. Throws Error with what is
/// expected; the result is checked.
Sweep parse_sweep(std::string_view text);

}  // namespace attnscope::edit

#include "core/edits/sweep.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/known.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope::edit {
namespace {

constexpr std::array knobs{
    KnobInfo{Knob::Temperature, "temperature", "temperature", 0.01, 100, 0.1, 10, true, false},
    KnobInfo{Knob::Scale, "scale", "scale", 0.001, 100, 0.02, 2, true, false},
    KnobInfo{Knob::DK, "d_k", "dₖ", 1, 4096, 1, 256, true, true},
    KnobInfo{Knob::SoftCap, "softcap", "soft-cap", 0.01, 1000, 0.2, 20, true, false},
    KnobInfo{Knob::WindowLeft, "window", "window to the left", 0, 1 << 20, 0, 12, false, true},
    KnobInfo{Knob::Seed, "seed", "seed", 0, 99'999, 1, 25, false, true},
};

bool has_drawn_weights(const Document& document) {
  return !document.input.is_given() && !document.within.read() &&
         document.layer().weights.recipe != Recipe::Given;
}

std::string ids() {
  std::string all;
  for (const KnobInfo& knob : knobs) {
    if (!all.empty()) all += ", ";
    all += knob.id;
  }
  return all;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::span<const KnobInfo> knob_table() { return knobs; }

const KnobInfo& info(Knob knob) { return knobs[static_cast<std::size_t>(knob)]; }

std::vector<Knob> knobs_of(const Document& document) {
  std::vector<Knob> all;
  for (const KnobInfo& row : knobs) {
    const bool draws = row.knob == Knob::DK || row.knob == Knob::Seed;
    const bool scores = row.knob != Knob::Seed && row.knob != Knob::DK;
    if (draws && !has_drawn_weights(document)) continue;
    if (scores && !knows_scores(document)) continue;
    all.push_back(row.knob);
  }
  return all;
}

Sweep whole_sweep(Knob knob) {
  const KnobInfo& row = info(knob);
  return {.knob = knob, .from = row.from, .to = row.to};
}

void check(const Sweep& sweep) {
  const KnobInfo& row = info(sweep.knob);
  for (const double end : {sweep.from, sweep.to})
    if (!(end >= row.least && end <= row.most))
      throw Error(
          fmt::format("A sweep of {} cannot reach {}; expected {} to {}.", row.id, end, row.least, row.most));
  if (sweep.from == sweep.to)
    throw Error(fmt::format("A sweep of {} from {} to {} has one value; expected two ends.", row.id,
                            sweep.from, sweep.to));
  if (sweep.frames < least_frames || sweep.frames > most_frames)
    throw Error(fmt::format("A sweep of {} frames cannot be drawn; expected {} to {}.", sweep.frames,
                            least_frames, most_frames));
}

std::vector<double> values_of(const Sweep& sweep) {
  const KnobInfo& row = info(sweep.knob);
  std::vector<double> values;
  for (int i = 0; i < sweep.frames; ++i) {
    const double share = static_cast<double>(i) / (sweep.frames - 1);
    double value = row.log ? sweep.from * std::pow(sweep.to / sweep.from, share)
                           : sweep.from + (sweep.to - sweep.from) * share;
    if (i == sweep.frames - 1) value = sweep.to;  // exactly
    if (row.whole) value = std::round(value);
    if (values.empty() || values.back() != value) values.push_back(value);
  }
  return values;
}

Document turned(Document document, Knob knob, double value) {
  const auto number = static_cast<float>(value);
  switch (knob) {
    case Knob::Temperature: document.layer().temperature = number; return document;
    case Knob::Scale: document.layer().scaling = {Scaling::Kind::Factor, number}; return document;
    case Knob::DK: return d_k(std::move(document), static_cast<int>(value));
    case Knob::SoftCap: document.layer().soft_cap = number; return document;
    case Knob::WindowLeft: document.layer().masking.window.left = static_cast<int>(value); return document;
    case Knob::Seed: return seed(std::move(document), static_cast<std::uint64_t>(value));
  }
  return document;
}

Sweep parse_sweep(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto row = std::ranges::find(knobs, parts.front(), &KnobInfo::id);
  if (row == knobs.end())
    throw Error(fmt::format("There is no knob \"{}\" to sweep; there are: {}.", parts.front(), ids()));
  Sweep sweep = whole_sweep(row->knob);
  const auto expected = [&] {
    return Error(fmt::format(
        "Cannot read the sweep \"{}\"; expected KNOB, KNOB:FROM:TO or KNOB:FROM:TO:FRAMES.", text));
  };
  if (parts.size() == 2 || parts.size() > 4) throw expected();
  if (parts.size() > 2) {
    const auto from = number_in(parts[1]), to = number_in(parts[2]);
    if (!from || !to) throw expected();
    sweep.from = *from;
    sweep.to = *to;
  }
  if (parts.size() > 3) {
    const auto frames = number_in(parts[3]);
    if (!frames || *frames != std::floor(*frames) || std::abs(*frames) > 1e6) throw expected();
    sweep.frames = static_cast<int>(*frames);
  }
  check(sweep);
  return sweep;
}

}  // namespace attnscope::edit

// app/views/controls: how positions of tokens enter the scores.
#include "core/attention/positions.hpp"

#include <algorithm>
#include <array>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/controls/position_words.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/enum_names.hpp"
#include "core/document/known.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/model.hpp"

namespace attnscope {
namespace {

/// Moves settings that check() would refuse together to the nearest accepted ones.
void make_fit(PositionSettings& s) {
  const int least = s.buckets_two_sided ? 4 : 2;
  s.buckets = std::clamp(s.buckets, least, 4096);
  if (s.buckets_two_sided) s.buckets += s.buckets % 2;
  s.bucket_distance =
      std::clamp(s.bucket_distance, least_bucket_distance(s.buckets, s.buckets_two_sided), 1 << 24);
}

struct Scaled {
  const char* name;
  std::string_view note, why;
};

/// In the order of the enumerators.
constexpr std::array<Scaled, 6> scalings{{
    {"Not scaled", "ω as trained", "As far as training reached; further positions meet new angles."},
    {"Linear", "ω / s", "Position interpolation: every position is divided by the factor."},
    {"Dynamic NTK", "base · (s·n/L − s + 1)^(r/(r−2))",
     "The base grows as soon as the text is longer than the trained length; the fastest pair stays."},
    {"YaRN", "ω / s … ω by pair, × (0.1 ln s + 1)",
     "Slow pairs are divided by the factor, fast ones stay, a ramp between; queries and keys grow."},
    {"Llama 3", "ω / s … ω by wavelength",
     "Pairs with few turns within the trained length are divided by the factor, those with many stay."},
    {"LongRoPE", "ω / λ by pair, × √(1 + ln s / ln L)",
     "Each pair is divided by a number of its own, another one once the text is longer than the trained "
     "length; the numbers come from a model's files."},
}};

/// A slider for a bound, in turns within the trained length.
void turns_row(Column& c, const char* label, std::string_view shown, float& turns, float rest,
               const Tip& tip) {
  if (const auto moved = slider(c.ui(), label, shown, fixed(static_cast<double>(turns), 2), c.row(36, 4),
                                turns, {0.01f, 100, rest, true}, turns != rest, tip))
    turns = *moved;
}

void turns_rows(Column& c, PositionSettings& s) {
  constexpr Tip few{"Few turns", "turns = L·ω / 2π",
                    "Pairs that turn less often within the trained length are divided by the whole factor."};
  constexpr Tip many{"Many turns", "turns = L·ω / 2π",
                     "Pairs that turn more often within the trained length stay as they are."};
  const bool yarn = s.rope_scaling == RopeScaling::Yarn;
  float& low = yarn ? s.rope_slow_turns : s.rope_low_turns;
  float& high = yarn ? s.rope_fast_turns : s.rope_high_turns;
  const float low_was = low, high_was = high;
  turns_row(c, "Few turns", "few turns", low, 1, few);
  turns_row(c, "Many turns", "many turns", high, yarn ? 32.f : 4.f, many);
  // A moved bound pushes the other one: check() requires low < high.
  if (low != low_was) high = std::max(high, low * 1.01f);
  if (high != high_was && low >= high) low = high / 1.01f;
}

/// RoPE scaling, for texts longer than those of training.
void scaling_rows(Column& c) {
  PositionSettings& s = c.document().layer().position_settings;
  const Scaled& now = scalings[static_cast<std::size_t>(s.rope_scaling)];
  drop(c.ui(), "RoPE scaling", c.row(28), now.name, {"RoPE scaling", now.note, now.why}, [&] {
    for (std::size_t i = 0; i < scalings.size(); ++i) {
      const auto which = static_cast<RopeScaling>(i);
      if (menu_row(c.ui(), scalings[i].name, scalings[i].note, s.rope_scaling == which))
        s.rope_scaling = which;
    }
  });
  if (s.rope_scaling == RopeScaling::None) return;
  if (const auto moved = slider(
          c.ui(), "RoPE factor", "factor s", fixed(static_cast<double>(s.rope_factor), 2), c.row(36, 4),
          s.rope_factor, {1, 64, 8, true}, s.rope_factor != 1,
          {"Factor s", "of the trained length", "How much longer the texts may be; 1 changes nothing."}))
    s.rope_factor = std::max(1.f, *moved);
  if (s.rope_scaling == RopeScaling::Linear) return;
  const auto next = [&](int step) {
    return std::int64_t{step > 0 ? s.rope_trained * 2 : s.rope_trained / 2};
  };
  if (const auto n = c.number("Trained length", "trained length L", s.rope_trained, next,
                              {"Trained length L", "tokens", "The longest text that training showed."}))
    s.rope_trained = static_cast<int>(std::clamp<std::int64_t>(*n, 1, 1 << 24));
  if (!depends_on_length(s.rope_scaling)) return turns_rows(c, s);
  const LayerResult& shown = c.scene.result;
  if (rope_length(shown.document, shown.dimensions) <= s.rope_trained)
    c.remark(s.rope_scaling == RopeScaling::Dynamic
                 ? "The text is not longer than the trained length: nothing is scaled yet."
                 : "The text is not longer than the trained length: its numbers are those of short texts.");
}

void rotary_rows(Column& c) {
  PositionSettings& s = c.document().layer().position_settings;
  if (const auto moved =
          slider(c.ui(), "RoPE base", "base", grouped(std::lround(s.rope_base)), c.row(36, 4), s.rope_base,
                 {10, 1e6f, 10000, true}, s.rope_base != 10000,
                 {"Base", "angle = p · base^(−2i/r)",
                  "Larger bases turn slower: the last pair needs 2π·base^(1−2/r) tokens for one turn."}))
    s.rope_base = std::max(1.01f, *moved);
  const std::int64_t d_k = c.scene.result.dimensions.d_k, now = rotated_dims(c.document(), d_k),
                     all = has_latent(c.document()) ? shared_key_width(c.document()) / 2 * 2 : d_k - d_k % 2;
  const auto next = [&](int step) { return now + 2 * step; };
  if (const auto n = c.number("Rotated dims", "rotated dims", now, next,
                              {"Rotated dimensions r", "dimensions 0 … r − 1 of dₖ",
                               "The other dimensions are not rotated, as in GPT-NeoX."})) {
    const std::int64_t even = std::clamp<std::int64_t>(*n / 2 * 2, 2, std::max<std::int64_t>(all, 2));
    s.rope_dims = even == all ? 0 : static_cast<int>(even);
  }
  scaling_rows(c);
}

/// Width of the image and side of a window, which are settings of the mask's pattern.
void image_rows(Column& c) {
  Sparsity& s = c.document().layer().masking.sparsity;
  c.whole_number(
      "Image width", "patches in a row", s.grid, {1, 1 << 20},
      {"Patches in a row", "row = ⌊p / n⌋, column = p mod n", "How wide the image is, in tokens."});
  c.whole_number("Window side", "side of a window M", s.side, {1, max_window_side},
                 {"Side of a window M", "(2M − 1)² numbers per head",
                  "Patches that are M or more rows or columns apart share no window: their bias is 0."});
  s.shift = std::min(s.shift, s.side - 1);
  if (s.kind != Sparsity::Kind::Windows)
    c.remark("Mask, pattern “2-D windows” hides what is outside a window, as Swin does.");
}

void disentangled_rows(Column& c) {
  PositionSettings& s = c.document().layer().position_settings;
  c.whole_number("Relative span", "span k", s.span, {1, max_relative_span},
                 {"Span k", "δ = i − j + k, from 0 to 2k − 1",
                  "Tokens k or more apart share a vector, one for each direction."});
  c.turn("Content to position", "content → position", s.content_to_position,
         {"Content to position", "Qᵢ · Kᵣ[δ]", "What the query says to the key's relative position."});
  c.turn("Position to content", "position → content", s.position_to_content,
         {"Position to content", "Kⱼ · Qᵣ[δ]", "What the key says to the query's relative position."}, 8);
}

void bucket_rows(Column& c) {
  PositionSettings& s = c.document().layer().position_settings;
  if (c.whole_number("Buckets", "buckets", s.buckets, {0, 4096, s.buckets_two_sided ? 2 : 1},
                     {"Buckets", "half for single distances, the rest grow",
                      "Each has a number per head. Fewer make far keys alike sooner."}))
    make_fit(s);
  const auto further = [&](int step) {
    return std::int64_t{step > 0 ? s.bucket_distance * 2 : s.bucket_distance / 2};
  };
  if (const auto n = c.number("Bucket distance", "up to distance", s.bucket_distance, further,
                              {"Distance", "from here on one bucket",
                               "All keys at least this far away share the last bucket."})) {
    s.bucket_distance = static_cast<int>(std::clamp<std::int64_t>(*n, 1, 1 << 24));
    make_fit(s);
  }
  if (c.turn("Two-sided", "both sides", s.buckets_two_sided,
             {"Both sides", "buckets for j < p and for j > p",
              "Off: all keys after the query share bucket 0, as in T5's decoder."},
             8))
    make_fit(s);
}

std::string rope_scaling_of(const PositionSettings& mine, const PositionSettings& theirs) {
  const std::string name(enum_name(mine.rope_scaling).words);
  if (mine.rope_scaling == RopeScaling::None || mine.rope_scaling != theirs.rope_scaling)
    return mine.rope_scaling == theirs.rope_scaling ? std::string() : name;
  if (mine.rope_factor != theirs.rope_factor)
    return "RoPE factor " + own_number(fixed(static_cast<double>(mine.rope_factor), 2));
  if (mine.rope_scaling == RopeScaling::Linear) return {};
  if (mine.rope_trained != theirs.rope_trained) return "trained for " + std::to_string(mine.rope_trained);
  if (depends_on_length(mine.rope_scaling)) return {};
  const bool yarn = mine.rope_scaling == RopeScaling::Yarn;
  const auto bounds = [&](const PositionSettings& s) {
    const float low = yarn ? s.rope_slow_turns : s.rope_low_turns;
    return own_number(fixed(static_cast<double>(low), 2)) + " to " +
           own_number(fixed(static_cast<double>(yarn ? s.rope_fast_turns : s.rope_high_turns), 2)) + " turns";
  };
  return bounds(mine) == bounds(theirs) ? std::string() : bounds(mine);
}

}  // namespace

std::string words_of_position_settings(const LayerSpec& layer, const LayerSpec& other) {
  const PositionSettings &mine = layer.position_settings, &theirs = other.position_settings;
  switch (layer.positions) {
    case Positions::RopeHalf:
    case Positions::RopeInterleaved:
      if (mine.rope_base != theirs.rope_base)
        return "RoPE base " + own_number(fixed(static_cast<double>(mine.rope_base), 0));
      if (mine.rope_dims != theirs.rope_dims)
        return mine.rope_dims == 0 ? "all turned" : std::to_string(mine.rope_dims) + " turned";
      return rope_scaling_of(mine, theirs);
    case Positions::RelativeBuckets:
      if (mine.buckets != theirs.buckets) return std::to_string(mine.buckets) + " buckets";
      if (mine.bucket_distance != theirs.bucket_distance)
        return "buckets to " + std::to_string(mine.bucket_distance);
      if (mine.buckets_two_sided != theirs.buckets_two_sided)
        return mine.buckets_two_sided ? "two-sided" : "one-sided";
      return {};
    case Positions::RelativeWindows: {
      const Sparsity &image = layer.masking.sparsity, &other_image = other.masking.sparsity;
      if (image.side != other_image.side) return "windows of " + std::to_string(image.side) + "²";
      if (image.grid != other_image.grid) return std::to_string(image.grid) + " in a row";
      return {};
    }
    case Positions::Disentangled:
      if (mine.span != theirs.span) return "span " + std::to_string(mine.span);
      if (mine.content_to_position != theirs.content_to_position)
        return mine.content_to_position ? "with c2p" : "without c2p";
      if (mine.position_to_content != theirs.position_to_content)
        return mine.position_to_content ? "with p2c" : "without p2c";
      return {};
    default: return {};
  }
}

void positions_section(Column& c) {
  Document& document = c.document();
  const bool given = document.input.is_given(), inside = static_cast<bool>(document.within.read());
  Positions now = document.layer().positions;
  if (given && position_facts(now).of_tokens) now = Positions::None;
  const PositionFacts& kind = position_facts(now);
  const bool known = knows_scores(document);
  if (c.begin({.which = Section::Positions,
               .label = "Positions",
               .note = known && !(given && now == Positions::None) ? std::string(kind.short_note)
                                                                   : std::string()})) {
    if (!known) {
      c.remark("Not in the file: it has the weights alone.");
      return c.end();
    }
    const std::string_view shown = given && now == Positions::None ? "None added here" : kind.label;
    drop(c.ui(), "Positions kind", c.row(28), shown, {kind.label, kind.note, kind.why, "O"}, [&] {
      for (const PositionFacts& each : position_schemes) {
        if ((given && each.of_tokens) || (inside && !edit::can_have(document.within.read(), each.scheme)))
          continue;
        if (menu_row(c.ui(), std::string(each.label).c_str(), each.note, now == each.scheme))
          document.layer().positions = each.scheme;
      }
    });
    if (are_positions_guessed(document)) {
      c.remark(now == Positions::None ? "Guessed: applied." : "Guessed: not applied yet.", true);
      c.remark(document.input.given().guesses.positions);
    }
    if (inside) c.remark("Inside a model: kinds that need no learned table.");
    if (is_rotary(now)) rotary_rows(c);
    if (now == Positions::RelativeBuckets) bucket_rows(c);
    if (now == Positions::RelativeWindows) image_rows(c);
    if (now == Positions::Disentangled) disentangled_rows(c);
  }
  c.end();
}

}  // namespace attnscope

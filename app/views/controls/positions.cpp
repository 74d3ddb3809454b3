// app/views/controls: how positions of tokens enter the scores.
#include "core/attention/positions.hpp"

#include <algorithm>
#include <array>

#include "app/kit/ui/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/enum_names.hpp"
#include "core/document/known.hpp"
#include "core/edits/dump.hpp"
#include "core/edits/model.hpp"

namespace attnscope {
namespace {

struct Kind {
  std::string_view note, short_note;  // in the list, and beside the title
};

/// In the order of the enumerators.
constexpr std::array<Kind, EnumNames<Positions>::list.size()> kinds{{
    {"X = token vectors", "none"},
    {"sin, cos (t / 10000^(2i/d))", "sinusoidal"},
    {"a vector for each position", "learned"},
    {"b(head, bucket of j − p)", "buckets"},
    {"− slope · |j − p|", "ALiBi"},
    {"pairs (i, i + r/2) turn", "RoPE"},
    {"pairs (2i, 2i + 1) turn", "RoPE"},
    {"b(head, Δrow, Δcolumn)", "windows"},
    {"q·k + q·kᵣ + k·qᵣ", "disentangled"},
}};

std::string_view why(Positions kind) {
  switch (kind) {
    case Positions::None:
      return "Without a causal or local mask, permuting the tokens only permutes the output rows.";
    case Positions::Sinusoidal: return "Sines and cosines of the position; a shift rotates each pair.";
    case Positions::Learned:
      return "As in BERT and GPT-2; here drawn from the seed unless a file gives them.";
    case Positions::RelativeBuckets:
      return "As in T5: a bias per head and distance bucket, added to the scores; far distances share a "
             "bucket.";
    case Positions::Alibi:
      return "A penalty proportional to distance, with a fixed slope per head; nothing is learned.";
    case Positions::RopeHalf:
    case Positions::RopeInterleaved:
      return "Queries and keys are rotated by their positions: q·k depends on their contents and their "
             "signed distance, not on absolute positions.";
    case Positions::RelativeWindows:
      return "As in Swin: tokens are patches of an image, row by row. A bias per head for the rows and the "
             "columns between two patches of a window.";
    case Positions::Disentangled:
      return "As in DeBERTa: contents meet contents, and vectors of relative positions, which go through W_Q "
             "and W_K too. The sum of the three is divided by √(3·dₖ).";
  }
  return {};
}

/// Moves settings that check() would refuse together to the nearest accepted ones.
void make_fit(PositionSettings& s) {
  const int least = s.buckets_two_sided ? 4 : 2;
  s.buckets = std::clamp(s.buckets, least, 4096);
  if (s.buckets_two_sided) s.buckets += s.buckets % 2;
  const int exact = s.buckets / (s.buckets_two_sided ? 4 : 2);  // buckets for single distances, a side
  s.bucket_distance = std::clamp(s.bucket_distance, exact + 1, 1 << 24);
}

struct Scaled {
  const char* name;
  std::string_view note, why;
};

/// In the order of the enumerators.
constexpr std::array<Scaled, 5> scalings{{
    {"Not scaled", "ω as trained", "As far as training reached; further positions meet new angles."},
    {"Linear", "ω / s", "Position interpolation: every position is divided by the factor."},
    {"Dynamic NTK", "base · (s·n/L − s + 1)^(r/(r−2))",
     "The base grows as soon as the text is longer than the trained length; the fastest pair stays."},
    {"YaRN", "ω / s … ω by pair, × (0.1 ln s + 1)",
     "Slow pairs are divided by the factor, fast ones stay, a ramp between; queries and keys grow."},
    {"Llama 3", "ω / s … ω by wavelength",
     "Pairs with few turns within the trained length are divided by the factor, those with many stay."},
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
  if (s.rope_scaling != RopeScaling::Dynamic) return turns_rows(c, s);
  const LayerResult& shown = c.scene.result;
  if (rope_length(shown.document, shown.dimensions) <= s.rope_trained)
    c.remark("The text is not longer than the trained length: nothing is scaled yet.");
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

}  // namespace

void positions_section(Column& c) {
  Document& document = c.document();
  const bool given = document.input.is_given(), inside = static_cast<bool>(document.within.read());
  Positions now = document.layer().positions;
  if (given && position_facts(now).of_tokens) now = Positions::None;
  const Kind& kind = kinds[static_cast<std::size_t>(now)];
  const bool known = knows_scores(document);
  if (c.begin({.which = Section::Positions,
               .label = "Positions",
               .note = known && !(given && now == Positions::None) ? std::string(kind.short_note)
                                                                   : std::string()})) {
    if (!known) {
      c.remark("Not in the file: it has the weights alone.");
      return c.end();
    }
    const std::string_view shown = given && now == Positions::None ? "None added here" : enum_name(now).label;
    drop(c.ui(), "Positions kind", c.row(28), shown, {enum_name(now).label, kind.note, why(now), "O"}, [&] {
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        const auto which = static_cast<Positions>(i);
        if ((given && position_facts(which).of_tokens) ||
            (inside && !edit::can_have(document.within.read(), which)))
          continue;
        if (menu_row(c.ui(), std::string(enum_name(which).label).c_str(), kinds[i].note, now == which))
          document.layer().positions = which;
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

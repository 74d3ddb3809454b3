// core/transformer: the positional encodings of layers, models and networks that are trained, and what each
// is: one table, which all others ask. Its formulas: core/transformer/positions/. Layers, models and networks
// refuse those they do not have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attnscope {

/// Positional encodings.
enum class Positions : std::uint8_t {
  None,
  Sinusoidal,       // Vaswani et al. 2017, section 3.5
  Learned,          // a vector for each position, from Parameter::PositionTable or from the seed
  RelativeBuckets,  // T5: a number for each head and bucket of distances (Raffel et al. 2020, section 2.1)
  Alibi,            // -slope · |distance|, a slope for each head (Press et al. 2022)
  RopeHalf,  // rotates the pairs (i, i + r/2) of the first r dimensions (Su et al. 2021; Llama's layout)
  RopeInterleaved,  // rotates the pairs (2i, 2i + 1) of the first r dimensions (Su et al. 2021; GPT-J's
                    // layout)
  RelativeWindows,  // Swin: a number for each head, rows apart and columns apart in a window of the image of
                    // Sparsity::grid and side (Liu et al. 2021, section 3.2, equation 4)
  Disentangled,     // queries and keys are also multiplied with relative-position vectors (He et al. 2021)
};

/// Whether a layer, counted from 0, has rotary positions where of layers counted from 1 those divisible by
/// `interval` have none (SmolLM3's no_rope_layer_interval); with 0 all have them.
inline bool rotates(std::size_t layer, int interval) {
  return interval == 0 || (layer + 1) % static_cast<std::size_t>(interval) != 0;
}

/// Where positions enter the computation. Graphics cards compute Heads and Distances; a bias of Cells is made
/// on the CPU.
enum class PositionPlace : std::uint8_t {
  Nowhere,
  Tokens,     // vectors are added to those of the tokens
  Heads,      // queries and keys are rotated
  Distances,  // a bias for each head and distance key - query is added to the scores
  Cells,      // a bias for each head, query and key is
};

struct PositionFacts {
  Positions scheme;
  std::string_view key, label, words;      // see EnumName in core/document/enum_names.hpp
  std::string_view note, short_note, why;  // on the control: beside label and title, in the tooltip
  PositionPlace place = PositionPlace::Nowhere;
  bool of_tokens = false;  // reads the vectors of tokens, so that it has no effect on given Q, K and V
  /// Why the attention of a long text is not streamed with it, one sentence; empty if it is.
  std::string_view not_streamed = {};
  /// Whether the blocks of a model can have it; those that are added to tokens are StackSpec::embedded.
  bool in_blocks = false;
  /// What a block of a model that lacks it cannot be given, behind "cannot have"; empty if any block can.
  std::string_view refused_inside = {};
  std::string_view table = {};  // its learned table in a list of differences
  /// Of the bias: its formula, what it is, and what it goes by.
  std::string_view bias = "b(head, key − query)", bias_why = "Position bias, added to every logit.",
                   bias_by = "by distance";
};

inline constexpr std::string_view added_to_first =
    "positions that are added to the tokens before the first layer";
inline constexpr std::string_view needs_table =
    "positions with a learned table, which the model does not have";
inline constexpr std::string_view why_rotary =
    "Queries and keys are rotated by their positions: q·k depends on their contents and their signed "
    "distance, not on absolute positions.";

/// Which of them has a learned table, and of which shape: core/document/parameters.hpp.
inline constexpr auto position_schemes = std::to_array<PositionFacts>({
    {.scheme = Positions::None,
     .key = "none",
     .label = "None",
     .words = "no positions",
     .note = "X = token vectors",
     .short_note = "none",
     .why = "Without a causal or local mask, permuting the tokens only permutes the output rows.",
     .in_blocks = true},
    {.scheme = Positions::Sinusoidal,
     .key = "sinusoidal",
     .label = "Sinusoidal",
     .words = "sinusoidal",
     .note = "sin, cos (t / 10000^(2i/d))",
     .short_note = "sinusoidal",
     .why = "Sines and cosines of the position; a shift rotates each pair.",
     .place = PositionPlace::Tokens,
     .of_tokens = true,
     .refused_inside = added_to_first},
    {.scheme = Positions::Learned,
     .key = "learned",
     .label = "Learned",
     .words = "learned",
     .note = "a vector for each position",
     .short_note = "learned",
     .why = "As in BERT and GPT-2; here drawn from the seed unless a file gives them.",
     .place = PositionPlace::Tokens,
     .of_tokens = true,
     .refused_inside = added_to_first,
     .table = "learned table"},
    {.scheme = Positions::RelativeBuckets,
     .key = "buckets",
     .label = "Relative buckets",
     .words = "T5 buckets",
     .note = "b(head, bucket of j − p)",
     .short_note = "buckets",
     .why =
         "As in T5: a bias per head and distance bucket, added to the scores; far distances share a bucket.",
     .place = PositionPlace::Distances,
     .in_blocks = true,
     .refused_inside = "relative buckets, which need a learned table of as many buckets; the model has none",
     .table = "bucket numbers"},
    {.scheme = Positions::Alibi,
     .key = "alibi",
     .label = "ALiBi",
     .words = "ALiBi",
     .note = "− slope · |j − p|",
     .short_note = "ALiBi",
     .why = "A penalty proportional to distance, with a fixed slope per head; nothing is learned.",
     .place = PositionPlace::Distances,
     .in_blocks = true},
    {.scheme = Positions::RopeHalf,
     .key = "rope-half",
     .label = "RoPE, halves",
     .words = "RoPE",
     .note = "pairs (i, i + r/2) turn",
     .short_note = "RoPE",
     .why = why_rotary,
     .place = PositionPlace::Heads,
     .in_blocks = true},
    {.scheme = Positions::RopeInterleaved,
     .key = "rope-interleaved",
     .label = "RoPE, interleaved",
     .words = "RoPE pairs",
     .note = "pairs (2i, 2i + 1) turn",
     .short_note = "RoPE",
     .why = why_rotary,
     .place = PositionPlace::Heads,
     .in_blocks = true},
    {.scheme = Positions::RelativeWindows,
     .key = "windows",
     .label = "Rows and columns",
     .words = "Swin bias",
     .note = "b(head, Δrow, Δcolumn)",
     .short_note = "windows",
     .why = "As in Swin: tokens are patches of an image, row by row. A bias per head for the rows and the "
            "columns between two patches of a window.",
     .place = PositionPlace::Cells,
     .not_streamed =
         "A position bias over rows and columns of an image needs a number for every score; it is "
         "not streamed.",
     .refused_inside = needs_table,
     .table = "window bias",
     .bias = "b(head, rows, columns)",
     .bias_why = "Position bias by rows and columns between two patches; 0 where no window holds both.",
     .bias_by = "by rows and columns apart"},
    {.scheme = Positions::Disentangled,
     .key = "disentangled",
     .label = "Disentangled",
     .words = "disentangled",
     .note = "q·k + q·kᵣ + k·qᵣ",
     .short_note = "disentangled",
     .why = "As in DeBERTa: contents meet contents, and vectors of relative positions, which go through W_Q "
            "and W_K too. The sum of the three is divided by √(3·dₖ).",
     .place = PositionPlace::Cells,
     .of_tokens = true,
     .not_streamed = "Disentangled positions need a number for every score; they are not streamed.",
     .refused_inside = needs_table,
     .table = "relative vectors",
     .bias = "(Q·Kᵣᵀ + K·Qᵣᵀ) × scale",
     .bias_why = "What queries and keys say to each other's relative positions, added to every logit.",
     .bias_by = "of its content and relative positions"},
});

constexpr bool positions_in_order() {
  for (std::size_t i = 0; i < position_schemes.size(); ++i)
    if (position_schemes[i].scheme != static_cast<Positions>(i)) return false;
  return true;
}
static_assert(positions_in_order());  // position_facts() takes the row with the number of its enumerator

constexpr const PositionFacts& position_facts(Positions which) {
  return position_schemes[static_cast<std::size_t>(which)];
}

/// Whether queries and keys are rotated; whether a bias that depends on the distance alone is added to the
/// scores; whether any bias is; whether vectors are added to those of the tokens.
constexpr bool is_rotary(Positions p) { return position_facts(p).place == PositionPlace::Heads; }
constexpr bool is_distance_bias(Positions p) { return position_facts(p).place == PositionPlace::Distances; }
constexpr bool is_added_to_scores(Positions p) {
  return is_distance_bias(p) || position_facts(p).place == PositionPlace::Cells;
}
constexpr bool is_added_to_tokens(Positions p) { return position_facts(p).place == PositionPlace::Tokens; }

}  // namespace attnscope

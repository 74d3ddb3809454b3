// core/edits: every number a person can edit has a Place: a block, a row, a column. An edit takes a Document
// and returns a consistent one; blocks are shared and never changed, so each edit makes a new block.
//
// Numbers of weights that are edited are Given from then on, and Weights::made_by remembers the recipe they
// came from, so that each can be reset; when the last one is, the recipe is back. A head whose W_Q or W_K (or
// their biases) is edited loses its name in head_names, since the name says what it looks at; W_V and W_O
// leave it. Sinks are set beside any recipe, which therefore stays; a reset makes them 0. Token vectors of a
// text are edited in Input::edited, those of a file in Input::vectors, and the embedding of a text stays
// known. Q, K and V are edited where they are given; elsewhere they follow from X and W.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

enum class Editable : std::uint8_t {
  Input,    // X before positions: the token vectors [batch][tokens][d_model]
  Memory,   // the same of the second text
  Queries,  // given Q, K, V [batch][heads or kv heads][n][d_k or d_v]
  Keys,
  Values,
  PastKeys,  // the given cache
  PastValues,
  QueryWeights,  // from here on in the order of parameter_table: W_Q, W_K, W_V, W_O [fan_in][fan_out]
  KeyWeights,
  ValueWeights,
  OutputWeights,
  QueryBias,  // b_Q, b_K, b_V, b_O: one row
  KeyBias,
  ValueBias,
  OutputBias,
  BiasK,  // the learned key and value that every query sees: one row [kv heads · d]
  BiasV,
  QueryNorm,  // what normed queries and keys are multiplied with: one row [d_k]
  KeyNorm,
  LatentWeights,       // W_DKV [d_model][width of the latent]
  LatentNorm,          // what the normed latent is multiplied with: one row
  QueryLatentWeights,  // the same of the queries' latent
  QueryLatentNorm,
  SinkLogits,  // one row [heads]
};
inline constexpr std::size_t first_editable_parameter = 7;
/// Tables of positions are not edited number by number; they are the last parameters.
inline constexpr std::size_t editable_count =
    first_editable_parameter + static_cast<std::size_t>(Parameter::PositionTable);

constexpr Editable editable_of(Parameter which) {
  return static_cast<Editable>(first_editable_parameter + static_cast<std::size_t>(which));
}
constexpr std::optional<Parameter> parameter_of(Editable block) {
  const auto at = static_cast<std::size_t>(block);
  if (at < first_editable_parameter) return std::nullopt;
  return static_cast<Parameter>(at - first_editable_parameter);
}
static_assert(editable_of(Parameter::WQuery) == Editable::QueryWeights &&
              editable_of(Parameter::BiasV) == Editable::BiasV &&
              editable_of(Parameter::SinkLogits) == Editable::SinkLogits);

struct Place {
  Editable block = Editable::Input;
  std::int64_t row = 0, column = 0;
  std::int64_t b = 0, h = 0;  // sequence of token vectors; sequence and head of given Q, K, V; else 0
  bool operator==(const Place&) const = default;
};

/// Some columns of a row: those of one head, for instance.
struct Columns {
  std::int64_t begin = 0, end = -1;  // -1 = to the end of the row
};

/// "X", "W_Q", "past K": as messages call it.
std::string_view symbol(Editable);
/// The matrix among W_Q, W_K, W_V and W_O; nothing for the other blocks.
std::optional<Projection> projection_of(Editable);
/// The numbers as they are now, gain and edits included; null when the Document has no such block.
TensorPtr numbers_of(const Document&, Editable);
/// The numbers as the embedding, the recipe or the initialiser made them, times their gain: what a reset goes
/// back to. Null where they came as numbers and it is not known what they were before.
TensorPtr made_numbers(const Document&, Editable);
/// Of Input (the embedding's) and the four weight matrices; 1 for the others.
float gain_of(const Document&, Editable);

namespace edit {

/// All of these throw Error, one sentence, when the Document has no such number. Numbers must be finite. An
/// edit that changes nothing returns the Document as it is.
Document number(Document, const Place&, float value);
Document zero_row(Document, const Place& row, Columns = {});
/// 1 at the Place, 0 in the other columns.
Document one_hot_row(Document, const Place& hot, Columns = {});
/// The row becomes Gaussian numbers of that deviation, the same for the same seed, block and row.
struct Noise {
  float deviation = 1;
  std::uint64_t seed = 0;
};
Document noise_row(Document, const Place& row, Noise, Columns = {});
/// Both rows must have the columns.
Document copy_row(Document, const Place& from, const Place& to, Columns = {});
/// Writes the numbers into the row from the Place on.
Document paste_row(Document, const Place& first, std::span<const float> numbers);
/// The whole block becomes 0.
Document zero(Document, Editable);
/// Back to made_numbers(); the Document as it is where those are not known.
Document reset_number(Document, const Place&);
Document reset_row(Document, const Place& row, Columns = {});
Document reset(Document, Editable);

/// Draws one of the four weight matrices by itself. It stays drawn that way when the widths change.
Document initialise(Document, Editable, Initialiser, std::uint64_t seed);
/// The same matrix as the recipe has it again, not drawn by itself; its numbers stay where no recipe is
/// known.
Document undrawn(Document, Editable);
/// Multiplies a block by a factor that stays with it: weights that a recipe makes are made anew and times the
/// factor, numbers that were given or edited are multiplied by new factor / old factor. The gain of Input is
/// the embedding's: of every token vector before positions, so that typing keeps it; the second text's
/// follow.
Document gain(Document, Editable, float factor);

}  // namespace edit
}  // namespace attnscope

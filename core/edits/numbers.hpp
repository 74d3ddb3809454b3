// core/edits: editing of single numbers. Every editable number has a Place: a block, a row, a column. An edit
// takes a Document and returns a consistent one; blocks are shared and immutable, so each edit makes a new
// block.
//
// Editing weights makes their recipe Given; Weights::made_by keeps the recipe they came from, so that each
// number can be reset; when the last one is reset, the recipe is restored. A head whose W_Q or W_K (or their
// biases) is edited loses its name in head_names, since the name describes its pattern; edits of W_V and W_O
// keep it. Sinks are independent of the recipe, so editing them keeps it; a reset makes them 0. Token vectors
// of a text are edited in FromText::edited, those of a file in Vectors; the embedding of a text can still be
// computed. Q, K and V can be edited where they are given; elsewhere they follow from X and W.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/document/document.hpp"

namespace attnscope {

enum class Editable : std::uint8_t {
  Input,    // X before positions: the token vectors [batch][tokens][d_model]
  Memory,   // the same for the second text
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
  QueryNorm,  // weights of QK-norm: one row [d_k]
  KeyNorm,
  LatentWeights,       // W_DKV [d_model][width of the latent]
  LatentNorm,          // weights of the latent's norm: one row
  QueryLatentWeights,  // the same for the queries' latent
  QueryLatentNorm,
  SinkLogits,  // one row [heads]
};
inline constexpr std::size_t first_editable_parameter = 7;
/// The parameters from PositionTable on, those of positions and blocks, are not edited number by number.
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

/// The name in messages: "X", "W_Q", "past K".
std::string_view symbol(Editable);
/// The projection of W_Q, W_K, W_V or W_O; nullopt for other blocks.
std::optional<Projection> projection_of(Editable);
/// The current numbers, gain and edits included; null if the Document has no such block.
TensorPtr numbers_of(const Document&, Editable);
/// The numbers that a reset restores: those made by the embedding, the recipe or the initialiser, times their
/// gain. Null if they came from a file.
TensorPtr made_numbers(const Document&, Editable);
/// The gain of token vectors (that of the embedding) and of the four weight matrices; 1 for other blocks.
float gain_of(const Document&, Editable);

namespace edit {

/// All of these throw Error, one sentence, if the Document has no such number. Numbers must be finite. An
/// edit that changes nothing returns the Document unchanged.
Document number(Document, const Place&, float value);
Document zero_row(Document, const Place& row, Columns = {});
/// 1 at the Place, 0 in the other columns.
Document one_hot_row(Document, const Place& hot, Columns = {});
/// Gaussian numbers for a row, with this standard deviation; the same for the same seed, block and row.
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
/// Resets to made_numbers(); returns the Document unchanged if these are null.
Document reset_number(Document, const Place&);
Document reset_row(Document, const Place& row, Columns = {});
Document reset(Document, Editable);

/// Draws one of the four weight matrices separately. It is drawn again in the same way when the widths
/// change.
Document initialise(Document, Editable, Initialiser, std::uint64_t seed);
/// The inverse of initialise(): the matrix follows the recipe again; its numbers are unchanged if no recipe
/// is known.
Document undrawn(Document, Editable);
/// Sets the gain of a block: weights of a recipe are made again and multiplied by the factor; given or edited
/// numbers are multiplied by new factor / old factor. The gain of Input is that of the embedding, which
/// multiplies every token vector before positions, also of the second text and of text typed later.
Document gain(Document, Editable, float factor);

}  // namespace edit
}  // namespace attnscope

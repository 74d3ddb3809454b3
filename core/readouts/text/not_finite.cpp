#include "core/readouts/text/not_finite.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace attnscope {
namespace {

std::optional<std::int64_t> first_row(const KeptRows& rows) {
  for (std::int64_t i = 0; i < rows.rows(); ++i)
    for (const float* x = rows.row(i); x != rows.row(i) + rows.width; ++x)
      if (!std::isfinite(*x)) return i;
  return std::nullopt;
}

/// The sentence for one stack; NaN or infinity in a row of the stream stays in all later blocks.
std::string sentence_of(const StackRun& stack, bool encoder_of_two) {
  for (std::size_t i = 0; i < stack.hidden.size(); ++i) {
    const std::optional<std::int64_t> row = first_row(stack.hidden[i]);
    if (!row) continue;
    if (i == 0) return fmt::format("The embeddings hold NaN or infinity, first in row {}.", *row);
    if (encoder_of_two)
      return fmt::format(
          "From block {} of the encoder on the residual stream holds NaN or infinity, first in row {}.",
          i - 1, *row);
    return fmt::format("From block {} on the residual stream holds NaN or infinity, first in row {}.", i - 1,
                       *row);
  }
  const std::optional<std::int64_t> row = first_row(stack.normed);
  return row ? fmt::format("Behind the final norm there is NaN or infinity, first in row {}.", *row)
             : std::string();
}

}  // namespace

std::string not_finite_sentence(const Model& model, const ModelRun& run) {
  if (!first_row(run.last(model).normed)) {
    const std::optional<std::int64_t> row = first_row(run.logits);
    return row ? fmt::format("The logits hold NaN or infinity, first in row {}.", *row) : std::string();
  }
  if (model.spec.reads_two_texts())
    if (std::string found = sentence_of(run.encoder, true); !found.empty()) return found;
  return sentence_of(run.last(model), false);
}

}  // namespace attnscope

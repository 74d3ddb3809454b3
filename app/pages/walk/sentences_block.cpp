// app/pages/walk: every move of the block around the attention layer in one sentence.
#include "app/kit/ui/number_format.hpp"
#include "app/pages/walk/card.hpp"

namespace attnscope::walk {
namespace {

std::string norm_words(const View& v, const std::string& of) {
  const NormKind norm = v.document().layer().block.norm;
  if (norm == NormKind::LayerNorm)
    return of + ", minus its mean, is divided by its deviation, times γ, plus β.";
  return of + (adds_one(norm) ? " is divided by its root mean square, times 1 + w."
                              : " is divided by its root mean square, times γ.");
}

std::string one_row(const View& v, Stage stage) {
  const BlockSettings& block = v.document().layer().block;
  const std::string label = "“" + own(query_label(v.result(), v.b, v.cell.query)) + "”";
  switch (stage) {
    case Stage::Residual: return "The vector of " + label + " is added to what attention made of it.";
    case Stage::Gate: return "The row of " + label + " times W_gate: how far each number is let through.";
    case Stage::Up: return "The row of " + label + " times W_up: from d_model to d_inner numbers.";
    case Stage::Activation:
      return block.gated ? "Each number of " + label + " times its gate after the activation."
                         : "The activation of each number of " + label + ", by itself.";
    case Stage::Down: return "The row of " + label + " times W_down: back to d_model numbers.";
    case Stage::MlpResidual: return "The residual of " + label + " is added to what the MLP made of it.";
    default: return norm_words(v, "The row of " + label);
  }
}

}  // namespace

std::string block_sentence(const View& v, Stage stage, int move, int moves) {
  return move < moves || moves == 1 ? one_row(v, stage) : "The same for every other row.";
}

}  // namespace attnscope::walk

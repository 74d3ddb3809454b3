#include "app/walk/panel_formulas.hpp"

#include <algorithm>

#include "core/document/enum_names.hpp"

namespace attnscope::walk {
namespace {

/// Replaces X in a projection's formula by the symbol of its input, and adds the steps after a latent's
/// product.
void name_source(const View& v, Stage stage, std::string& formula) {
  const std::size_t x = formula.find("X·");
  if (x == std::string::npos || !is_projection(stage)) return;
  const Trace& trace = v.result().trace;
  const bool of_keys = stage == Stage::Key || stage == Stage::Value;
  if (of_keys && trace[Stage::Latent]) {
    formula.replace(x, 1, "c");
  } else if (stage == Stage::Query && trace[Stage::QueryLatent]) {
    formula.replace(x, 1, "c_Q");
  } else if ((of_keys || stage == Stage::Latent) && trace[Stage::Memory]) {
    formula[x] = 'N';
  } else if (v.script.has(Stage::AttentionNorm)) {
    formula.insert(x + 1, "ₙ");
  }
  const bool shares = shared_key_width(v.document()) > 0;
  if (stage == Stage::Key && shares) formula = "K = [k_R, " + formula.substr(formula.find("c·")) + "]";
  if (stage == Stage::Latent && !shares) formula.replace(formula.rfind(" = "), std::string::npos, " = c");
  if (!is_latent(stage) || !v.document().layer().latent.normed) return;
  formula.insert(std::min(formula.size(), formula.find(" = ", x)), ")");
  formula.insert(x, stage == Stage::Latent && shares ? "norm_c(" : "norm(");
}

/// The symbol of a stage of the block, or of the earlier stage whose tensor it shares.
std::string symbol_of(const View& v, Stage stage) {
  while (!v.script.has(stage)) {
    const auto before = std::ranges::find_if(stage_table, [&](const StageInfo& row) {
      return info(stage).inputs.has(row.stage) && v.result().trace[row.stage] == v.result().trace[stage];
    });
    if (before == stage_table.end()) break;
    stage = before->stage;
  }
  return std::string(info(stage).symbol);
}

}  // namespace

std::string formula_of(const View& v, Stage stage) {
  const Weights& w = v.document().layer().weights;
  std::string formula(info(stage).formula);
  const Projection which = stage == Stage::Query   ? Projection::Query
                           : stage == Stage::Key   ? Projection::Key
                           : stage == Stage::Value ? Projection::Value
                                                   : Projection::Output;
  const TensorPtr& bias = w[bias_of(which)];
  if (const std::size_t plus = formula.find(" + b_"); plus != std::string::npos && !bias)
    formula.resize(plus);
  name_source(v, stage, formula);
  if (stage == Stage::RotateQuery && v.script.has(Stage::NormQuery)) formula = "Q′ = R(p)·Qₙ";
  if (stage == Stage::RotateKey && v.script.has(Stage::NormKey)) formula = "K′ = R(p)·Kₙ";
  return formula;
}

std::string block_formula_of(const View& v, Stage stage) {
  const BlockSettings& block = v.document().layer().block;
  const Weights& w = v.document().layer().weights;
  const auto product = [&](Stage from, std::string_view name, Parameter bias) {
    const std::string index = "_" + std::string(name);
    return symbol_of(v, from) + "·W" + index + (w[bias] ? " + b" + index : "");
  };
  const auto made = [&]() -> std::string {
    const bool parallel = block.kind == Arrangement::Parallel;
    switch (stage) {
      case Stage::OutputNorm: return "norm(Y)";
      case Stage::Residual: return "X + " + symbol_of(v, Stage::OutputNorm);
      case Stage::StreamNorm: return "norm(R)";
      case Stage::MlpNorm: return "norm(" + (parallel ? "X" : symbol_of(v, Stage::StreamNorm)) + ")";
      case Stage::Gate: return product(Stage::MlpNorm, "gate", Parameter::BGate);
      case Stage::Up: return product(Stage::MlpNorm, "up", Parameter::BUp);
      case Stage::Activation: {
        const std::string f(enum_name(block.activation).label);
        if (block.activation == Activation::Identity) return block.gated ? "T ∘ U" : "U";
        return block.gated ? f + "(T) ∘ U" : f + "(U)";
      }
      case Stage::Down: return product(Stage::Activation, "down", Parameter::BDown);
      case Stage::MlpOutputNorm: return "norm(O)";
      case Stage::MlpResidual:
        return symbol_of(v, Stage::StreamNorm) + " + " + symbol_of(v, Stage::MlpOutputNorm);
      default: return "norm(" + symbol_of(v, Stage::MlpResidual) + ")";
    }
  };
  return own_number(std::string(info(stage).symbol) + " = " + made());
}

}  // namespace attnscope::walk

// app/views/controls: from scores to weights: the scale before the mask and the softmax after it.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/switches.hpp"

namespace attnscope {
namespace {

std::string scale_read_out(const Document& document, std::int64_t d_k) {
  const double factor = scale_factor(document.layer().scaling, d_k);
  switch (document.layer().scaling.kind) {
    case Scaling::Kind::InverseSqrtDk: return "1/√" + std::to_string(d_k) + " = " + fixed(factor, 3);
    case Scaling::Kind::Off: return "1";
    case Scaling::Kind::Factor: break;
  }
  return fixed(factor, 3);
}

void cap_rows(Column& c) {
  Document& document = c.document();
  const float cap = document.layer().soft_cap;
  constexpr float first_cap = 5;  // has an effect on scores of a few units, as those of hand-built heads
  if (toggle(c.ui(), "Soft-cap", "soft-cap", c.row(28, 4), cap > 0,
             {"Soft-cap", "x → c · tanh(x / c), before the mask",
              "Capped logits lie in (−c, c): without bias or additive mask, weight ratios stay below "
              "e^(2c/τ)."})) {
    document.layer().soft_cap = cap > 0 ? 0 : first_cap;
  }
  if (!(document.layer().soft_cap > 0 && cap > 0)) return;
  if (const auto moved =
          slider(c.ui(), "Cap", "cap c", fixed(static_cast<double>(cap), 2), c.row(36, 4), cap,
                 {0.1f, 100, first_cap, true}, true,
                 {"Cap", "c · tanh(x / c)", "A small c flattens the weights; a large c changes nothing."})) {
    document.layer().soft_cap = *moved;
  }
}

void kind_rows(Column& c) {
  Document& document = c.document();
  const std::array<Tip, 2> tips{
      Tip{"Stable", "exp(x − max) / Σ exp(x − max)", "Nothing overflows: the largest exponent is 0."},
      Tip{"Naive", "exp(x) / Σ exp(x)",
          "As the formula has it: above 88.7 exp overflows to ∞ in float32, and ∞ / ∞ is NaN. Turn scaling "
          "off or the temperature down to see it."}};
  c.pick("Softmax", "exponent", document.layer().softmax, tips);
  c.turn("Linear attention", "linear attention", document.layer().linear,
         {"Linear attention", "φ(Q)·(φ(K)ᵀ·V) / Σ,  φ(x) = elu(x) + 1",
          "Can run in O(n); here the n×n weights are formed so that they can be shown. Scale, cap and "
          "temperature take no part."});
  if (document.layer().linear && is_rotary(document.layer().positions))
    c.remark(
        "Rotary positions turn φ(q) and φ(k) above the line alone, as in RoFormer: weights may be negative, "
        "and rows need not add up to 1.");
}

/// The sink: a logit per head that takes weight and has no value.
void sink_rows(Column& c) {
  Document& document = c.document();
  const bool on = document.layer().weights[Parameter::SinkLogits] != nullptr;
  if (toggle(c.ui(), "Learned sink", "learned sink", c.row(28, 4), on,
             {"Learned sink", "A = e^(M/τ) / (Σ e^(M/τ) + e^(s/τ))",
              "A logit s for each head joins the sum and takes no value, as in gpt-oss: rows sum to less "
              "than 1. At s = 0 it adds 1 to the sum."}))
    document = edit::sinks(std::move(document), !on);
  const TensorPtr sinks = document.layer().weights[Parameter::SinkLogits];
  const std::int64_t head = c.scene.head();
  if (!on || !sinks || head >= sinks->size()) return;
  const float logit = sinks->values()[static_cast<std::size_t>(head)];
  if (const auto moved =
          slider(c.ui(), "Sink logit", "sink s of the head", fixed(static_cast<double>(logit), 2),
                 c.row(36, 4), logit, {-10, 10, 0}, logit != 0,
                 {"Sink logit s", "of the chosen head", "The larger it is, the less weight the keys get."}))
    document = edit::sink(std::move(document), head, *moved);
  if (document.layer().linear) c.remark("Linear attention has no softmax: the sink takes no part.");
}

/// The weights of rows whose keys are all masked.
void empty_row(Column& c) {
  Document& document = c.document();
  const std::array<Tip, 3> tips{
      Tip{"Zeros", "A = 0", "As in PyTorch's fused kernels and FlexAttention: the query takes nothing."},
      Tip{"Not a number", "0 / 0",
          "As softmax itself has it: in plain code, and in nn.MultiheadAttention with need_weights."},
      Tip{"Uniform", "1 / keys, hidden ones too",
          "As where −∞ is the least finite number, finfo.min in Hugging Face's code: the query takes the "
          "mean of all that it should not see."}};
  if (has_sinks(document.layer())) {
    c.remark("In rows with no key the sink takes everything: zeros.");
  } else if (document.layer().softmax == SoftmaxKind::Naive) {
    c.remark("Rows with no key are NaN in the naive softmax: 0 / 0.");
  } else {
    c.pick("Rows with no key", "rows with no key", document.layer().empty_row, tips);
  }
}

bool has_empty_rows(const Shown& shown) {
  const auto& heads = shown.result.measures.head_means;
  return std::any_of(heads.begin(), heads.end(),
                     [](const HeadMeasures& head) { return head.rows_without_key > 0; });
}

void dropout_rows(Column& c) {
  Document& document = c.document();
  const float rate = document.layer().dropout.rate;
  if (const auto moved = slider(
          c.ui(), "Dropout", "dropout", fixed(100 * static_cast<double>(rate), 0) + " %", c.row(36, 4), rate,
          {0, 0.9f, 0}, rate > 0,
          {"Dropout", "A ∘ keep / (1 − rate)",
           "In training, weights are set to 0 at random and the others multiplied by 1 / (1 − rate)."})) {
    document.layer().dropout.rate = *moved < 0.005f ? 0 : *moved;
  }
  if (document.layer().dropout.rate == 0) return;
  c.seed("Dropout seed", "dropout seed", document.layer().dropout.seed,
         {"Dropout seed", "same seed, same choice", "Another seed drops others."});
}

void precision_row(Column& c) {
  const std::array<Tip, 3> tips{
      Tip{"float32", "24 significant bits", "The float64 reference is compared with it."},
      Tip{"bfloat16", "8 significant bits, range of float32",
          "Stages are stored rounded; sums accumulate in float32."},
      Tip{"float16", "11 significant bits, ∞ above 65504",
          "Stages are stored rounded; sums accumulate in float32."}};
  c.pick("Precision", "precision", c.document().precision, tips);
}

}  // namespace

void scaling_section(Column& c) {
  Document& document = c.document();
  const std::int64_t d_k = scale_width(document, c.scene.result.dimensions.d_k);
  std::string why =
      "If the entries of q and k are independent with mean 0 and variance 1, q·k has σ = √dₖ; divided by √dₖ "
      "it has σ = 1, and softmax does not saturate.";
  if (is_disentangled(document))
    why =
        "Scores are the sum of up to three products of dₖ numbers here, so that the root is that of all of "
        "them: √(3·dₖ).";
  if (document.layer().weights.recipe == Recipe::HandBuilt) why += std::string(" ") + std::string(built_gain);
  if (c.begin({.which = Section::Scaling, .label = "Scaling", .opens = Opens::Always})) {
    if (!knows_scores(document)) {
      c.remark("Not in the file: it has the weights alone.");
      return c.end();
    }
    const bool divided = edit::is_divided(document);
    if (toggle(c.ui(), "Divide by sqrt(d_k)", "Divide by √dₖ", c.row(28, 4), divided,
               {"Divide by √dₖ", "S ÷ √dₖ", why, "S"}))
      document = edit::divided(std::move(document), !divided);
    const auto factor = static_cast<float>(scale_factor(document.layer().scaling, d_k));
    const float rest = 1 / std::sqrt(static_cast<float>(std::max<std::int64_t>(d_k, 1)));
    if (const auto moved =
            slider(c.ui(), "Scale", "scale", scale_read_out(document, d_k), c.row(36, 4), factor,
                   {0.01f, 10, rest, true}, !divided,
                   {"Scale", "S × factor", "Any factor instead of 1/√dₖ; a double click goes back to it."})) {
      document.layer().scaling = *moved == rest ? Scaling{} : Scaling{Scaling::Kind::Factor, *moved};
    }
  }
  c.end();
}

void softmax_section(Column& c) {
  Document& document = c.document();
  const float tau = document.layer().temperature;
  std::string note;
  if (document.layer().softmax == SoftmaxKind::Naive) note = "naive";
  if (document.layer().linear) note = "linear";
  const bool used = !note.empty() || document.layer().dropout.rate > 0 ||
                    document.precision != Precision::Float32 ||
                    document.layer().weights[Parameter::SinkLogits] != nullptr ||
                    document.layer().empty_row != EmptyRow::Zeros;
  if (c.begin({.which = Section::Softmax,
               .label = "Softmax",
               .note = note,
               .opens = Opens::Always,
               .has_extras = true,
               .extras_used = used})) {
    if (const auto moved = slider(
            c.ui(), "Temperature", "temperature τ", fixed(static_cast<double>(tau), 2), c.row(36, 4), tau,
            {0.1f, 10, 1, true}, tau != 1,
            {"Temperature", "softmax(S / τ)", "Below 1 the weights sharpen, above 1 they even out."})) {
      document.layer().temperature = *moved;
    }
    const bool known = knows_scores(document);
    if (known) cap_rows(c);
    const bool extras = c.extras(Section::Softmax);
    if (!extras && has_empty_rows(c.scene)) empty_row(c);
    if (extras) {
      c.y += c.ui().px(4);
      if (known) kind_rows(c);
      if (known) sink_rows(c);
      empty_row(c);
      dropout_rows(c);
      precision_row(c);
    }
  }
  c.end();
}

}  // namespace attnscope

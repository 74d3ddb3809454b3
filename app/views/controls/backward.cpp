// app/views/controls: what is differentiated, and how large the gradients of the shown head's weights are.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/unknown.hpp"

namespace attnscope {
namespace {

void loss_row(Column& c) {
  Loss& loss = c.document().loss;
  constexpr std::array<std::string_view, 3> names{"Off", "Sum", "Mean sq."};
  const std::array<Tip, 3> tips{
      Tip{"Off", {}, "Only the forward pass.", {}},
      Tip{"Sum", "Σ Y · G, G = 1", "As if whatever follows pulled every output up alike.", {}},
      Tip{"Mean squared", "mean (Y − X)²", "As if the layer learned to give its input back.", {}}};
  const SegmentsStyle style{.text_size = c.scene.compact ? type::tick : type::label};
  if (const auto chosen =
          segments(c.ui(), "Loss", c.row(28), names, static_cast<int>(loss.kind), tips, style)) {
    loss.kind = static_cast<Loss::Kind>(*chosen);
    loss.given.reset();  // a target is no gradient, and the other way round
  }
}

void norm_rows(Column& c) {
  const Result& r = c.scene.result;
  const HeadGradients& head = r.head_gradients[static_cast<std::size_t>(c.scene.head())];
  const bool given = static_cast<bool>(r.document.input.given);
  const std::array<std::string_view, 3> names =
      given ? std::array<std::string_view, 3>{"|∂Q|", "|∂K|", "|∂V|"}
            : std::array<std::string_view, 3>{"|∂W_Q|", "|∂W_K|", "|∂W_V|"};
  const std::array<double, 3> norms{head.query, head.key, head.value};
  constexpr std::array<const char*, 3> labels{"Gradient Q", "Gradient K", "Gradient V"};
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const bool odd = !(norms[i] >= 1e-6 && norms[i] <= 10);
    c.fact(labels[i], names[i], tiny(norms[i]),
           {names[i],
            "√ Σ (∂loss / ∂w)², this head's columns",
            "How far one step of learning would move these weights.",
            {}},
           odd);
  }
  if (head.vanishing) c.remark("Vanishing: below 1e\u22126, this head hardly learns.", true);
  if (head.exploding) c.remark("Exploding: above 10 or not finite, a step would overshoot.", true);
}

void jacobian_rows(Column& c) {
  const Scene& scene = c.scene;
  const std::int64_t b = scene.sequence(), h = scene.head();
  const double row = scene.result.measures.row(b, h, scene.cell().query).jacobian;
  const double mean = scene.result.measures.head(b, h).jacobian;
  const std::string name = "|J| of “" + query_label(scene.result, b, scene.cell().query) + "”";
  const Tip tip{"Jacobian of the softmax",
                "|diag(w) − w·wᵀ| / τ",
                "What the softmax lets through: 0 where one key has all the weight, at most 1 / 2τ.",
                {}};
  c.fact("Jacobian of the row", name, fixed(row, 4), tip, row < 1e-3);
  c.fact("Jacobian of the head", "|J|, mean of the head", fixed(mean, 4), tip, mean < 1e-3);
}

}  // namespace

void backward_section(Column& c) {
  const Result& r = c.scene.result;
  const bool on = r.gradients != nullptr;
  if (c.begin({.which = Section::Backward,
               .label = "Backward",
               .note = on ? "loss " + tiny(r.gradients->loss) : "no loss",
               .opens = Opens::OnDemand})) {
    if (knows_values(c.document()))
      loss_row(c);
    else
      c.remark(why_no_values(c.document()));
    if (on) {
      c.fact(
          "Loss value", "loss", tiny(r.gradients->loss),
          {"Loss", "one number over the whole output", "Every gradient says how this number changes.", {}});
      norm_rows(c);
    }
    jacobian_rows(c);
  }
  c.end();
}

}  // namespace attnscope

// app/views/controls: the loss, and the gradient norms of the shown head's weights.
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {
namespace {

void loss_row(Column& c) {
  Loss& loss = c.document().loss;
  constexpr auto names = enum_column<Loss::Kind>(&EnumName::label);
  const std::array<Tip, 3> tips{Tip{"Off", {}, "Only the forward pass."},
                                Tip{"Sum", "Σ Y", "∂loss/∂Y = 1 everywhere."},
                                Tip{"Mean squared", "mean (Y − X)²", "Target: reproduce X."}};
  const SegmentsStyle style{.text_size = c.scene.compact ? type::tick : type::label};
  if (const auto chosen =
          segments(c.ui(), "Loss", c.row(28), names, static_cast<int>(loss.kind), tips, style)) {
    loss.kind = static_cast<Loss::Kind>(*chosen);
    loss.given.reset();  // the given tensor is a target or a gradient of the other loss
  }
}

void norm_rows(Column& c) {
  const LayerResult& r = c.scene.result;
  const HeadGradients& head = r.head_gradients[static_cast<std::size_t>(c.scene.head())];
  const GradientLimits limits = gradient_limits(r.head_gradients);
  const bool given = r.document.input.is_given();
  const std::array<std::string_view, 3> names =
      given ? std::array<std::string_view, 3>{"‖∂Q‖", "‖∂K‖", "‖∂V‖"}
            : std::array<std::string_view, 3>{"‖∂W_Q‖", "‖∂W_K‖", "‖∂W_V‖"};
  const std::array<double, 3> norms{head.query, head.key, head.value};
  constexpr std::array<const char*, 3> labels{"Gradient Q", "Gradient K", "Gradient V"};
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const bool odd = !(norms[i] > 0 && norms[i] >= limits.vanishing && norms[i] <= limits.exploding);
    c.fact(labels[i], names[i], tiny(norms[i]),
           {names[i], "√ Σ (∂loss / ∂w)², this head's columns",
            "Gradient norm; SGD moves the weights by η times this."},
           odd);
  }
  if (head.vanishing)
    c.remark("Far below the layer's other gradients (1e\u22124 of their median): it hardly learns.", true);
  if (head.exploding)
    c.remark("Far above the layer's other gradients (10 × their median), or not finite.", true);
}

void jacobian_rows(Column& c) {
  const Scene& scene = c.scene;
  const std::int64_t b = scene.sequence(), h = scene.head();
  const double row = scene.result.measures.row(b, h, scene.cell().query).jacobian;
  const double mean = scene.result.measures.head(b, h).jacobian;
  const std::string name = "‖J‖ of “" + own(query_label(scene.result, b, scene.cell().query)) + "”";
  const Tip tip{"Jacobian of the softmax", "‖diag(w) − w·wᵀ‖, uniform attention = 1",
                "Frobenius norm, as a share of what equal weights on the same keys have, √(n − 1) / n: near "
                "0 the softmax is saturated."};
  const auto number = [](double value) { return std::isnan(value) ? std::string("n/a") : fixed(value, 4); };
  c.fact("Jacobian of the row", name, number(row), tip, row < 1e-2);
  c.fact("Jacobian of the head", "‖J‖, mean of the head", number(mean), tip, mean < 1e-2);
}

}  // namespace

void backward_section(Column& c) {
  const LayerResult& r = c.scene.result;
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
      c.fact("Loss value", "loss", tiny(r.gradients->loss),
             {"Loss", "one number over the whole output", "Every gradient says how this number changes."});
      norm_rows(c);
    }
    jacobian_rows(c);
  }
  c.end();
}

}  // namespace attnscope

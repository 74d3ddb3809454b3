#include "app/views/parts/cell_facts.hpp"

#include <cmath>

#include "app/kit/ui/number_words.hpp"
#include "app/scene/head_words.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/attention/run_stage.hpp"
#include "core/attention/scores.hpp"
#include "core/transformer/positions/disentangled.hpp"
#include "core/transformer/positions/relative_windows.hpp"

namespace attnscope {
namespace {

/// Builds the lines one after the other.
class Ladder {
 public:
  Ladder(Scene& scene, const CellFacts& facts)
      : scene_(scene), f_(facts), document_(scene.result.document), d_(scene.result.dimensions) {}

  std::vector<LadderLine> lines() {
    if (knows_scores(document_)) {
      scores();
      mask();
      document_.layer().linear ? linear() : softmax();
    } else {
      from_file();
    }
    if (has_intervention(document_, f_.h)) intervention();
    if (document_.layer().dropout.rate > 0) dropout();
    if (f_.full) check("full attention", "would put here", in_full(*f_.full));
    reference();
    return std::move(lines_);
  }

 private:
  void step(std::string name, std::string how, double value, std::optional<Stage> stage = {}) {
    lines_.push_back({std::move(name), std::move(how), written(value), false, false, stage});
  }
  /// Three decimals, except for numbers like -1e9.
  static std::string written(double value) { return std::abs(value) < 1e5 ? fixed(value, 3) : tiny(value); }
  void result(std::string name, std::string how, std::string value, Stage stage) {
    lines_.push_back({std::move(name), std::move(how), std::move(value), true, false, stage});
  }
  void check(std::string name, std::string how, std::string value, std::optional<Stage> stage = {}) {
    lines_.push_back({std::move(name), std::move(how), std::move(value), false, true, stage});
  }
  static std::string number(float value) { return fixed(static_cast<double>(value), 2); }
  /// The stage of the head's own weights: for a head with an intervention, the stage before it.
  Stage own_stage() const {
    return has_intervention(document_, f_.h) ? own_weights_stage(document_) : weights_stage(document_);
  }

  /// The file has no data from which the weight was computed.
  void from_file() {
    check("score", std::string(not_in_file), "");
    const bool as_it_is = document_.layer().temperature == 1;
    const std::string how = f_.masked && f_.own == 0 ? "0 in the file, or hidden"
                            : as_it_is               ? "as the file has it"
                                       : "of the file, at τ " + number(document_.layer().temperature);
    result("weight", how, in_full(f_.own), own_stage());
  }

  void scores() {
    const bool normed = document_.layer().qk_norm.kind != QkNorm::Kind::None;
    step("score",
         is_rotary(document_.layer().positions) ? "Σ q′ · k′, both rotated"
         : normed                               ? "Σ qₙ · kₙ, both normed"
                                                : "Σ q · k",
         f_.score, Stage::Score);
    const std::int64_t width = scale_width(document_, d_.d_k);
    const double factor = scale_factor(document_.layer().scaling, width);
    const Scaling::Kind kind = document_.layer().scaling.kind;
    step("scaled",
         kind == Scaling::Kind::InverseSqrtDk ? "× 1/√" + std::to_string(width) + " = " + fixed(factor, 3)
         : kind == Scaling::Kind::Off         ? "× 1, scaling is off"
                                              : "× " + fixed(factor, 3),
         f_.scaled, Stage::Scale);
    const std::string cap = number(document_.layer().soft_cap);
    if (document_.layer().soft_cap > 0)
      step("capped", cap + " · tanh(x / " + cap + ")", f_.capped, Stage::Cap);
    if (f_.has_bias) step("+ position", bias_formula(scene_.result, f_), f_.bias, Stage::Bias);
  }

  void mask() {
    const MaskRule& rule = scene_.stats.rule();
    if (f_.masked && rule.after_softmax()) {
      step("masked", "not yet: the mistake", f_.hidden, Stage::Mask);
    } else if (f_.masked) {
      step("masked", "hidden: " + own_number(written(rule.hidden_value())), f_.hidden, Stage::Mask);
    } else {
      const double added = f_.hidden - f_.capped - f_.bias;
      const bool adds = std::isfinite(added) && document_.layer().masking.additive && std::abs(added) > 1e-6;
      step("masked", adds ? "+ " + fixed(added, 3) : "+ 0, allowed", f_.hidden, Stage::Mask);
    }
  }

  void softmax() {
    const std::string tau =
        document_.layer().temperature != 1 ? " / " + number(document_.layer().temperature) : "";
    const bool hidden = f_.masked && f_.hidden == -INFINITY;
    const bool naive = document_.layer().softmax == SoftmaxKind::Naive;
    const double shifted = f_.shifted;
    if (f_.masked && scene_.stats.rule().after_softmax()) {
      result("weight", "set to 0 after the softmax", in_full(f_.own), own_stage());
    } else if (hidden) {
      result("weight", "exp(\u2212∞) = 0", std::isnan(f_.own) ? "NaN" : "0", own_stage());
    } else if (naive) {
      if (!tau.empty()) step("divided", "x" + tau, shifted);
      result("weight",
             (f_.overflows ? "∞" : "exp(" + written(shifted) + ")") + " / " +
                 tiny(static_cast<double>(static_cast<float>(f_.sum))),
             in_full(f_.own), own_stage());
    } else {
      const std::string from_max = "\u2212 max " + written(f_.largest);
      step("shifted", tau.empty() ? from_max : "(" + from_max + ")" + tau, shifted);
      result("weight", "exp(" + written(shifted) + ") / " + fixed(f_.sum, 3), in_full(f_.own), own_stage());
    }
  }

  void linear() {
    check("softmax", "would give", in_full(f_.softmax), Stage::Softmax);
    const bool turned = is_rotary(document_.layer().positions);
    result("weight",
           f_.masked ? "hidden"
           : turned  ? "Rφ(q)·Rφ(k) / Σ φ(q)·φ(k)"
                     : "φ(q)·φ(k) / Σ φ(q)·φ(k)",
           in_full(f_.own), own_stage());
  }

  /// The line of an intervention, which replaces the head's own pattern. If its key is hidden, the weight is
  /// spread over all allowed keys.
  void intervention() {
    using Kind = Intervention::Kind;
    const Kind kind = document_.layer().interventions[static_cast<std::size_t>(f_.h)].kind;
    const std::string_view how = kind == Kind::Uniform         ? "by uniform weights"
                                 : kind == Kind::PreviousToken ? "by the previous token"
                                 : kind == Kind::Identity      ? "by the same token"
                                 : kind == Kind::FirstToken    ? "by the first token"
                                 : kind == Kind::Mean          ? "by the mean of its rows"
                                                               : "by a frozen pattern";
    if (kind == Kind::Mute) {
      result("muted", "zero-ablated", in_full(f_.weight), Stage::Intervention);
    } else {
      result("replaced", std::string(how), in_full(f_.weight), Stage::Intervention);
    }
  }

  void dropout() {
    const double kept = 1 / (1 - static_cast<double>(document_.layer().dropout.rate));
    const bool dropped = f_.mixed == 0 && f_.weight > 0;
    result("mixed", dropped ? "dropped at random" : "× 1/(1 − r) = " + fixed(kept, 3), in_full(f_.mixed),
           Stage::Drop);
  }

  /// The reference is a stable softmax in float64, which does not apply to linear attention.
  void reference() {
    if (f_.is_computed || !knows_scores(document_) || document_.layer().linear ||
        (f_.masked && f_.softmax == 0))
      return;
    const bool patient = scene_.selection.locked && static_cast<const CellPlace&>(f_) == chosen_place(scene_);
    if (const CellReference* exact = scene_.stats.reference(f_.b, f_.h, f_.query, f_.key, patient)) {
      check("float64", fixed(exact->weight, 10), "Δ " + tiny(std::abs(exact->weight - f_.softmax)));
    } else {
      const bool comes = scene_.stats.computes_reference(patient);
      check("float64", comes ? "computing in float64" : "lock the cell to compute it", "");
    }
  }

  Scene& scene_;
  const CellFacts& f_;
  const Document& document_;
  const Dimensions& d_;
  std::vector<LadderLine> lines_;
};

/// The cell of a head, with the key-value head that it shares.
CellPlace place_of(const Shown& shown, std::int64_t h, Cell cell) {
  const Dimensions& d = shown.result.dimensions;
  return {shown.sequence(), h, h * d.kv_heads / d.heads, cell.query, cell.key};
}

}  // namespace

std::string bias_formula(const LayerResult& result, const CellPlace& at) {
  const LayerSpec& layer = result.document.layer();
  const std::int64_t query = position_of(result, at.b, at.query);
  if (layer.positions == Positions::RelativeWindows) {
    const Sparsity& image = layer.masking.sparsity;
    if (!window_offset(image_of(image), query, at.key)) return "0, no common window";
    return "b(head, " + grouped(query / image.grid - at.key / image.grid) + ", " +
           grouped(query % image.grid - at.key % image.grid) + ")";
  }
  if (layer.positions != Positions::Disentangled) return "b(head, " + grouped(at.key - query) + ")";
  const PositionSettings& terms = layer.position_settings;
  const std::string row = "[" + std::to_string(relative_row(query - at.key, terms.span)) + "]";
  std::string sum = terms.content_to_position ? "q · Kᵣ" + row : "";
  if (terms.position_to_content) sum += (sum.empty() ? "k · Qᵣ" : " + k · Qᵣ") + row;
  return sum.empty() ? "0" : own(sum) + ", scaled";
}

CellPlace shown_place(const Shown& shown) { return place_of(shown, shown.head(), shown.cell()); }
CellPlace chosen_place(const Scene& scene) {
  return place_of(scene, scene.selection.head, scene.selection.cell);
}

CellFacts facts_of(const Shown& shown, const CellPlace& place, const CellRow& row) {
  CellFacts f = cell_facts(shown.result, shown.stats.rule(), row, place);
  const bool patterned = f.masked && shown.stats.rule().is_sparse();
  if (patterned && shown.stats.full_rule().allows(f.b, f.h, f.query, f.key))
    f.full = full_weight(shown.result, shown.stats.full_rule(), row, place);
  return f;
}

CellFacts facts_of(const Shown& shown, const CellPlace& place) {
  return facts_of(shown, place, row_of_planes(shown.result, place.b, place.h, place.query));
}

std::vector<LadderLine> ladder_of(Scene& scene, const CellFacts& facts) {
  return Ladder(scene, facts).lines();
}

}  // namespace attnscope

#include "app/walk/panels.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/parts/vector_map.hpp"
#include "app/walk/panel_formulas.hpp"
#include "app/walk/walk_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope::walk {
namespace {

// The part of its colour map that each kind of matrix uses: the weights stay the brightest.
constexpr float vector_span = 0.62f, parameter_span = 0.42f, score_span = 0.72f;

ColourScale centred(const Ui& ui, float most, float span) {
  if (!(most > 0) || !std::isfinite(most)) most = 1;
  return {ui.theme.scores, -most / span, most / span, true};
}

float largest(const View& v, std::initializer_list<Stage> stages) {
  float most = 0;
  for (const Stage stage : stages) {
    const ValueRange range = v.scene.stats.range(stage, v.b, v.h);
    most = std::max({most, std::abs(range.low), std::abs(range.high)});
  }
  return most;
}

/// From the division by √dₖ on scores are smaller and drawn paler; the geometric mean of both ranges keeps
/// their pattern visible.
ColourScale score_scale(const View& v, Stage stage) {
  const float all = largest(v, {Stage::Score, Stage::Scale, Stage::Mask});
  const float later = largest(v, {Stage::Scale, Stage::Mask});
  return centred(v.ui(), stage == Stage::Score ? all : std::sqrt(all * later), score_span);
}

/// The colours that weights have in Explore: range, map and logarithm. A range locked on scores does not
/// apply here.
ColourScale weight_scale(const View& v, Stage stage) {
  RangeMode& range = stage_look_of(v.scene.view).range;
  const RangeMode chosen = range;
  if (range == RangeMode::Lock && !is_weights(stage_look_of(v.scene.view).stage)) range = RangeMode::All;
  const ColourScale scale = colour_scale(v.scene, stage, v.h);
  range = chosen;
  return scale;
}

/// Builds the panels one after the other.
class Builder {
 public:
  Builder(const View& view, bool sources)
      : v_(view), given_(view.document().input.is_given()), sources_(sources && !given_) {}

  std::vector<Panel> all() {
    queries();
    keys();
    values();
    planes();
    mixed();
    label_rows();
    return std::move(panels_);
  }

 private:
  const Ui& ui() const { return v_.ui(); }
  const Trace& trace() const { return v_.result().trace; }

  /// A panel of the head's (or the sequence's) matrix of a stage of vectors.
  Panel vectors(Stage stage, Rows rows, Unit unit, Rgba hue) const {
    const Tensor& tensor = *trace()[stage];
    const bool heads = tensor.shape().rank() == 4;
    const std::string formula =
        is_after_attention(stage) ? block_formula_of(v_, stage) : formula_of(v_, stage);
    const bool shared = rows == Rows::Keys;  // a key head may serve several query heads
    const ConstMatrixMap<float> values =
        heads ? tensor.matrix(v_.b, shared ? v_.kv : v_.h) : tensor.matrix(v_.b);
    return {.id = "walk " + std::string(info(stage).symbol),
            .stage = stage,
            .rows = rows,
            .unit = unit,
            .title = std::string(info(stage).symbol),
            .caption = given_ && is_projection(stage) ? "given" : formula,
            .why = std::string(vector_words(stage).why),
            .hue = hue,
            .values = values,
            .columns = values.cols(),
            .scale = centred(ui(), v_.scene.stats.largest(stage), vector_span)};
  }

  void parameters(Stage stage, Projection which, std::int64_t head, std::string sign) {
    const TensorPtr& block = v_.document().layer().weights[matrix_of(which)];
    if (!block) return;
    const std::string name(info(matrix_of(which)).name);
    // In latent attention W_K makes only the part of a key that is the head's own.
    const std::int64_t shared = which == Projection::Key ? shared_key_width(v_.document()) : 0;
    const std::int64_t width = trace()[stage]->shape()[3] - shared;
    panels_.push_back({.id = "walk " + name,
                       .stage = stage,
                       .rows = Rows::Dimensions,
                       .unit = Unit::Parameters,
                       .title = name,
                       .why = "The columns that belong to this head; one column for each of its dimensions.",
                       .sign = std::move(sign),
                       .values = block->matrix(),
                       .first_column = head * width,
                       .columns = width,
                       .scale = centred(ui(), v_.scene.stats.largest(matrix_of(which), head * width, width),
                                        parameter_span)});
  }

  /// The matrix of a latent, and the latents of all tokens.
  void latents(Stage stage, Parameter which, Rows rows, std::string sign) {
    if (!v_.script.has(stage)) return;
    const ConstMatrixMap<float> values = v_.document().layer().weights[which]->matrix();
    const std::string name(info(which).name);
    panels_.push_back(
        {.id = "walk " + name,
         .stage = stage,
         .rows = Rows::Dimensions,
         .unit = Unit::Parameters,
         .title = name,
         .why = "Makes the latent of every token; all heads share it.",
         .sign = std::move(sign),
         .values = values,
         .columns = values.cols(),
         .scale = centred(ui(), v_.scene.stats.largest(which, 0, values.cols()), parameter_span)});
    panels_.push_back(vectors(stage, rows, Unit::Before, 0));
    panels_.back().sign = "=";
  }

  /// Q or K, then its norm and its rotation, if the script has them.
  void with_steps(std::initializer_list<Stage> stages, Rows rows, Rgba hue) {
    std::vector<Stage> there;
    for (const Stage stage : stages)
      if (v_.script.has(stage)) there.push_back(stage);
    for (std::size_t i = 0; i < there.size(); ++i) {
      const bool last = i + 1 == there.size();
      panels_.push_back(vectors(there[i], rows, last ? Unit::Head : Unit::Before, hue));
      if (i > 0) panels_.back().sign = "→";
      if (i == 0 && sources_) panels_.back().sign = "=";
    }
  }

  std::string source_sign() const { return v_.script.has(Stage::AttentionNorm) ? "Xₙ ×" : "X ×"; }

  void begin_group(std::size_t first) {
    if (first > 0 && first < panels_.size()) panels_[first].begins = true;
  }

  void queries() {
    if (sources_) {
      panels_.push_back(vectors(Stage::Position, Rows::Tokens, Unit::Model, 0));
      if (trace()[Stage::Position] == trace()[Stage::Embed])
        panels_.back().caption = formula_of(v_, Stage::Embed);
      if (v_.script.has(Stage::AttentionNorm)) {
        panels_.push_back(vectors(Stage::AttentionNorm, Rows::Tokens, Unit::Model, 0));
        panels_.back().sign = "→";
      }
      latents(Stage::QueryLatent, Parameter::WQueryLatent, Rows::Tokens, "×");
      parameters(Stage::Query, Projection::Query, v_.h, "×");
    }
    with_steps({Stage::Query, Stage::NormQuery, Stage::RotateQuery}, Rows::Queries, ui().theme.query);
  }

  void keys() {
    const std::size_t first = panels_.size();
    if (sources_) {
      if (trace()[Stage::Memory]) panels_.push_back(vectors(Stage::Memory, Rows::Keys, Unit::Model, 0));
      const std::string sign = trace()[Stage::Memory] ? "×" : source_sign();
      latents(Stage::Latent, Parameter::WLatent, Rows::Keys, sign);
      parameters(Stage::Key, Projection::Key, v_.kv, trace()[Stage::Latent] ? "c ×" : sign);
    }
    with_steps({Stage::Key, Stage::NormKey, Stage::RotateKey}, Rows::Keys, ui().theme.key);
    begin_group(first);
  }

  void values() {
    if (!knows_values(v_.document())) return;
    const std::size_t first = panels_.size();
    const TensorPtr& own = v_.document().input.vectors().value;
    if (sources_ && own) {
      const ConstMatrixMap<float> values = own->matrix(v_.b);
      panels_.push_back({.id = "walk X_V",
                         .stage = Stage::Value,
                         .rows = Rows::Keys,
                         .unit = Unit::Model,
                         .title = "X_V",
                         .caption = "given",
                         .why = "Input of the values: vectors of their own.",
                         .values = values,
                         .columns = values.cols(),
                         .scale = centred(ui(), v_.scene.stats.largest_value_input(v_.b), vector_span)});
    }
    if (sources_)
      parameters(Stage::Value, Projection::Value, v_.kv,
                 own                      ? "×"
                 : trace()[Stage::Latent] ? "c ×"
                 : trace()[Stage::Memory] ? "N ×"
                                          : source_sign());
    panels_.push_back(vectors(Stage::Value, Rows::Keys, Unit::Head, ui().theme.value));
    if (sources_) panels_.back().sign = "=";
    begin_group(first);
  }

  /// The last stage of queries by keys: the weights that mix the values.
  Stage last_plane() const {
    Stage last = Stage::Score;
    for (const Step& step : v_.script.steps())
      if (holds_plane(step.stage)) last = step.stage;
    return last;
  }

  void planes() {
    if (v_.part() == WalkPart::Block) return;
    const bool weights_alone = v_.part() == WalkPart::Output;
    for (const Step& step : v_.script.steps()) {
      if (!holds_plane(step.stage)) continue;
      if (weights_alone && step.stage != last_plane()) continue;
      const PlaneWords w = words(v_.document(), step.stage);
      const ConstMatrixMap<float> values = matrix_of(v_.result(), step.stage, v_.b, v_.h);
      panels_.push_back(
          {.id = "walk " + std::string(info(step.stage).name),
           .stage = step.stage,
           .rows = Rows::Queries,
           .unit = Unit::Keys,
           .lower = true,
           .title = std::string(v_.narrow ? tight_name(v_, step.stage) : w.name),
           .caption = plane_caption(step.stage, w),
           .why = std::string(w.why),
           .sign = "→",
           .values = values,
           .columns = values.cols(),
           .scale = holds_weights(step.stage) ? weight_scale(v_, step.stage) : score_scale(v_, step.stage)});
    }
  }

  std::string plane_caption(Stage stage, const PlaneWords& w) const {
    if (stage != Stage::Scale) return std::string(w.formula);
    const Scaling& scaling = v_.document().layer().scaling;
    const std::int64_t d_k = scale_width(v_.document(), v_.result().dimensions.d_k);
    if (scaling.kind == Scaling::Kind::Off) return "S × 1: scaling is off";
    if (scaling.kind == Scaling::Kind::Factor) return "S × " + fixed(static_cast<double>(scaling.factor), 3);
    return "S ÷ √" + std::to_string(d_k) + " = S ÷ " + fixed(std::sqrt(static_cast<double>(d_k)), 2);
  }

  void lower_vectors(Stage stage, Unit unit, std::string sign) {
    if (!v_.script.has(stage)) return;
    panels_.push_back(vectors(stage, Rows::Queries, unit, 0));
    Panel& panel = panels_.back();
    panel.id = "walk " + std::string(info(stage).name);
    panel.title = std::string(v_.narrow ? tight_name(v_, stage) : info(stage).name);
    panel.lower = true;
    panel.sign = std::move(sign);
  }

  void output_weights() {
    const TensorPtr& block = v_.document().layer().weights[Parameter::WOutput];
    if (!block || !v_.script.has(Stage::Output)) return;
    const ConstMatrixMap<float> values = block->matrix();
    panels_.push_back(
        {.id = "walk W_O",
         .stage = Stage::Output,
         .rows = Rows::Dimensions,
         .unit = Unit::Parameters,
         .lower = true,
         .title = "W_O",
         .why = "One row for each dimension of the joined heads: the framed rows belong to this head.",
         .sign = "×",
         .values = values,
         .columns = values.cols(),
         .scale =
             centred(ui(), v_.scene.stats.largest(Parameter::WOutput, 0, values.cols()), parameter_span)});
  }

  /// The attention's output and the stages of the block after it.
  void around() {
    lower_vectors(Stage::Output, Unit::Model, "");
    for (const Step& step : v_.script.steps())
      if (is_after_attention(step.stage)) lower_vectors(step.stage, Unit::Model, "→");
  }

  void mixed() {
    const WalkPart part = v_.part();
    if (part == WalkPart::Block) return around();
    if (part != WalkPart::Weights) lower_vectors(Stage::Mix, Unit::Head, "→");
    if (part == WalkPart::Output) {
      lower_vectors(Stage::Concat, Unit::Model, "→");
      output_weights();
    }
    if (part != WalkPart::Weights)
      lower_vectors(Stage::Output, Unit::Model, part == WalkPart::Output ? "=" : "→");
    for (Panel& panel : panels_) {
      if (!panel.lower) continue;
      panel.sign.clear();  // a line's first matrix has no sign before it
      break;
    }
  }

  /// Row labels are drawn beside the first matrix of a line, and beside each whose rows are different tokens
  /// than those before.
  void label_rows() {
    int last = -1;
    bool lower = false;
    for (Panel& panel : panels_) {
      if (panel.is_parameter()) continue;
      if (panel.lower != lower) last = -1;
      lower = panel.lower;
      const int now = texts_of(panel.rows);
      panel.labelled = now != last;
      last = now;
    }
  }

  /// A number for each different list of row labels.
  int texts_of(Rows rows) const {
    const LayerResult& r = v_.result();
    const Dimensions& d = r.dimensions;
    if (rows == Rows::Tokens) return d.past == 0 ? 0 : 1;
    if (rows == Rows::Queries) return 0;
    const bool other_text = is_cross(r) || d.extra > 0 || (given_ && (d.past > 0 || d.queries != d.keys));
    return other_text ? 2 : d.past == 0 ? 0 : 1;
  }

  const View& v_;
  bool given_, sources_;
  std::vector<Panel> panels_;
};

}  // namespace

std::string_view tight_name(const View& v, Stage stage) {
  if (stage == Stage::Scale) return "Scaled";
  if (stage == Stage::Cap) return "Capped";
  if (stage == Stage::Mask) return "Masked";
  if (is_before_scores(stage) || stage == Stage::Mix) return info(stage).symbol;
  if (is_after_attention(stage)) return info(stage).symbol;
  return holds_plane(stage) ? words(v.document(), stage).name : info(stage).name;
}

std::vector<Panel> panels_of(const View& view, bool sources) { return Builder(view, sources).all(); }

}  // namespace attnscope::walk

#include "app/views/parts/vector_map.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/number_map.hpp"
#include "app/views/editing/places.hpp"
#include "app/views/editing/weight_map.hpp"
#include "core/document/known.hpp"
#include "core/edits/numbers.hpp"

namespace attnscope {
namespace {

/// The text whose tokens are the rows of a stage.
enum class Rows { Queries, Keys, Tokens };

Rows rows_of(Stage stage) {
  switch (stage) {
    case Stage::Embed:
    case Stage::Position:
    case Stage::AttentionNorm:
    case Stage::QueryLatent: return Rows::Tokens;
    case Stage::Memory:
    case Stage::Latent:
    case Stage::Key:
    case Stage::NormKey:
    case Stage::RotateKey:
    case Stage::Value: return Rows::Keys;
    default: return Rows::Queries;
  }
}

bool has_heads(const Tensor& tensor) { return tensor.shape().rank() == 4; }

/// A stage of vectors of the shown sequence and head.
struct StageVectors {
  Scene& scene;
  Stage stage;
  std::int64_t b, h;  // h: the head of this stage, which a group of query heads may share
  ConstMatrixMap<float> values;

  std::string label(std::int64_t row) const {
    const LayerResult& r = scene.result;
    switch (rows_of(stage)) {
      case Rows::Queries: return query_label(r, b, row);
      case Rows::Keys: return key_label(r, b, row);
      case Rows::Tokens: return query_label(r, b, row - r.dimensions.past);
    }
    return {};
  }
  /// The row of the chosen cell's query or key; -1 if this stage has no such row.
  std::int64_t marked() const {
    const Cell cell = scene.cell();
    if (rows_of(stage) == Rows::Keys) return cell.key;
    return rows_of(stage) == Rows::Tokens ? cell.query + scene.result.dimensions.past : cell.query;
  }
  std::variant<Place, std::string_view> place(std::int64_t row) const {
    return place_of(scene.result, {stage, b, h, row});
  }
  /// The symbol of the stage in its formula: "Q′".
  std::string symbol() const { return std::string(info(stage).symbol); }
};

StageVectors vectors_of(Scene& scene, Stage stage) {
  const LayerResult& r = scene.result;
  const Tensor& tensor = *r.trace[stage];
  const std::int64_t b = scene.sequence();
  const std::int64_t heads = has_heads(tensor) ? tensor.shape()[1] : 1;
  const std::int64_t h = scene.head() * heads / r.dimensions.heads;
  return {scene, stage, b, h, has_heads(tensor) ? tensor.matrix(b, h) : tensor.matrix(b)};
}

/// Zero-centred colours up to the stage's largest magnitude in any head.
NumberMap map_of(const StageVectors& v, const char* label) {
  const Ui& ui = v.scene.ui;
  std::uint64_t content = v.scene.result.made_in[v.stage];
  for (const std::int64_t part : {v.b, v.h, static_cast<std::int64_t>(index_of(v.stage))})
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  return {.label = label,
          .what = "stage " + std::to_string(index_of(v.stage)),
          .content = content,
          .values = v.values,
          .most = v.scene.stats.largest(v.stage),
          .row_label = [&v](std::int64_t row) { return v.label(row); },
          .column_label = [](std::int64_t column) { return std::to_string(column); },
          .marked = v.marked(),
          .hue = rows_of(v.stage) == Rows::Keys ? ui.theme.key : ui.theme.query,
          .name =
              [&v](NumberAt at) {
                return own(v.symbol() + "[" + v.label(at.row) + ", " + std::to_string(at.column) +
                           "] = " + fixed(static_cast<double>(v.values(at.row, at.column)), 4));
              },
          .tip =
              [&v](NumberAt at) {
                const auto place = v.place(at.row);
                if (const auto* why = std::get_if<std::string_view>(&place))
                  return number_tip(false, false, *why);
                return number_tip(true, can_reset(v.scene.document, std::get<Place>(place).block));
              },
          .can_edit = [&v](NumberAt at) { return std::holds_alternative<Place>(v.place(at.row)); },
          .can_reset =
              [&v](NumberAt at) {
                const auto place = v.place(at.row);
                const Place* there = std::get_if<Place>(&place);
                return there != nullptr && can_reset(v.scene.document, there->block);
              }};
}

/// Hovering shows the number; a click chooses the row's token.
void take_mouse(const StageVectors& v, const NumberMapResult& seen) {
  if (seen.event) {
    const auto place = v.place(seen.event->at.row);
    if (const Place* first = std::get_if<Place>(&place)) apply(v.scene, *seen.event, *first);
  }
  if (!seen.hovered || (!seen.touch.hovered && !seen.touch.clicked)) return;
  const NumberAt under = *seen.hovered;
  v.scene.view.hint = v.label(under.row) + " · dimension " + std::to_string(under.column) + " = " +
                      fixed(static_cast<double>(v.values(under.row, under.column)), 6);
  if (!seen.touch.clicked) return;
  const Dimensions& d = v.scene.result.dimensions;
  Cell cell = v.scene.selection.cell;
  if (rows_of(v.stage) == Rows::Keys) {
    cell.key = std::min(under.row, d.keys - 1);
  } else {
    const std::int64_t query = rows_of(v.stage) == Rows::Tokens ? under.row - d.past : under.row;
    if (query < 0 || query >= d.queries) return;  // a cached token has no query
    cell.query = query;
  }
  v.scene.next.choose(cell);
}

}  // namespace

std::vector<Stage> vector_stages(const LayerResult& result) {
  const Trace& trace = result.trace;
  std::vector<Stage> there;
  const auto add = [&](Stage stage, bool differs = true) {
    if (trace[stage] && differs && is_known(result.document, stage)) there.push_back(stage);
  };
  add(Stage::Embed);
  add(Stage::Position, trace[Stage::Position] != trace[Stage::Embed]);
  add(Stage::Memory);
  add(Stage::AttentionNorm, trace[Stage::AttentionNorm] != trace[Stage::Position]);
  add(Stage::QueryLatent);
  add(Stage::Latent);
  add(Stage::Query);
  add(Stage::NormQuery, trace[Stage::NormQuery] != trace[Stage::Query]);
  add(Stage::RotateQuery, trace[Stage::RotateQuery] != trace[Stage::NormQuery]);
  add(Stage::Key);
  add(Stage::NormKey, trace[Stage::NormKey] != trace[Stage::Key]);
  add(Stage::RotateKey, trace[Stage::RotateKey] != trace[Stage::NormKey]);
  add(Stage::Value);
  add(Stage::Mix);
  add(Stage::Concat);
  add(Stage::Output);
  for (const StageInfo& row : stage_table) {
    const bool shared = std::ranges::any_of(stage_table, [&](const StageInfo& before) {
      return row.inputs.has(before.stage) && trace[before.stage] == trace[row.stage];
    });
    if (is_after_attention(row.stage)) add(row.stage, !shared);
  }
  return there;
}

VectorWords vector_words(Stage stage) {
  switch (stage) {
    case Stage::Embed: return {"E vectors", "E", "Token embeddings, before positions."};
    case Stage::Position: return {"X positions", "X = E + P", "Token embeddings plus positions."};
    case Stage::Memory: return {"N second text", "N = E + P", "Input of keys and values."};
    case Stage::QueryLatent:
      return {"c_Q query latent", "c_Q from X·W_DQ", "What W_Q makes the queries of all heads of."};
    case Stage::Latent:
      return {"ℓ latent", "ℓ = [c, k_R] from X·W_DKV",
              "What a cache keeps: c, of which all heads' keys and values are made, and the key they share."};
    case Stage::Query: return {"Q queries", "Q = X·W_Q + b", "The input projected by W_Q of this head."};
    case Stage::NormQuery:
      return {"Qₙ normed", "Qₙ = norm(Q) ∘ γ_Q",
              "Queries of each head normed over dₖ, times learned weights."};
    case Stage::RotateQuery: return {"Q′ rotated", "Q′ = R(p)·Q", "Queries rotated by their positions."};
    case Stage::Key: return {"K keys", "K = X·W_K + b", "The input projected by W_K of this head."};
    case Stage::NormKey:
      return {"Kₙ normed", "Kₙ = norm(K) ∘ γ_K", "Keys of each head normed over dₖ, times learned weights."};
    case Stage::RotateKey: return {"K′ rotated", "K′ = R(p)·K", "Keys rotated by their positions."};
    case Stage::Value: return {"V values", "V = X·W_V + b", "The input projected by W_V of this head."};
    case Stage::Mix:
      return {"Z head outputs", "Z = A·V",
              "Output of this head for every query: values averaged by its weights."};
    case Stage::Concat: return {"C concatenated", "C = [Z₁ … Z_h]", "The head outputs, concatenated."};
    case Stage::AttentionNorm:
      return {"Xₙ normed input", "Xₙ = norm(X)",
              "Token vectors, each normed by itself: what attention reads."};
    case Stage::OutputNorm:
      return {"Yₙ normed output", "Yₙ = norm(Y)", "Output of attention, normed before it is added."};
    case Stage::Residual:
      return {"R residual", "R = X + Y", "Output of attention added to the token vectors."};
    case Stage::StreamNorm: return {"R′ normed residual", "R′ = norm(R)", "The sum normed, as in BERT."};
    case Stage::MlpNorm: return {"Rₙ MLP input", "Rₙ = norm(R′)", "What the MLP reads."};
    case Stage::Gate:
      return {"T MLP gate", "T = Rₙ·W_gate + b", "The gate of the MLP, before its activation."};
    case Stage::Up:
      return {"U MLP up", "U = Rₙ·W_up + b", "The MLP's hidden numbers, before its activation."};
    case Stage::Activation:
      return {"J MLP activation", "J = f(U), or f(T) ∘ U", "The MLP's hidden numbers, after its activation."};
    case Stage::Down: return {"O MLP output", "O = J·W_down + b", "Output of the MLP."};
    case Stage::MlpOutputNorm:
      return {"Oₙ normed MLP output", "Oₙ = norm(O)", "Output of the MLP, normed before it is added."};
    case Stage::MlpResidual:
      return {"R₂ MLP residual", "R₂ = R′ + O", "Output of the MLP added to its residual."};
    case Stage::BlockOutput: return {"X₂ block output", "X₂ = norm(R₂)", "Output of the block."};
    default: return {"Y output", "Y = C·W_O + b", "Output of the layer."};
  }
}

VectorWords vector_words(const BlockSettings& block, Stage stage) {
  const VectorWords usual = vector_words(stage);
  if (!is_of_block(stage)) return usual;
  if (stage == Stage::Residual && !block.attention_residual)
    return {usual.name, "R = Y", "Output of attention alone: nothing is added."};
  if (stage == Stage::MlpResidual && !block.mlp_residual && block.kind != Arrangement::Parallel)
    return {usual.name, "R₂ = O", "Output of the MLP alone: nothing is added."};
  if (norm_at(block, stage)) return usual;
  constexpr std::string_view passed = "Passed on as it is: no norm stands here.";
  switch (stage) {
    case Stage::AttentionNorm: return {usual.name, "Xₙ = X", passed};
    case Stage::OutputNorm: return {usual.name, "Yₙ = Y", passed};
    case Stage::StreamNorm: return {usual.name, "R′ = R", passed};
    case Stage::MlpNorm: return {usual.name, "Rₙ = R′", passed};
    case Stage::MlpOutputNorm: return {usual.name, "Oₙ = O", passed};
    case Stage::BlockOutput: return {usual.name, block.mlp ? "X₂ = R₂" : "X₂ = R′", passed};
    default: return usual;
  }
}

namespace {

/// For keys and values that several query heads share.
std::string shared_by(const Shown& shown, Stage stage) {
  const Dimensions& d = shown.result.dimensions;
  if (rows_of(stage) != Rows::Keys || stage == Stage::Memory || stage == Stage::Latent) return {};
  const std::int64_t group = d.heads / d.kv_heads, first = shown.head() / group * group;
  if (group < 2) return {};
  return "  Shared by heads " + std::to_string(first) + " – " + std::to_string(first + group - 1) + ".";
}

/// The words for this layer: without positions or bias if it adds none.
VectorWords words_of_map(const LayerSpec& layer, Stage stage) {
  VectorWords words = vector_words(layer.block, stage);
  const bool adds = is_added_to_tokens(layer.positions);
  if (stage == Stage::Position && !adds) return {words.name, "X = E", "Token embeddings."};
  const bool biased = (layer.weights.recipe == Recipe::Random && layer.weights.biases) ||
                      layer.weights[Parameter::BOutput] != nullptr;
  if (stage == Stage::Output && !biased) words.formula = "Y = C·W_O";
  if (stage == Stage::Activation) words.formula = layer.block.gated ? "J = f(T) ∘ U" : "J = f(U)";
  return words;
}

}  // namespace

void draw_vector_map(Scene& scene, const Box& area, Stage stage, const char* label) {
  const Ui& ui = scene.ui;
  const StageVectors v = vectors_of(scene, stage);
  const VectorWords w = words_of_map(scene.result.document.layer(), stage);
  const bool editable = stage == Stage::Embed && !scene.result.document.input.is_given();
  const float bar = editable ? ui.px(44) : 0;
  if (editable) draw_block_bar(scene, {area.x, area.y, area.w, bar}, Editable::Input);
  const float y = area.y + bar + ui.px(10);
  const std::string why = std::string(w.why) + shared_by(scene, stage);
  const float width = ui.text(area.x, y, w.formula, {type::label, ui.theme.text1, Ink::Medium});
  // The formula in words, if there is room for all of it.
  const float room = area.w - width - ui.px(20);
  if (ui.text_width(why, type::label, Ink::Regular) <= room)
    ui.text(area.x + width + ui.px(14), y, why,
            {type::label, ui.theme.text3, Ink::Regular, Align::Left, room});
  const float head = bar + ui.px(28);
  take_mouse(v, draw_number_map(scene, {area.x, area.y + head, area.w, area.h - head}, map_of(v, label)));
}

}  // namespace attnscope

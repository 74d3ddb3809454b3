#include "app/views/editing/places.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "app/state/regions/editing_state.hpp"
#include "app/state/window_state.hpp"
#include "core/attention/run_stage.hpp"

namespace attnscope {
namespace {

using PlaceOrWhy = std::variant<Place, std::string_view>;

PlaceOrWhy place_of_token(const LayerResult& result, const VectorRow& at, Editable block) {
  if (at.stage != Stage::Embed && is_added_to_tokens(result.document.layer().positions))
    return std::string_view(block == Editable::Input
                                ? "X = E + P: edit E vectors; what you add there is added here."
                                : "N = E + P: with positions off, or rotary ones, it can be edited here.");
  return Place{block, at.row, 0, at.b, 0};
}

/// The Place of a key or value: cached, given, or learned; the zero key has none.
PlaceOrWhy place_of_key(const LayerResult& result, const VectorRow& at, bool values) {
  const Dimensions& d = result.dimensions;
  const Document& document = result.document;
  if (at.row == d.keys - 1 && document.layer().add_zero_attn)
    return std::string_view("The zero key is zero. Turn it off in Weights to be rid of it.");
  if (document.input.is_given()) {
    if (at.row < d.past)
      return Place{values ? Editable::PastValues : Editable::PastKeys, at.row, 0, at.b, at.h};
    return Place{values ? Editable::Values : Editable::Keys, at.row - d.past, 0, at.b, at.h};
  }
  if (at.row >= d.token_keys())
    return Place{values ? Editable::BiasV : Editable::BiasK, 0, at.h * (values ? d.d_v : d.d_k)};
  return std::string_view(values ? "V = X·W_V + b: edit E vectors or W_V."
                                 : "K = X·W_K + b: edit E vectors or W_K.");
}

PlaceOrWhy place_of_query(const LayerResult& result, const VectorRow& at) {
  if (result.document.input.is_given()) return Place{Editable::Queries, at.row, 0, at.b, at.h};
  return std::string_view("Q = X·W_Q + b: edit E vectors or W_Q.");
}

}  // namespace

PlaceOrWhy place_of(const LayerResult& result, const VectorRow& at) {
  const bool turned = is_rotary(result.document.layer().positions);
  const bool normed = result.document.layer().qk_norm.kind != QkNorm::Kind::None;
  if (is_of_block(at.stage)) return std::string_view("It follows from the block and what goes into it.");
  switch (at.stage) {
    case Stage::Embed:
    case Stage::Position: return place_of_token(result, at, Editable::Input);
    case Stage::Memory: return place_of_token(result, at, Editable::Memory);
    case Stage::QueryLatent: return std::string_view("c_Q is made of X and W_DQ: edit E vectors or W_DQ.");
    case Stage::Latent: return std::string_view("ℓ is made of X and W_DKV: edit E vectors or W_DKV.");
    case Stage::NormQuery:
    case Stage::RotateQuery:
      if (normed && (at.stage == Stage::NormQuery || !turned))
        return std::string_view("Qₙ = norm(Q) ∘ γ_Q: edit what Q is made of.");
      if (turned) return std::string_view("Q′ = R(p)·Q: edit what Q is made of, or the positions.");
      [[fallthrough]];
    case Stage::Query: return place_of_query(result, at);
    case Stage::NormKey:
    case Stage::RotateKey:
      if (normed && (at.stage == Stage::NormKey || !turned))
        return std::string_view("Kₙ = norm(K) ∘ γ_K: edit what K is made of.");
      if (turned) return std::string_view("K′ = R(p)·K: edit what K is made of, or the positions.");
      [[fallthrough]];
    case Stage::Key: return place_of_key(result, at, false);
    case Stage::Value: return place_of_key(result, at, true);
    case Stage::Mix: return std::string_view("Z = A·V: it follows from the weights and the values.");
    case Stage::Concat: return std::string_view("C = [Z₁ … Z_h]: it follows from the heads.");
    default: return std::string_view("Y = C·W_O + b: edit W_O, or what the heads take from V.");
  }
}

bool can_reset(const Document& document, Editable block) {
  switch (block) {
    case Editable::Input:
    case Editable::Memory: return !document.input.is_vectors();
    case Editable::Queries:
    case Editable::Keys:
    case Editable::Values:
    case Editable::PastKeys:
    case Editable::PastValues: return false;
    default: break;
  }
  const Weights weights = document.layer().weights;
  const std::optional<Projection> which = projection_of(block);
  return weights.recipe != Recipe::Given || weights.made_by != Recipe::Given ||
         (which && weights.of(*which).drawn);
}

namespace {

/// The root mean square of the block, for noise of the same size; 1 if it is 0 or not finite.
float deviation(const Document& document, Editable block) {
  const TensorPtr numbers = numbers_of(document, block);
  if (!numbers || numbers->size() == 0) return 1;
  double squares = 0;
  for (const float x : numbers->values()) squares += static_cast<double>(x) * static_cast<double>(x);
  const double mean = std::sqrt(squares / static_cast<double>(numbers->size()));
  return std::isfinite(mean) && mean > 0 ? static_cast<float>(mean) : 1;
}

Document applied(Scene& scene, const NumberEvent& event, Place place, Columns columns) {
  using Kind = NumberEvent::Kind;
  Document& document = scene.document;
  switch (event.kind) {
    case Kind::Set: return edit::number(std::move(document), place, event.value);
    case Kind::Restore: return editing_of(scene.view).before;
    case Kind::Reset: return edit::reset_number(std::move(document), place);
    case Kind::ResetRow: return edit::reset_row(std::move(document), place, columns);
    case Kind::Zero: return edit::zero_row(std::move(document), place, columns);
    case Kind::OneHot: return edit::one_hot_row(std::move(document), place, columns);
    case Kind::Noise: {
      const float spread = deviation(document, place.block);
      return edit::noise_row(std::move(document), place, {spread, ++editing_of(scene.view).noises}, columns);
    }
    case Kind::PasteRow: {
      const std::vector<float>& row = editing_of(scene.view).numbers.row;
      const auto count = std::min(std::ssize(row), static_cast<std::ptrdiff_t>(columns.end - columns.begin));
      place.column = columns.begin;
      return edit::paste_row(std::move(document), place, {row.data(), static_cast<std::size_t>(count)});
    }
  }
  return document;
}

}  // namespace

void apply(Scene& scene, const NumberEvent& event, const Place& first) {
  Place place = first;
  place.column += event.at.column;
  const Columns columns{first.column + event.stretch.begin, first.column + event.stretch.end};
  const Document before = scene.document;
  EditingState& state = editing_of(scene.view);
  if (state.began != state.numbers.count) {
    state.began = state.numbers.count;
    state.before = before;
  }
  try {
    scene.document = applied(scene, event, place, columns);
  } catch (const std::exception& error) {
    scene.document = before;
    scene.view.notices.say(error.what());
  }
}

Tip number_tip(bool can_edit, bool can_reset, std::string_view why_not) {
  if (!can_edit) return {{}, {}, why_not};
  return {{},
          "click: type · Alt + drag right or up: more",
          can_reset
              ? "Double click resets it, right click: menu of its row; with Ctrl a scrub is ten times finer."
              : "Right click: menu of its row; with Ctrl a scrub is ten times finer."};
}

}  // namespace attnscope

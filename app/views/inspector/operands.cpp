#include "app/views/inspector/operands.hpp"

#include <algorithm>
#include <variant>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/places.hpp"
#include "app/views/editing/weight_map.hpp"

namespace attnscope {
namespace {

/// The block of weights whose column produces a dimension of the stage; nothing if there is none.
std::optional<Editable> weights_behind(const Document& document, Stage stage) {
  if (document.input.is_given()) return std::nullopt;
  switch (stage) {
    case Stage::Query:
    case Stage::NormQuery:
    case Stage::RotateQuery: return Editable::QueryWeights;
    case Stage::Key:
    case Stage::NormKey:
    case Stage::RotateKey: return Editable::KeyWeights;
    case Stage::Value: return Editable::ValueWeights;
    case Stage::Output: return Editable::OutputWeights;
    case Stage::QueryLatent: return Editable::QueryLatentWeights;
    case Stage::Latent: return Editable::LatentWeights;
    default: return std::nullopt;
  }
}

/// The number of a head's first dimensions that W_K does not produce: those of the key shared by all heads.
std::int64_t shared_of(const Document& document, Stage stage) {
  return weights_behind(document, stage) == Editable::KeyWeights ? shared_key_width(document) : 0;
}

/// The column of the block: the dimensions of the heads are side by side.
std::int64_t column_of(const Operand& operand, std::int64_t dimension, std::int64_t shared) {
  if (operand.stage == Stage::Output) return dimension;
  return operand.h * (std::ssize(operand.values) - shared) + dimension - shared;
}

/// Shows the block in the focus, zoomed to the head's columns.
void show_column(Scene& scene, const Operand& operand, Editable block) {
  EditingState& editing = editing_of(scene.view);
  show_weights(scene.view, block);
  editing.zoomed = "block " + std::string(symbol(block));
  editing.across = editing.down = {};
  const TensorPtr numbers = numbers_of(scene.document, block);
  if (operand.stage == Stage::Output || !numbers) return;
  const auto all = static_cast<float>(numbers->shape()[1]),
             width =
                 static_cast<float>(std::ssize(operand.values) - shared_of(scene.document, operand.stage));
  const float from = std::min(static_cast<float>(operand.h) * width / all, 1.f);
  editing.across = {from, std::min(1.f, from + width / all)};
  if (!(editing.across.from < editing.across.to)) editing.across = {};
}

/// "q = x · W_Q: 1.461 = Σ x_i · W_Q[i, 26] + b", and links to the numbers.
void explain(Scene& scene, const Operand& operand, const char* popup, std::string_view why) {
  const Ui& ui = scene.ui;
  context_menu(ui, popup, [&] {
    const std::int64_t d = std::clamp<std::int64_t>(
        inspector_of(scene.view).explained, 0, std::max<std::int64_t>(0, std::ssize(operand.values) - 1));
    const double value = static_cast<double>(operand.values[static_cast<std::size_t>(d)]);
    menu_title(ui, own(operand.symbol + "[" + std::to_string(d) + "]") + " of “" + own(operand.token) +
                       "” = " + fixed(value, 6));
    menu_title(ui, why);
    const std::int64_t shared = shared_of(scene.result.document, operand.stage);
    const std::optional<Editable> block = weights_behind(scene.result.document, operand.stage);
    if (block && d >= shared) {
      const std::string name = own(symbol(*block));
      const std::string note = "column " + std::to_string(column_of(operand, d, shared));
      if (menu_row(ui, ("Show column in " + name).c_str(), note)) show_column(scene, operand, *block);
    }
    if (operand.stage != Stage::Output && scene.result.trace[Stage::Embed] && operand.stage != Stage::Mix)
      if (menu_row(ui, "Show token vectors", "E")) show_vectors(scene.view, Stage::Embed);
    if (operand.stage == Stage::Mix && menu_row(ui, "Show the row's weights", "A"))
      inspector_of(scene.view).page = InspectorPage::Row;
  });
}

NumberGrid grid_of(const Scene& scene, const Operand& operand, const OperandPlaces& places,
                   const std::variant<Place, std::string_view>& place) {
  const Place* there = std::get_if<Place>(&place);
  const bool reset = there != nullptr && can_reset(scene.document, there->block);
  return {
      .label = places.label,
      .area = places.area,
      .rows = 1,
      .columns = std::ssize(operand.values),
      .box_of = [&places](NumberAt at) { return places.box_of(at.column); },
      .under = [&places](ImVec2 point) -> std::optional<NumberAt> {
        const std::optional<std::int64_t> d = places.under(point);
        return d ? std::optional<NumberAt>(NumberAt{0, *d}) : std::nullopt;
      },
      .value = [&operand](NumberAt at) { return operand.values[static_cast<std::size_t>(at.column)]; },
      .name =
          [&operand](NumberAt at) {
            const auto value = static_cast<double>(operand.values[static_cast<std::size_t>(at.column)]);
            return own_number(operand.symbol + "[" + std::to_string(at.column) + "] = " + fixed(value, 6));
          },
      .tip =
          [there, reset, &place](NumberAt) {
            if (there != nullptr) return number_tip(true, reset);
            return Tip{{}, "a click leads there", std::get<std::string_view>(place)};
          },
      .can_edit = [there](NumberAt) { return there != nullptr; },
      .can_reset = [reset](NumberAt) { return reset; }};
}

}  // namespace

OperandTouch take_operand(Scene& scene, const Operand& operand, const OperandPlaces& places) {
  if (operand.values.empty()) return {};
  NumberEditing& numbers = editing_of(scene.view).numbers;
  const auto place = place_of(scene.result, {operand.stage, operand.b, operand.h, operand.row});
  const NumberGrid grid = grid_of(scene, operand, places, place);
  const NumberGridResult seen = number_grid(scene.ui, numbers, grid);
  OperandTouch touch;
  if (seen.hovered && seen.touch.hovered) touch.hovered = seen.hovered->column;
  if (numbers.is(places.label)) touch.edited = numbers.at.column;
  if (touch.hovered)
    scene.view.hint = own(operand.symbol) + " of “" + own(operand.token) + "” · dimension " +
                      std::to_string(*touch.hovered) + " = " +
                      fixed(static_cast<double>(operand.values[static_cast<std::size_t>(*touch.hovered)]), 6);
  if (const Place* first = std::get_if<Place>(&place)) {
    if (seen.event) apply(scene, *seen.event, *first);
    return touch;
  }
  const std::string popup = std::string(places.label) + ": origin";
  if (seen.touch.clicked && touch.hovered) {
    inspector_of(scene.view).explained = *touch.hovered;
    ImGui::OpenPopup(popup.c_str());
  }
  explain(scene, operand, popup.c_str(), std::get<std::string_view>(place));
  return touch;
}

}  // namespace attnscope

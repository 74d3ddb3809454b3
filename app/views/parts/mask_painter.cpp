#include "app/views/parts/mask_painter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/unknown.hpp"
#include "core/edits/mask.hpp"

namespace attnscope {
namespace {

constexpr const char* no_token = "This key belongs to no token: every query sees it, so it cannot be hidden.";

std::optional<std::int64_t> painted_head(const Scene& scene) {
  if (editing_of(scene.view).all_heads) return std::nullopt;
  return scene.head();
}

/// Whether the edited Document hides the cell by hand.
bool hidden_by_hand(const Scene& scene, std::int64_t b, Cell cell) {
  const TensorPtr additive = scene.document.layer().masking.additive;
  if (!additive) return false;
  const Shape& shape = additive->shape();  // of a Document that may be newer than the picture
  const auto holds = [&](int axis, std::int64_t index) { return shape[axis] == 1 || index < shape[axis]; };
  return holds(0, b) && holds(1, scene.head()) && cell.query < shape[2] && cell.key < shape[3] &&
         edit::is_hidden_by_hand(scene.document, b, scene.head(), cell.query, cell.key);
}

/// The cells between two cells, so that a fast stroke has no gap.
std::vector<edit::MaskCell> cells_between(Cell from, Cell to) {
  const std::int64_t steps = std::max(std::abs(to.query - from.query), std::abs(to.key - from.key));
  std::vector<edit::MaskCell> cells;
  for (std::int64_t s = 0; s <= steps; ++s) {
    const auto between = [&](std::int64_t a, std::int64_t b) {
      if (steps == 0) return a;
      const double share = static_cast<double>(s) / static_cast<double>(steps);
      return static_cast<std::int64_t>(
          std::llround(static_cast<double>(a) + share * static_cast<double>(b - a)));
    };
    cells.push_back({between(from.query, to.query), between(from.key, to.key)});
  }
  return cells;
}

/// Changes the mask by hand; an error becomes a notice.
template <class Edit>
bool change(Scene& scene, const Edit& edit) {
  try {
    scene.document = edit(Document(scene.document));
    return true;
  } catch (const std::exception& error) {
    scene.view.notices.say(error.what());
    return false;
  }
}

/// The stroke that the first cell decides; empty if the cell cannot be painted.
std::optional<MaskStroke> begin(Scene& scene, std::int64_t b, Cell under) {
  if (refuse_without_scores(scene)) return std::nullopt;
  const LayerResult& result = scene.result;
  if (under.key >= result.dimensions.token_keys()) {
    scene.view.notices.say(no_token);
    return std::nullopt;
  }
  const bool by_hand = hidden_by_hand(scene, b, under);
  const bool hides = !by_hand && !scene.is_masked(b, scene.head(), under.query, under.key);
  if (!hides && !by_hand) {
    if (scene.document.layer().masking.padding && under.key >= key_length(result.document, b)) {
      scene.view.notices.say("The padding mask hides this cell; turn it off to show [pad].");
      return std::nullopt;
    }
    paint_from_pattern(scene);  // a rule hides the cell: only a painted one can be shown
  }
  return MaskStroke{hides, b, under};
}

}  // namespace

bool is_hidden_by_hand(const Scene& scene) { return hidden_by_hand(scene, scene.sequence(), scene.cell()); }

void toggle_hidden_cell(Scene& scene) {
  if (refuse_without_scores(scene)) return;
  const Cell cell = scene.cell();
  if (cell.key >= scene.result.dimensions.token_keys()) {
    scene.view.notices.say(no_token);
    return;
  }
  const edit::MaskBrush brush{!is_hidden_by_hand(scene), scene.sequence(), scene.head()};
  const edit::MaskCell one{cell.query, cell.key};
  change(scene, [&](Document d) {
    const Dimensions size = check(d);  // it may be newer than the picture
    if (scene.head() >= size.heads || scene.sequence() >= size.batch) return d;
    return edit::hidden_cells(std::move(d), brush, std::span(&one, 1));
  });
}

void brush_mask(Scene& scene, const Ui::Touch& touch, std::int64_t b, Cell under, const Box& cell) {
  std::optional<MaskStroke>& stroke = editing_of(scene.view).stroke;
  if (touch.held && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) stroke = begin(scene, b, under);
  if (touch.hovered || touch.held) {
    const Ui& ui = scene.ui;
    ui.frame(cell.grown(ui.px(1)), ui.theme.key, ui.px(2), ui.px(3));
    scene.view.hint = query_label(scene.result, b, under.query) + " → " +
                      key_label(scene.result, b, under.key) + " · drag hides or shows cells in " +
                      std::string(brush_reach(scene));
  }
  if (!touch.held) {
    if (!ImGui::GetIO().MouseDown[0]) stroke.reset();
    return;
  }
  if (!stroke || stroke->sequence != b) return;
  const edit::MaskBrush brush{stroke->hides, b, painted_head(scene)};
  change(scene, [&](Document d) {
    return edit::hidden_cells(std::move(d), brush, cells_between(stroke->last, under));
  });
  stroke->last = under;
}

bool is_painting(const Scene& scene) {
  return editing_of(scene.view).painting && scene.view.mode == Mode::Explore;
}

bool paint_mask(Scene& scene, const Ui::Touch& touch, std::int64_t b, Cell under, const Box& cell) {
  if (!is_painting(scene)) return false;
  if (touch.hovered || touch.held) brush_mask(scene, touch, b, under, cell);
  return touch.held || touch.clicked;
}

void paint_from_pattern(Scene& scene) {
  change(scene, [&](Document d) {
    if (check(d) != scene.result.dimensions) return d;  // newer than the picture: paint in the next frame
    return edit::mask_from_rule(std::move(d), scene.result.trace, painted_head(scene));
  });
}

void toggle_painting(Scene& scene) {
  EditingState& editing = editing_of(scene.view);
  if (!editing.painting && refuse_without_scores(scene)) return;
  editing.painting = !editing.painting;
  editing.stroke.reset();
  if (!editing.painting || (!stage_look_of(scene.view).vectors && !editing.weights)) return;
  show_stage(scene.view, stage_look_of(scene.view).stage);  // cells of queries and keys, to paint on
}

void toggle_brush_reach(Scene& scene) {
  editing_of(scene.view).all_heads = !editing_of(scene.view).all_heads;
}

std::string_view brush_reach(const Scene& scene) {
  return editing_of(scene.view).all_heads ? "all heads" : "this head";
}

}  // namespace attnscope

#include "app/views/model/grid_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/views/model/grid_colours.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {
namespace {

struct GroupWords {
  HeadGroup group;
  std::string_view name;
};
constexpr std::array<GroupWords, head_groups> group_words{{{HeadGroup::Previous, "previous token"},
                                                           {HeadGroup::Induction, "induction"},
                                                           {HeadGroup::First, "first token"},
                                                           {HeadGroup::Duplicate, "duplicate token"},
                                                           {HeadGroup::Rest, "other heads"}}};

}  // namespace

std::vector<GridList> grid_lists(const GridFrame& grid) {
  std::vector<GridList> all;
  if (grid.state.order == GridOrder::Groups) {
    for (const GroupWords& words : group_words) {
      GridList list{words.name, {}};
      for (const ModelHead& head : all_model_heads(grid.spec))
        if (group_of(grid.reading, head) == words.group) list.heads.push_back(head);
      if (!list.heads.empty()) all.push_back(std::move(list));
    }
  } else if (grid.state.order == GridOrder::Largest) {
    std::vector<std::pair<double, ModelHead>> sized;  // each value is computed once
    for (const ModelHead& head : all_model_heads(grid.spec)) {
      const double value = grid_value(grid, head);
      sized.emplace_back(std::isnan(value) ? -1.0 : std::abs(value), head);
    }
    std::stable_sort(sized.begin(), sized.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    GridList list{{}, {}};
    for (const auto& [size, head] : sized) list.heads.push_back(head);
    all.push_back(std::move(list));
  }
  return all;
}

namespace {

GridPlan plan_of(const GridFrame& grid, const Box& area) {
  const std::vector<GridPart> all = grid_parts(grid);
  const std::vector<GridList> heads = grid_lists(grid);
  const auto planned = [&] {
    const float scroll = grid.ui.px(grid.state.grid_scroll);
    return grid.state.order == GridOrder::Layers ? plan_layers(grid.ui, area, all, scroll)
                                                 : plan_lists(grid.ui, area, all, heads, scroll);
  };
  GridPlan made = planned();
  const float most = std::max(0.f, made.height - made.window.h) / grid.ui.scale();
  if (grid.state.grid_scroll <= most) return made;
  grid.state.grid_scroll = most;
  return planned();
}

}  // namespace

const GridPlan::Cell* find_cell(const GridPlan& plan, const ModelHead& head) {
  const auto found = std::find_if(plan.cells.begin(), plan.cells.end(),
                                  [&](const GridPlan::Cell& cell) { return cell.head == head; });
  return found == plan.cells.end() ? nullptr : &*found;
}

std::vector<GridPart> grid_parts(const GridFrame& grid) {
  std::vector<GridPart> all;
  for (const AttentionOf of : attentions_of(grid.spec)) {
    const std::vector<AttentionRun>& runs = attention_of(grid.run, of);
    const bool effects = grid.state.layer_effects && grid.spec.has_logits();
    GridPart part{.of = of, .heads = {}, .effects = effects && of == output_attention(grid.spec)};
    for (int block = 0; block < blocks_in(grid.spec, of); ++block)
      part.heads.push_back(heads_in(grid.spec, of, block));
    const LayerSpec& first = grid.spec.stack(of).blocks.front();
    part.group = of == AttentionOf::Cross || first.kv_heads == 0 ? 1 : first.heads / first.kv_heads;
    if (!runs.empty() && runs.front().pictures.mean.size() > 0) {
      const auto picture = runs.front().pictures.mean.matrix();
      part.queries = picture.rows();
      part.keys = picture.cols();
    }
    all.push_back(std::move(part));
  }
  return all;
}

GridFrame::GridFrame(Scene& of)
    : scene(of),
      ui(of.ui),
      state(model_look_of(of.view)),
      reading(*of.model),
      spec(reading.within.model->model->spec),
      run(*shown_run(of)),
      facts(model_facts_of(of)),
      changes(shown_changes(of)),
      chosen(chosen_head(of)) {}

GridFrame::GridFrame(Scene& of, const Box& place) : GridFrame(of) {
  region = place;
  const float pad = region_pad(scene), line = title_height(ui);
  title = {region.x + pad, region.y, region.w - 2 * pad, line};
  plan = plan_of(*this, {region.x + pad, region.y + line, region.w - 2 * pad, region.h - line});
}

}  // namespace attnscope

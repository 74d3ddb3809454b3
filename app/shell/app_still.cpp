// app/shell: makes Scenes from the workspace, and draws pictures of the window from it.
#include <utility>

#include "app/scene/actions.hpp"
#include "app/shell/app.hpp"
#include "app/shell/regions.hpp"
#include "app/shell/whole_window.hpp"
#include "app/state/files_state.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/start_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/presenter/presenter.hpp"

namespace attnscope {

bool App::finish_numbers() const {
  lessons_.wait_for_model();
  for (const auto& page : pages_) page->wait();
  model_.wait();
  held_->wait_for_model();
  return showing_.finish_numbers();
}

Scene App::scene_of(const Ui& ui, Document& document, Selections selections, ViewState& view,
                    Requests& requests, const Layout& layout) const {
  const Shown shown{.ui = ui,
                    .run = *space_->shown.result,
                    .result = space_->shown.result->layer(),
                    .selected = selections.now,
                    .stats = *space_->shown.stats,
                    .head_maps = space_->head_maps,
                    .tiles = space_->shown.tiles.get(),
                    .held = held_->beside(space_->shown.result),
                    .held_tiles = held_->held_result() ? held_->held_result()->tiles.get() : nullptr,
                    .model = space_->models.shown_of(document),
                    .held_model = held_->model(),
                    .model_task = model_.task(),
                    .lesson = &space_->lessons.shown_lessons(),
                    .pages = pages_,
                    .examples = space_->examples,
                    .languages = space_->languages,
                    .compact = layout.compact,
                    .edited = space_->is_edited()};
  return {shown,
          {document, selections.now, selections.next, view, requests, space_->engine, space_->backends,
           &training_.runs()}};
}

void App::draw_still(const Fonts& fonts, Still& still, SvgCanvas* copy) const {
  const PresentedView presented(still.view, ImGui::GetIO().DisplaySize);
  const Ui ui(theme(still.view.theme), fonts, still.textures, still.view.scale,
              {copy, still.figure, &space_->words});
  still.layout = layout_of(still.document, space_->shown.result, still.view);
  {
    const WholeWindow window(ui);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (copy) ui.fill({0, 0, size.x, size.y}, ui.theme.panel);  // else the window's colour
    Selection next = still.selection;
    Requests requests;  // requests of a still picture are ignored
    if (space_->shown.result) {
      Scene scene = scene_of(ui, still.document, {still.selection, next}, still.view, requests, still.layout);
      scene.edited = still.edited;
      draw_help(scene);
      draw_regions(scene, still.layout);
      if (still.view.presenter->on) draw_presenter(scene, still.layout);
      draw_timings(scene, still.layout.top);
      draw_parity(scene, still.layout.top);
    }
  }
  still.textures.end_frame();
}

std::optional<GridPage> App::draw_page(const Fonts& fonts, Still& still, int token_pixels,
                                       SvgCanvas* copy) const {
  const Ui ui(theme(still.view.theme), fonts, still.textures, still.view.scale, {copy, true, &space_->words});
  std::optional<GridPage> page;
  {
    const WholeWindow window(ui);
    Selection next = still.selection;
    Requests requests;
    if (space_->shown.result) {
      Scene scene = scene_of(ui, still.document, {still.selection, next}, still.view, requests, still.layout);
      if (scene.model != nullptr && scene.model->run) page = draw_grid_page(scene, token_pixels);
    }
  }
  still.textures.end_frame();
  return page;
}

void App::prepare(Still& still, float scale) const {
  still.document = space_->document;
  still.selection = without_hovers(space_->selection);
  still.view = space_->view;
  still.view.scale *= scale;
  still.view.notices.clear();
  still.view.start->open = false;
  if (filming_.is_on()) still.view.files->exporting.reset();
  still.view.keyboard = {};
  still.view.keyboard.sentence.first = space_->view.keyboard.sentence.first;
  still.view.keyboard.sentence.followed = space_->view.keyboard.sentence.followed;
  still.edited = space_->is_edited();
}

}  // namespace attnscope

#include "app/views/model/model.hpp"

#include "app/views/model/parts.hpp"
#include "app/views/model/why.hpp"

namespace attnscope {
namespace {

/// No model is open.
void draw_no_model(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  const float y = box.centre_y();
  ui.fill(box, ui.theme.canvas);
  ui.text(box.centre_x(), y - ui.px(16), "No model is open",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, box.w - ui.px(32)});
  ui.text(box.centre_x(), y + ui.px(14),
          "Drop a Hugging Face folder or a .gguf file here, or choose one with Ctrl+O.",
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(32)});
}

}  // namespace

void draw_between_splitters(Scene& scene, const Box& box, const std::function<void()>& draw) {
  const bool has_regions = scene.model != nullptr && scene.model->run && scene.document.within.read();
  std::vector<SplitterLine> lines;
  if (has_regions && !scene.ui.is_figure()) {
    const ModelRegions regions = model_regions(scene.ui, box, scene.compact, scene.view);
    lines = drag_model_splitters(scene.ui, regions, scene.view);
  }
  draw();
  for (const SplitterLine& line : lines) scene.ui.fill(line.box, line.colour);
}

void draw_model(Scene& scene, const Box& box, const PictureDrawing& pictures) {
  if (scene.model == nullptr || !scene.model->run || !scene.document.within.read())
    return draw_no_model(scene, box);
  scene.view.model->picture.is_there = pictures.is_there(scene);
  const ModelRegions regions = model_regions(scene.ui, box, scene.compact, scene.view);
  if (has_room(regions.controls)) draw_model_controls(scene, regions.controls);
  if (scene.view.model->screen == ModelScreen::Why) {
    draw_model_why(scene, regions);
    if (scene.view.model->split.path && has_room(regions.stream)) {
      const Box low{regions.stream.x, regions.stream.y, regions.stream.w + regions.prediction.w,
                    regions.stream.h};
      return draw_why_path(scene, shown_why(scene), low);
    }
  } else {
    draw_model_grid(scene, regions.grid);
    if (has_room(regions.head)) draw_model_head(scene, regions.head);
  }
  const bool picture = scene.view.model->picture.is_there && scene.view.model->picture.shown;
  if (has_room(regions.stream))
    picture ? pictures.draw(scene, regions.stream) : draw_model_stream(scene, regions.stream);
  if (has_room(regions.prediction)) draw_model_prediction(scene, regions.prediction);
}

}  // namespace attnscope

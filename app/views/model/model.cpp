#include "app/views/model/model.hpp"

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

void draw_model(Scene& scene, const Box& box) {
  if (scene.model == nullptr) return draw_no_model(scene, box);
}

}  // namespace attnscope

#include "app/pages/gallery/page.hpp"

#include <algorithm>

#include "app/kit/gallery.hpp"
#include "app/scene/scene.hpp"

namespace attnscope {
namespace {

constexpr PageFacts gallery_facts{.mode = {"gallery", true},
                                  .is_on_bar = false,
                                  .name = {},
                                  .tip = {},
                                  .picture = "Screen",
                                  .picture_file = "gallery"};

class Gallery final : public Page {
 public:
  const PageFacts& facts() const override { return gallery_facts; }
  void draw(Scene& scene, const Box& box) const override {
    const Ui& ui = scene.ui;
    ui.clip(box);
    draw_gallery(ui, {box.x, box.y, std::max(box.w, ui.px(1120)), std::max(box.h, ui.px(760))}, widgets_);
    ui.unclip();
  }

 private:
  mutable GalleryState widgets_;  // example settings, kept by neither undo nor a session
};

}  // namespace

PageRow gallery_page() {
  return {&gallery_facts, nullptr,
          [](const PageSupplies&) -> std::unique_ptr<Page> { return std::make_unique<Gallery>(); }};
}

}  // namespace attnscope

#include "app/render.hpp"

#include "app/app.hpp"
#include "app/choose_backend.hpp"
#include "app/gl/offscreen.hpp"
#include "app/imgui_host.hpp"
#include "app/paths.hpp"
#include "core/error.hpp"
#include "core/files/open.hpp"

namespace attnscope {
namespace {

constexpr float time_step = 1.0f / 60;
constexpr int most_frames = 600;  // ten seconds of animation: it moves for ever
constexpr int layout_frames = 3;  // sizes of one frame are used by the next

ThemeName check_wish(const RenderWish& wish) {
  if (wish.view != "explore") throw Error("There is no view \"" + wish.view + "\"; there is: explore.");
  const std::optional<ThemeName> name = theme_named(wish.theme);
  if (!name) throw Error("There is no theme \"" + wish.theme + "\"; there are: dark, light, contrast.");
  if (!(wish.scale >= 0.5f && wish.scale <= 4)) throw Error("A display scale from 0.5 to 4 can be drawn.");
  return *name;
}

}  // namespace

void render_picture(const RenderWish& wish) {
  const ThemeName theme_name = check_wish(wish);
  if (wish.file) open_document(*wish.file);  // the App would make a message of the Error

  const OffscreenContext context;
  const Framebuffer picture(wish.width, wish.height);
  const ChosenBackend chosen = choose_backend();
  LiveEngine engine(chosen.backend);
  ImGuiHost host;
  App app({assets_directory(), theme_name, wish.scale}, engine, chosen.cpu_reason);
  if (wish.file) app.open(*wish.file);

  const auto frame = [&] {
    picture.bind();
    host.frame(wish.width, wish.height, time_step, [&] { app.frame(host.fonts()); });
    engine.wait_idle();
  };
  frame();
  for (int i = 0; i < most_frames && (!app.settled() || app.wants_frame()); ++i) frame();
  for (int i = 0; i < layout_frames; ++i) frame();
  if (const ResultPtr result = engine.latest(); wish.file && result && !result->error.empty())
    throw Error(wish.file->string() + ": " + result->error);
  save_png(picture.read(), wish.out);
}

}  // namespace attnscope

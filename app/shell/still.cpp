#include "app/shell/still.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "app/exports/html/html_job.hpp"
#include "app/kit/gl/imgui_host.hpp"
#include "app/kit/gl/offscreen.hpp"
#include "app/shell/app.hpp"
#include "app/shell/html_step.hpp"
#include "app/state/window_state.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr int most_still_frames = 60;   // until no texture is postponed
constexpr int still_layout_frames = 3;  // sizes of one frame are used by the next
constexpr int tile = 4096;              // pixels; every OpenGL can draw that much at once
constexpr int longest_side = 32'768;    // of a picture, pixels
constexpr double most_pixels = 2.6e8;   // about a gibibyte
constexpr std::array<std::string_view, 6> region_names{"window",  "focus",     "heads",
                                                       "signals", "inspector", "grid"};

/// Puts the current Dear ImGui context back.
class KeptContext {
 public:
  KeptContext() : context_(ImGui::GetCurrentContext()) {}
  ~KeptContext() { ImGui::SetCurrentContext(context_); }
  KeptContext(const KeptContext&) = delete;
  KeptContext& operator=(const KeptContext&) = delete;

 private:
  ImGuiContext* context_;
};

struct Pixels {
  int x, y, width, height;
};

/// Draws the frame in tiles that any graphics card can draw, and joins them.
Image read_part(ImGuiHost& host, const Pixels& part) {
  Image whole(part.width, part.height);
  const Framebuffer target(std::min(tile, part.width), std::min(tile, part.height));
  for (int top = 0; top < part.height; top += target.height()) {
    for (int left = 0; left < part.width; left += target.width()) {
      target.bind();
      host.render_part(part.x + left, part.y + top, target.width(), target.height());
      const Image piece = target.read();
      const int wide = std::min(piece.width, part.width - left),
                high = std::min(piece.height, part.height - top);
      for (int y = 0; y < high; ++y)
        std::copy_n(piece.pixels.begin() + static_cast<std::ptrdiff_t>(y) * piece.width, wide,
                    &whole.at(left, top + y));
    }
  }
  return whole;
}

/// The Error that says why a region is not visible.
Error hidden(PictureRegion region, const PictureRequest& request, const ViewState& view) {
  const std::string name(region_names[static_cast<std::size_t>(region)]);
  const std::string_view why = view.mode == Mode::Explore || region == PictureRegion::Focus
                                   ? "it is hidden, or the window is too small for it"
                                   : "only Explore has it";
  return Error(fmt::format("Cannot write {}: there is no picture of the region \"{}\" here; {}.",
                           in_quotes(request.path.native()), name, why));
}

void check_size(const Pixels& part, const PictureRequest& request) {
  const double pixels = static_cast<double>(part.width) * part.height;
  if (part.width <= longest_side && part.height <= longest_side && pixels <= most_pixels) return;
  throw Error(
      fmt::format("Cannot write {}: {:d} × {:d} pixels are too many; a smaller size than {:g}× can be drawn.",
                  in_quotes(request.path.native()), part.width, part.height, request.scale));
}

}  // namespace

std::optional<PictureRegion> picture_region_named(std::string_view name) {
  for (std::size_t i = 0; i < region_names.size(); ++i)
    if (region_names[i] == name) return static_cast<PictureRegion>(i);
  return std::nullopt;
}

namespace {

void check_ending(const PictureRequest& request) {
  const std::string extension = lower_extension(request.path);
  if (extension != ".png" && extension != ".svg" && extension != ".html") {
    throw Error(fmt::format("Cannot write {}: expected a picture's name that ends in .html, .png or .svg.",
                            in_quotes(request.path.native())));
  }
}

}  // namespace

std::shared_ptr<GridFigure> draw_figure(const App& app, const PictureRequest& request) {
  check_ending(request);
  const KeptTarget target;
  const KeptContext context;
  ImGuiHost host(nullptr, app.last_frame().has_system_fonts);
  Still still;
  // Letters grow with the pictures, but less.
  const float scale = std::clamp(static_cast<float>(request.token_pixels) / 4, 1.f, 2.f);
  app.prepare(still, 1);
  still.view.scale = scale;
  if (request.theme) still.view.theme = *request.theme;
  still.figure = true;
  auto figure = std::make_shared<GridFigure>();
  figure->path = request.path;
  figure->title = app.document().title;
  figure->scale = scale;
  const auto draw = [&](int width, int height, SvgCanvas* copy) {
    host.build(width, height, 1e-4f, [&] {
      std::optional<GridPage> page = app.draw_page(host.fonts(), still, request.token_pixels, copy);
      if (page) figure->page = *std::move(page);
    });
  };
  draw(1600, 1000, nullptr);  // to learn its size
  const GridPage& page = figure->page;
  if (page.width == 0)
    throw Error(fmt::format("Cannot write {}: no model is open whose heads could be drawn.",
                            in_quotes(request.path.native())));
  check_size(page, request.path);
  for (int i = 0; i < still_layout_frames; ++i) draw(page.width, page.height, nullptr);
  if (lower_extension(request.path) == ".svg") {
    const auto wide = static_cast<float>(page.width), high = static_cast<float>(page.height);
    figure->canvas = std::make_unique<SvgCanvas>(SvgCanvas::Area{0, 0, wide, high});
    draw(page.width, page.height, figure->canvas.get());
    return figure;
  }
  for (const Box& box : page.chrome)
    if (box.w >= 1 && box.h >= 1)
      figure->chrome.push_back({static_cast<int>(box.x), static_cast<int>(box.y),
                                read_part(host, {static_cast<int>(box.x), static_cast<int>(box.y),
                                                 static_cast<int>(box.w), static_cast<int>(box.h)})});
  return figure;
}

DrawnPicture draw_picture(const App& app, const PictureRequest& request) {
  const std::string extension = lower_extension(request.path);
  if (!(request.scale >= least_picture_scale && request.scale <= most_picture_scale)) {
    throw Error(fmt::format("Cannot write {}: a picture can be {:d} to {:d} times as large as on the screen.",
                            in_quotes(request.path.native()), least_picture_scale, most_picture_scale));
  }
  check_ending(request);
  if (!app.shown()) throw Error("There is nothing to draw yet.");
  if (extension == ".html") {
    const auto job = app.view().mode == Mode::Lessons
                         ? app.files().saving.html_lesson_job({draw_html_step(app)}, request.path)
                         : app.files().saving.html_job(request.path);
    return {{}, job->make(Work{*app.backends().pool(), {}}, {}), request.path};
  }
  double clock = ImGui::GetTime();  // continues in the new context, so that "held 12 s ago" stays true
  const KeptTarget target;
  const KeptContext context;
  const int width = static_cast<int>(std::lround(app.size().x * request.scale));
  const int height = static_cast<int>(std::lround(app.size().y * request.scale));
  ImGuiHost host(nullptr, app.last_frame().has_system_fonts);
  Still still;
  app.prepare(still, request.scale);
  if (request.theme) still.view.theme = *request.theme;
  still.figure = request.region != PictureRegion::Window;
  still.view.caption = request.caption;
  const auto frame = [&](SvgCanvas* copy) {
    host.build(width, height, static_cast<float>(clock), [&] { app.draw_still(host.fonts(), still, copy); });
    clock = 1e-4;
  };
  bool waits = false;
  for (int i = 0; i < still_layout_frames || (i < most_still_frames && waits); ++i) {
    frame(nullptr);
    waits = app.finish_numbers() || still.textures.postponed() > 0;
  }
  const std::optional<Box> box = box_of(request.region, still.layout, still.view);
  if (!box) throw hidden(request.region, request, still.view);
  const Pixels part{static_cast<int>(box->x), static_cast<int>(box->y), static_cast<int>(box->w),
                    static_cast<int>(box->h)};
  if (extension == ".png") {
    check_size(part, request);
    return {read_part(host, part), {}, request.path};
  }
  SvgCanvas canvas({box->x, box->y, box->w, box->h});
  frame(&canvas);
  return {{}, canvas.finish(app.document().title, still.view.scale), request.path};
}

}  // namespace attnscope

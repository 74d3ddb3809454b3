#include "app/shell/render.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/files/paths.hpp"
#include "app/gl/offscreen.hpp"
#include "app/results/choose_backend.hpp"
#include "app/session/session.hpp"
#include "app/shell/app.hpp"
#include "app/shell/imgui_host.hpp"
#include "app/shell/still.hpp"
#include "app/ui/words.hpp"
#include "core/base/error.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr float time_step = 1.0f / 60;
constexpr int most_frames = 600;  // ten seconds of animation: it moves for ever
constexpr int layout_frames = 3;  // sizes of one frame are used by the next

void check_request(const RenderOptions& options) {
  if (options.view && !mode_named(*options.view))
    throw Error("There is no view \"" + *options.view + "\"; there are: explore, walk, compare, model.");
  if (options.theme && !theme_named(*options.theme))
    throw Error("There is no theme \"" + *options.theme + "\"; there are: dark, light, contrast.");
  if (options.language && *options.language != english) load_table(assets_directory(), *options.language);
  if (!(options.scale >= 0.5f && options.scale <= 4))
    throw Error("A display scale from 0.5 to 4 can be drawn.");
}

/// What of the picture the file does not say.
std::string guessed_note(const Document& document, const std::filesystem::path& file) {
  const Guesses& guesses = document.input.given().guesses;
  const std::string name = in_quotes(file.filename().native());
  std::string note;
  if (is_causal_guessed(document))
    note = fmt::format("{} does not say whether it is causal; guessed {} ({}), --causal yes or no says it.",
                       name, document.layer().masking.causal ? "yes" : "no",
                       guesses.causal.substr(0, guesses.causal.size() - 1));
  if (are_positions_guessed(document))
    note += fmt::format(
        "{}{} does not say whether positions are applied; guessed {} ({}), --positions applied, "
        "rope-half or rope-interleaved says it.",
        note.empty() ? "" : " ", name,
        document.layer().positions == Positions::None ? "applied" : "that they are not",
        guesses.positions.substr(0, guesses.positions.size() - 1));
  return note;
}

}  // namespace

std::string render_picture(const RenderOptions& options) {
  check_request(options);
  const std::string ending = options.out.extension().native();
  if (ending != ".png" && ending != ".svg")
    throw Error("Cannot write " + in_quotes(options.out.native()) +
                ": expected a name that ends in .png or .svg.");
  std::optional<Session> session;
  if (options.file)
    session = open_session(*options.file, {}, options.layer);  // the App would tell an Error on screen

  std::string damage, note;
  const OffscreenContext context;
  const Framebuffer picture(options.width, options.height);
  const std::vector<BackendChoice> backends = list_backends(options.backend != BackendPreference::Cpu);
  LiveEngine engine(chosen_backend(backends, options.backend).backend, {}, backends.front().backend);
  ImGuiHost host;
  App app({.assets = assets_directory(), .scale = options.scale, .attended = false}, engine, backends);
  if (session) {
    damage = session->damage;
    app.open(*std::exchange(session, std::nullopt), *options.file, options.layer, options.answers);
    note = guessed_note(app.document(), *options.file);
  }

  const auto frame = [&] {
    picture.bind();
    host.frame(options.width, options.height, time_step, [&] { app.frame(host.fonts()); });
    engine.wait_idle();
    app.finish_numbers();  // so that the picture is drawn after as many frames on any machine
  };
  const auto settle = [&] {
    frame();
    for (int i = 0; i < most_frames && (!app.settled() || app.wants_frame()); ++i) frame();
  };
  settle();
  if (const ResultPtr result = engine.latest(); options.file && result && !result->error.empty())
    throw Error(options.file->string() + ": " + result->error);
  app.look_at(options.spot);
  if (options.view) app.view().mode = *mode_named(*options.view);
  if (options.theme) app.view().theme = *theme_named(*options.theme);
  if (options.language) app.view().language = *options.language;
  if (options.start) app.offer_start();
  settle();
  for (int i = 0; i < layout_frames; ++i) frame();
  if (options.region == PictureRegion::Grid) {
    ThreadPool pool;
    write_grid_figure(*draw_figure(app, {.region = options.region, .path = options.out}), Work{pool, {}}, {});
    return damage.empty() ? note : damage;
  }
  // The whole window as it was just drawn, with its message; anything else is drawn for the purpose.
  if (options.region == PictureRegion::Window && ending == ".png") {
    save_png(picture.read(), options.out);
  } else {
    write_picture(draw_picture(app, {options.region, 1, options.out}));
  }
  return damage.empty() ? note : damage;
}

}  // namespace attnscope

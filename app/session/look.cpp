#include "app/session/look.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "app/session/session.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/window_state.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t longest_look = 1 << 20;  // bytes
constexpr int least_side = 320, most_side = 32'768;

std::filesystem::path file_in(const std::filesystem::path& directory) { return directory / "look.json"; }

/// The value of a key if it has this type; else `usual`.
template <class T>
T value_of(const json& object, const char* name, T usual) {
  const auto found = object.find(name);
  if (found == object.end()) return usual;
  if constexpr (std::is_same_v<T, bool>) {
    return found->is_boolean() ? found->get<bool>() : usual;
  } else if constexpr (std::is_arithmetic_v<T>) {
    const double number = found->is_number() ? found->get<double>() : 0;
    return number > 0 && number < 1e6 ? static_cast<T>(number) : usual;
  } else {
    return found->is_string() ? found->get<std::string>() : usual;
  }
}

WindowShape shape_from(const json& object) {
  WindowShape shape{value_of(object, "width", 0), value_of(object, "height", 0),
                    value_of(object, "maximised", false)};
  const auto is_side = [](int side) { return side >= least_side && side <= most_side; };
  if (!is_side(shape.width) || !is_side(shape.height)) shape.width = shape.height = 0;
  return shape;
}

}  // namespace

Look read_look(const std::filesystem::path& directory) {
  Look look;
  if (directory.empty()) return look;
  try {
    const json object = json::parse(read_whole(file_in(directory), longest_look), nullptr, false);
    if (!object.is_object()) return look;
    look.is_known = true;
    std::vector<std::string> lost;  // values of another version, or damaged: they keep their defaults
    if (const auto view = object.find("view"); view != object.end())
      look.view = view_from_json(view->dump(-1, ' ', false, json::error_handler_t::replace), {}, lost).view;
    if (const std::string code = value_of(object, "language", std::string()); !code.empty())
      look.language = code;
    const float size = value_of(object, "size", 1.f);
    if (size >= ViewState::least_scale / 4 && size <= ViewState::most_scale * 4) look.size = size;
    if (const auto window = object.find("window"); window != object.end() && window->is_object())
      look.window = shape_from(*window);
    look.folder = value_of(object, "folder", std::string());
    if (!look.folder.is_absolute()) look.folder.clear();
    look.offered = value_of(object, "offered", std::string());
  } catch (const std::exception&) {  // the first run has no such file
  }
  return look;
}

void write_look(const Look& look, const std::filesystem::path& directory) {
  if (directory.empty()) return;
  ViewState kept;
  adopt_look(kept, look.view);
  json object = {
      {"view", json::parse(view_to_json(kept, {}))},
      {"size", look.size},
      {"window",
       {{"width", look.window.width}, {"height", look.window.height}, {"maximised", look.window.maximised}}},
      {"offered", look.offered}};
  if (look.language) object["language"] = *look.language;
  if (is_valid_utf8(look.folder.native())) object["folder"] = look.folder.native();
  try {
    std::filesystem::create_directories(directory);
    const std::string text = object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    write_atomically(file_in(directory), std::array{std::string_view(text)});
  } catch (const std::exception&) {
  }
}

void adopt_look(ViewState& view, const ViewState& kept) {
  view.theme = kept.theme;
  view.mode = kept.mode == Mode::Walk ? Mode::Walk : Mode::Explore;
  regions_of(view).hidden = regions_of(kept).hidden;
  regions_of(view).sizes = regions_of(kept).sizes;
  controls_of(view).fold = controls_of(kept).fold;
  controls_of(view).more = controls_of(kept).more;
  focus_of(view).colours = focus_of(kept).colours;
  signals_of(view).slots = signals_of(kept).slots;
}

}  // namespace attnscope

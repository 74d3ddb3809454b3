#include "app/session/session.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/kit/draw/texture.hpp"
#include "app/state/model_look.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/session_fields.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "core/edits/dump.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};

class Writer {
 public:
  explicit Writer(json& object) : object_(object) {}
  template <class T>
  void operator()(const char* name, T& value, double = 0, double = 0) {
    object_[name] = written(value);
  }

 private:
  template <class T>
  static json written(T& value) {
    if constexpr (std::is_enum_v<T>) {
      return Names<T>::list[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<T, NamedChoice>) {
      return value.at == NamedChoice::none ? json(nullptr) : json(value.names[value.at]);
    } else if constexpr (IsOptional<T>::value) {
      return value ? written(*value) : json(nullptr);
    } else if constexpr (std::is_same_v<T, ListOfNames>) {
      return value.names;
    } else if constexpr (IsArray<T>::value) {
      json list = json::array();
      for (auto& element : value) list.push_back(written(element));
      return list;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      json object = json::object();
      Writer inner(object);
      fields(inner, value);
      return object;
    }
  }
  json& object_;
};

/// Reads fields from JSON: values that fit are taken; others are named in `lost` and keep their defaults.
class Reader {
 public:
  Reader(const json& object, std::string path, std::vector<std::string>& lost)
      : object_(object), path_(std::move(path)), lost_(lost) {}

  template <class T>
  void operator()(const char* name, T& value, double least = -1e15, double most = 1e15) {
    const auto found = object_.find(name);
    ++asked_;
    if (found == object_.end()) {
      --asked_;
    } else if (T copy = value; read(*found, copy, least, most, path_ + "." + name)) {
      value = std::move(copy);
    } else {
      lost_.push_back(fmt::format("\"{}.{}\".", path_, name));
    }
  }
  /// Call it last: names keys that were not asked for, which are of another version, or damaged.
  void finish() {
    if (object_.size() <= asked_) return;
    const std::size_t unknown = object_.size() - asked_;
    lost_.push_back(unknown == 1 ? fmt::format("1 key of \"{}\" that is not known here.", path_)
                                 : fmt::format("{} keys of \"{}\" that are not known here.", unknown, path_));
  }

 private:
  template <class T>
  bool read(const json& from, T& to, double least, double most, const std::string& path) {
    if constexpr (std::is_same_v<T, bool>) {
      if (from.is_boolean()) to = from.get<bool>();
      return from.is_boolean();
    } else if constexpr (std::is_enum_v<T>) {
      NamedChoice choice{NamedChoice::none, Names<T>::list};
      if (!read(from, choice, least, most, path)) return false;
      return to = static_cast<T>(choice.at), true;
    } else if constexpr (std::is_same_v<T, NamedChoice>) {
      if (from.is_null() && to.can_be_none) return to.at = NamedChoice::none, true;
      const auto found = std::ranges::find_if(to.names, [&](std::string_view name) { return from == name; });
      if (found == to.names.end()) return false;
      to.at = static_cast<std::size_t>(found - to.names.begin());
      return true;
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!from.is_number() || (std::is_integral_v<T> && !from.is_number_integer())) return false;
      const double number = from.get<double>();
      if (!(number >= least && number <= most)) return false;
      // The number must also fit the type, so that it does not wrap around.
      if (std::is_integral_v<T> && (number < static_cast<double>(std::numeric_limits<T>::lowest()) ||
                                    number > static_cast<double>(std::numeric_limits<T>::max())))
        return false;
      to = from.get<T>();
      return true;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (from.is_string()) to = from.get<std::string>();
      return from.is_string();
    } else if constexpr (std::is_same_v<T, ListOfNames>) {
      if (from.is_string()) to.names = from.get<std::string>();
      return from.is_string() && to.are_known();
    } else if constexpr (IsOptional<T>::value) {
      if (from.is_null()) return to.reset(), true;
      typename T::value_type value{};
      if (!read(from, value, least, most, path)) return false;
      to = value;
      return true;
    } else if constexpr (IsArray<T>::value) {
      // A file of an earlier version may have fewer elements: the rest keeps its defaults.
      if (!from.is_array() || from.empty() || from.size() > to.size()) return false;
      for (std::size_t i = 0; i < from.size(); ++i)
        if (!read(from[i], to[i], least, most, path)) return false;
      return true;
    } else if constexpr (std::is_same_v<T, KeptTrace>) {
      return from_json(from, to);
    } else {
      if (!from.is_object()) return false;
      Reader inner(from, path, lost_);
      fields(inner, to);
      inner.finish();
      return true;
    }
  }

  const json& object_;
  std::string path_;
  std::vector<std::string>& lost_;
  std::size_t asked_ = 0;
};

/// Hashes everything that a session keeps into one number.
class Marker {
 public:
  std::uint64_t mark = 0;
  template <class T>
  void operator()(const char*, T& value, double = 0, double = 0) {
    mix(value);
  }

 private:
  template <class T>
  void mix(T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      mark = mix_hash(mark, static_cast<float>(value));
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      mark = mix_hash(mark, static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      mark = mix_hash(mark, static_cast<std::uint64_t>(std::hash<std::string>{}(value)));
    } else if constexpr (std::is_same_v<T, NamedChoice>) {
      mix(value.at);
    } else if constexpr (std::is_same_v<T, ListOfNames>) {
      mix(value.names);
    } else if constexpr (IsOptional<T>::value) {
      mark = mix_hash(mark, std::uint64_t{value.has_value()});
      if (value) mix(*value);
    } else if constexpr (IsArray<T>::value) {
      for (auto& element : value) mix(element);
    } else {
      fields(*this, value);
    }
  }
};

/// fields() visits non-const values, as the reader changes them; the other visitors only read.
template <class T>
T& only_looked_at(const T& value) {
  return const_cast<T&>(value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// Resets the row of plots to its defaults if a plot is in it twice.
void keep_slots_different(SignalsState& signals) {
  for (std::size_t i = 0; i < signals.slots.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (signals.slots[i] == signals.slots[j]) signals.slots = SignalsState{}.slots;
}

}  // namespace

std::string view_to_json(const ViewState& view, const Selection& selection, double held_seconds,
                         const std::filesystem::path& file) {
  json object = json::object();
  Writer writer(object);
  fields(writer, only_looked_at(view));
  writer("selection", only_looked_at(selection));
  const KeptTrace trace = kept(scope_of(view), view.now, signals_of(view).seconds);
  if (trace.frozen || trace.moments.size() > 1) object["trace"] = to_json(trace);
  if (held_seconds > 0) object["held_seconds"] = held_seconds;
  if (!file.empty() && is_valid_utf8(file.native())) object["file"] = file.native();
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Looks view_from_json(std::string_view text, const ViewState& now, std::vector<std::string>& lost) {
  Looks looks;
  looks.view.theme = now.theme;
  looks.view.language = now.language;
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    lost.emplace_back("How it was looked at.");
    return looks;
  }
  Reader reader(object, "view", lost);
  fields(reader, looks.view);
  reader("selection", looks.selection);
  reader("trace", looks.trace);
  reader("held_seconds", looks.held_seconds, 0, 1e9);
  std::string file;
  reader("file", file);
  looks.file = file;
  reader.finish();
  keep_slots_different(signals_of(looks.view));
  return looks;
}

std::uint64_t mark_of(const ViewState& view, const Selection& selection) {
  Marker marker;
  fields(marker, only_looked_at(view));
  marker("selection", only_looked_at(selection));
  return marker.mark;
}

std::string listed(const std::vector<std::string>& lost) {
  constexpr std::size_t named = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(named, lost.size()); ++i) {
    std::string_view what = lost[i];
    if (what.ends_with('.')) what.remove_suffix(1);
    text += fmt::format("{}{}", i == 0 ? "" : "; ", what);
  }
  if (lost.size() > named) text += fmt::format("; and {} more", lost.size() - named);
  return text;
}

namespace {

void take_model(ModelContext& within, OpenedModelPtr model) {
  within.path = model->path;
  within.fingerprint = model->fingerprint;
  within.model = std::move(model);
}

/// Its layer is computed when the model has run, see ModelArriving::await().
Session open_as_model(const std::filesystem::path& path, Reading* reading) {
  Session session;
  ModelContext& within = session.document.within.change();
  take_model(within, open_whole_model(path, reading));
  within.input = first_text(*within.model);
  if (within.model->reads_numbers)
    session.note = fmt::format("{} has no tokenizer: its text is the numbers of its tokens.",
                               in_quotes(within.model->name));
  if (const std::string& left_out = within.model->model->note; !left_out.empty()) session.note = left_out;
  const ModelSpec& spec = within.model->model->spec;
  within.of = output_attention(spec);
  if (spec.reads_two_texts()) {  // gives it a first text, so that there is something to see
    within.of = AttentionOf::Cross;
    within.input.decoder_text = "Das Haus ist";
  }
  within.block = static_cast<int>(spec.output_stack().blocks.size() / 2);
  return session;
}

/// The path of a session's model: a relative path begins at the session's folder.
std::filesystem::path from_folder_of(const std::filesystem::path& session,
                                     const std::filesystem::path& model) {
  return (std::filesystem::absolute(session).parent_path() / model).lexically_normal();
}

/// Opens the session's model at its present path.
void open_model_of(Session& session, const std::filesystem::path& path, Reading* reading) {
  ModelContext& within = session.document.within.change();
  within.path = from_folder_of(path, within.path);
  if (!within.input.image.empty()) within.input.image = from_folder_of(path, within.input.image);
  const std::uint64_t fingerprint = within.fingerprint;
  std::error_code unknown;
  if (fingerprint != 0 && !std::filesystem::exists(within.path, unknown)) {
    session.asks_for_model = fmt::format(
        "The model of {} is no longer at {}. Open it where it lies now, and the session goes on with it.",
        in_quotes(path.native()), in_quotes(within.path.native()));
    return;
  }
  try {
    take_model(within, open_whole_model(within.path, reading));
    check(within.changes, within.model->model->spec);
  } catch (const Error& error) {
    throw Error(fmt::format("The model of {} cannot be opened. {}", in_quotes(path.native()), error.what()));
  }
  if (fingerprint != 0 && fingerprint != within.fingerprint)
    session.note = fmt::format("{} is another model than when {} was saved.", in_quotes(within.path.native()),
                               in_quotes(path.native()));
}

/// Opens B's model, which may be the shown one. If it cannot be opened, B is dropped, with a sentence; if its
/// file has moved, B waits until it is found.
void open_model_of_held(Session& session, const std::filesystem::path& path, Reading* reading,
                        std::vector<std::string>& lost) {
  ModelContext& within = session.held->within.change();
  within.path = from_folder_of(path, within.path);
  const std::uint64_t fingerprint = within.fingerprint;
  const ModelContext& shown = session.document.within.read();
  const bool is_same =
      fingerprint != 0 ? shown.fingerprint == fingerprint : shown && shown.path == within.path;
  try {
    std::error_code unknown;
    if (is_same && shown.model) {
      take_model(within, shown.model);
    } else if (fingerprint != 0 && !std::filesystem::exists(within.path, unknown)) {
      // If A and B are in the same model and it has moved, it is asked for once.
      if (is_same) return;
      session.note = fmt::format(
          "The model that {} held is no longer at {}. Open it where it lies now, and it is held again.",
          in_quotes(path.native()), in_quotes(within.path.native()));
      return;
    } else {
      take_model(within, open_whole_model(within.path, reading));
    }
    check(within.changes, within.model->model->spec);
    if (fingerprint != 0 && fingerprint != within.fingerprint)
      session.note = fmt::format("{} is another model than when {} was saved.",
                                 in_quotes(within.path.native()), in_quotes(path.native()));
  } catch (const Error& error) {
    session.held.reset();
    lost.push_back(fmt::format("What was held: {}", error.what()));
  }
}

}  // namespace

void refuse_folder_without_model(const std::filesystem::path& path) {
  std::error_code problem;
  if (is_model_path(path) || !std::filesystem::is_directory(path, problem)) return;
  std::vector<std::string> ggufs;
  for (std::filesystem::directory_iterator at(path, problem), end; !problem && at != end;
       at.increment(problem))
    if (lower_extension(at->path()) == ".gguf") ggufs.push_back(at->path().filename().native());
  if (problem) return;  // reading it will report the error
  if (ggufs.empty())
    throw Error(
        fmt::format("{} is a folder without config.json and without a .gguf file; the folder of a model "
                    "or a file was expected.",
                    in_quotes(path.native())));
  std::ranges::sort(ggufs);
  throw Error(fmt::format("{} is a folder with several models in it: {}. Open one of them.",
                          in_quotes(path.native()), in_quotes(listed(ggufs))));
}

Session open_session(const std::filesystem::path& path, const ViewState& now, std::string_view layer,
                     Reading* reading) {
  if (is_model_path(path)) return open_as_model(path, reading);
  refuse_folder_without_model(path);
  OpenedFile file = open_any(path, layer, reading);
  Session session{std::move(file.document), {}, std::move(file.held), {}, {}, std::move(file.layers)};
  session.note = weights_note(session.document);
  if (session.note.empty()) session.note = not_finite_note(session.document);
  if (!file.view.empty()) session.looks = view_from_json(file.view, now, file.lost);
  if (session.looks) find_lesson_beside(path, lesson_of(session.looks->view));
  const bool is_within = session.document.within.read().is_unopened();
  const bool is_held_within = session.held && session.held->within.read().is_unopened();
  if (is_within || is_held_within) tell_of_model(reading);
  if (is_within) open_model_of(session, path, reading);
  if (is_held_within) open_model_of_held(session, path, reading, file.lost);
  // Files of earlier versions do not name the model whose tokens were chosen: it is the session's own.
  if (session.looks)
    model_look_of(session.looks->view).own_tokens_of(session.document.within.read().fingerprint);
  if (!file.lost.empty()) {
    session.damage = fmt::format("{} is damaged and was opened as far as it is good. Lost: {}.",
                                 in_quotes(path.native()), listed(file.lost));
  }
  return session;
}

}  // namespace attnscope

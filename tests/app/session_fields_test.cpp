// Every setting that a session keeps has its name in the file, is restored with any value, and counts as a
// change of the view.
#include "app/state/session_fields.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/pages/model/state/model_state.hpp"
#include "app/session/session.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/viewing.hpp"
#include "core/files/document/session_file.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::session_fields_test {
namespace {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_array = false;
template <class T, std::size_t N>
constexpr bool is_array<std::array<T, N>> = true;

/// Calls leaf(path, value, least, most) for every value that fields() visits; elements of an array are
/// "path[0]", …, the value of an optional has the optional's path.
template <class Leaf>
class Walker {
 public:
  explicit Walker(Leaf leaf, std::string path = {}) : leaf_(std::move(leaf)), path_(std::move(path)) {}
  template <class T>
  void operator()(const char* name, T& value, double least = -1e15, double most = 1e15) {
    walk(path_.empty() ? name : fmt::format("{}.{}", path_, name), value, least, most);
  }

 private:
  template <class T>
  void walk(const std::string& path, T& value, double least, double most) {
    if constexpr (is_array<T>) {
      for (std::size_t i = 0; i < value.size(); ++i)
        walk(fmt::format("{}[{}]", path, i), value[i], least, most);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
                         std::is_same_v<T, ListOfNames> || std::is_same_v<T, NamedChoice> || is_optional<T>) {
      leaf_(path, value, least, most);
    } else {
      Walker inner(leaf_, path);
      fields(inner, value);
    }
  }
  Leaf leaf_;
  std::string path_;
};

/// Everything that view_to_json() keeps of the view.
struct Kept {
  ViewState view;
  Selection selection;
};
template <class Leaf>
void for_each_value(Kept& kept, Leaf leaf) {
  Walker walker(std::move(leaf));
  fields(walker, kept.view);
  walker("selection", kept.selection);
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (is_optional<T>)
    return value ? text_of(*value) : "nothing";
  else if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<int>(value));
  else if constexpr (std::is_same_v<T, NamedChoice>)
    return value.at == NamedChoice::none ? "nothing" : std::to_string(value.at);
  else if constexpr (std::is_same_v<T, ListOfNames>)
    return value.names;
  else if constexpr (std::is_same_v<T, signed char>)
    return std::to_string(value);
  else
    return fmt::format("{}", value);
}
std::map<std::string, std::string> values_of(Kept& kept) {
  std::map<std::string, std::string> all;
  for_each_value(kept, [&](const std::string& path, auto& value, double, double) {
    const bool is_new = all.emplace(path, text_of(value)).second;
    INFO(path);
    CHECK(is_new);
  });
  return all;
}

/// Another value, which the session's reader takes.
template <class T>
void change(const std::string& path, T& value, double least, double most) {
  if constexpr (is_optional<T>) {
    typename T::value_type inner = value.value_or(typename T::value_type{});
    change(path, inner, least, most);
    value = inner;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>((static_cast<std::size_t>(value) + 1) % Names<T>::list.size());
  } else if constexpr (std::is_same_v<T, NamedChoice>) {
    value.at = value.at == NamedChoice::none ? 1 : (value.at + 1) % value.names.size();
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = path + " → \"ü\"\n";
  } else if constexpr (std::is_same_v<T, ListOfNames>) {
    value.names = "scaling, mask";
  } else if constexpr (std::is_integral_v<T>) {
    for (const int other : {37, 5, 3, 1, 0})
      if (other >= least && other <= most && value != other) return void(value = static_cast<T>(other));
    FAIL("no other whole number for " << path);
  } else {
    // The ends of a range in sight stay in their order.
    for (const double other : {path.ends_with(".from") ? 0.25 : 0.6875, 7.25, 40.5})
      if (other >= least && other <= most && value != static_cast<T>(other))
        return void(value = static_cast<T>(other));
    FAIL("no other number for " << path);
  }
}

Kept reopened(Kept& kept) {
  const test::TemporaryDirectory directory;
  const Document document =
      open_document(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "2-three-tokens.json");
  write_document(session_to_json(document, view_to_json(kept.view, kept.selection), nullptr),
                 directory / "session.json");
  const Session session = open_session(directory / "session.json", ViewState());
  CHECK(session.damage.empty());
  REQUIRE(session.looks);
  return {session.looks->view, session.looks->selection};
}

/// The names in existing files: a removed or changed name is a setting that users lose.
constexpr std::string_view names_in_files = R"(
mode theme language stage.stage stage.kind vectors range locked_range direction hidden drawer
sizes.controls sizes.heads sizes.inspector sizes.signals sizes.model_head sizes.model_stream
scrolls.controls scrolls.heads fold more controls cost_tokens memory_text positions focus.zoom focus.query
focus.key focus.turned focus.colours focus.log focus.lines focus.all_heads focus.mass focus.line_row
heads.order long.mean long.side model.screen model.colour model.order model.stream model.value
model.token_dims model.split.over_mean model.split.query_parts model.split.key_parts model.split.token
model.split.minus model.split.path model.split.smallest_link model.atlas.measure model.atlas.sort
model.patching.corrupted model.patching.answer model.patching.other model.patching.sort
model.patching.suggested.clean model.patching.suggested.corrupted model.patching.suggested.answer
model.patching.suggested.other model.patching.corrupted_beside model.patching.answers_beside
model.generation.sampled model.generation.temperature model.generation.top_k model.generation.top_p
model.generation.seed model.generation.count model.compare.measure model.compare.sort model.compare.shift
model.picture.shown model.picture.rollout model.sets model.fold model.predicted_row model.followed
model.tokens_of
lesson.name lesson.step lesson.order
lesson.answer.chosen lesson.answer.value lesson.answer.revealed lesson.notes lesson.pytorch
lesson.counts_votes lesson.course lesson.stop experiment.name experiment.value training.task training.control
training.seed training.batch training.pace training.steps_a_frame training.slows training.side
training.wall_seeds training.trained
presenter.on inspector.page inspector.pinned inspector.expanded inspector.products inspector.row_by_weight
inspector.by_contribution inspector.strip inspector.product_row inspector.key_row inspector.large_row
signals.slots signals.rows_normalised signals.heads_normalised signals.difference signals.log_weights
signals.seconds signals.trigger.level signals.trigger.edge signals.time_zoom.from signals.time_zoom.to
signals.score_zoom.from signals.score_zoom.to signals.weight_zoom.from signals.weight_zoom.to
compare.difference compare.held_head walk.stage walk.move walk.speed walk.part walk.numbers
walk.head_dimension walk.value_dimension walk.model_dimension walk.first_query walk.first_key
walk.followed_query walk.followed_key editing.weights editing.zoomed editing.across.from editing.across.to
editing.down.from editing.down.to editing.painting editing.all_heads selection.sequence selection.head
selection.cell.query selection.cell.key selection.locked
)";

/// Whether it is scrolled, zoomed or counted by the program itself: undo does not change it.
bool moves(const std::string& path) {
  constexpr std::array<std::string_view, 20> continuous{
      "scrolls",           "experiment.value",    "focus.zoom",          "focus.query",
      "focus.key",         "focus.line_row",      "training.trained",    "inspector.product_row",
      "inspector.key_row", "inspector.large_row", "signals.time_zoom",   "signals.score_zoom",
      "editing.zoomed",    "signals.weight_zoom", "editing.across",      "editing.down",
      "walk.first_query",  "walk.first_key",      "walk.followed_query", "walk.followed_key"};
  return std::ranges::any_of(continuous, [&](std::string_view name) { return path.starts_with(name); });
}

}  // namespace

TEST_CASE("what a session keeps goes by the names that files have", "[session]") {
  std::istringstream words{std::string(names_in_files)};
  const std::vector<std::string> names{std::istream_iterator<std::string>(words), {}};
  REQUIRE(names.size() > 100);
  Kept kept;
  std::vector<std::string> found;
  for_each_value(kept, [&](std::string path, auto&, double, double) {
    if (const std::size_t element = path.find('['); element != path.npos) path.erase(element);
    if (found.empty() || found.back() != path) found.push_back(path);
  });
  for (const std::string& name : names) {
    INFO(name << " is no longer kept");
    CHECK(std::ranges::count(found, name) == 1);
  }
  for (const std::string& name : found) {
    INFO(name << " is kept: add it to the names in this file");
    CHECK(std::ranges::count(names, name) == 1);
  }
}

TEST_CASE("every setting of a session comes back as it was saved", "[session]") {
  Kept usual, changed;
  for_each_value(changed, [](const std::string& path, auto& value, double least, double most) {
    change(path, value, least, most);
  });
  const std::map<std::string, std::string> before = values_of(usual), expected = values_of(changed);
  Kept opened = reopened(changed);
  std::map<std::string, std::string> found = values_of(opened);
  REQUIRE(found.size() == expected.size());
  for (const auto& [path, value] : expected) {
    INFO(path);
    CHECK(value != before.at(path));
    CHECK(found[path] == value);
  }
}

TEST_CASE("every setting alone is a change, and comes back alone", "[session]") {
  Kept usual;
  const std::map<std::string, std::string> before = values_of(usual);
  const std::uint64_t mark = mark_of(usual.view, usual.selection);
  std::vector<std::string> lost;
  for (const auto& [one, value] : before) {
    INFO(one);
    Kept changed;
    for_each_value(changed, [&](const std::string& path, auto& at, double least, double most) {
      if (path == one) change(path, at, least, most);
    });
    CHECK(mark_of(changed.view, changed.selection) != mark);
    if (one.starts_with("signals.slots")) continue;  // one plot in two places is none
    std::map<std::string, std::string> expected = before;
    expected[one] = values_of(changed)[one];
    const Looks looks = view_from_json(view_to_json(changed.view, changed.selection), {}, lost);
    Kept opened{looks.view, looks.selection};
    CHECK(values_of(opened) == expected);
  }
  CHECK(lost.empty());
}

TEST_CASE("numbers come back from both ends of their range, and not from beyond", "[session]") {
  Kept usual;
  const nlohmann::json whole = nlohmann::json::parse(view_to_json(usual.view, usual.selection));
  int ranges = 0;
  for_each_value(usual, [&](const std::string& path, auto& value, double least, double most) {
    if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(value)>> &&
                  !std::is_same_v<std::remove_reference_t<decltype(value)>, bool>) {
      if (path.find('[') != path.npos || least <= -1e15 || most >= 1e15) return;
      INFO(path);
      ++ranges;
      std::string pointer = "/" + path;
      std::ranges::replace(pointer, '.', '/');
      const nlohmann::json::json_pointer at(pointer);
      for (const bool beyond : {false, true}) {
        for (const double end : {beyond ? least - 1 : least, beyond ? most + 1 : most}) {
          nlohmann::json changed = whole;
          REQUIRE(changed.contains(at));
          if (changed[at].is_number_float())
            changed[at] = end;
          else
            changed[at] = static_cast<std::int64_t>(end);
          std::vector<std::string> lost;
          view_from_json(changed.dump(), {}, lost);
          CHECK(lost.empty() != beyond);
        }
      }
    }
  });
  CHECK(ranges > 10);
  // All values that the screen offers, whatever limits the fields declare.
  for (const int shift : {-1024, 1024}) {
    Kept kept;
    model_state_of(kept.view).held_shift = shift;
    CHECK(model_state_of(reopened(kept).view).held_shift == shift);
  }
}

TEST_CASE("which of two settings is chosen is a change, also where the value is the same", "[session]") {
  Kept one, other;
  model_state_of(one.view).split_token = 0;
  model_state_of(other.view).split_minus = 0;
  CHECK(mark_of(one.view, one.selection) != mark_of(other.view, other.selection));
}

TEST_CASE("keys that are not known are told, and no plot stands in two places", "[session]") {
  Kept usual;
  nlohmann::json changed = nlohmann::json::parse(view_to_json(usual.view, usual.selection));
  changed["invented"] = 1;
  changed["model"]["invented"] = 2;
  std::vector<std::string> lost;
  view_from_json(changed.dump(), {}, lost);
  REQUIRE(lost.size() == 2);
  for (const std::string& sentence : lost) CHECK(sentence.find("not known here") != sentence.npos);
  changed = nlohmann::json::parse(view_to_json(usual.view, usual.selection));
  changed["signals"]["slots"][1] = changed["signals"]["slots"][0];
  const Looks looks = view_from_json(changed.dump(), {}, lost);
  CHECK(signals_of(looks.view).slots == SignalsState{}.slots);
}

TEST_CASE("undo brings every setting back but those that move continuously", "[session]") {
  Kept usual, changed, back;
  for_each_value(changed, [](const std::string& path, auto& value, double least, double most) {
    change(path, value, least, most);
  });
  const std::map<std::string, std::string> before = values_of(usual), expected = values_of(changed);
  view_again(viewing_of(changed.view, changed.selection), back.view, back.selection);
  std::map<std::string, std::string> found = values_of(back);
  for (const auto& [path, value] : expected) {
    INFO(path);
    CHECK(found[path] == (moves(path) ? before.at(path) : value));
  }
  view_again(viewing_of(usual.view, usual.selection), changed.view, changed.selection);
  found = values_of(changed);
  for (const auto& [path, value] : before) {
    INFO(path);
    CHECK(found[path] == (moves(path) ? expected.at(path) : value));
  }
}

TEST_CASE("undo tells settings from where one is", "[session]") {
  Kept usual;
  const Viewing before = viewing_of(usual.view, usual.selection);
  for (const auto& [one, value] : values_of(usual)) {
    INFO(one);
    Kept changed;
    for_each_value(changed, [&](const std::string& path, auto& at, double least, double most) {
      if (path == one) change(path, at, least, most);
    });
    const Viewing look = viewing_of(changed.view, changed.selection);
    CHECK((look == before) == moves(one));
    const bool is_place = one.starts_with("selection.") || one == "walk.stage" || one == "walk.move";
    CHECK(look.differs_in_place_only(before) == (moves(one) || is_place));
  }
}

}  // namespace attnscope::session_fields_test

// app/lessons: reads the block "look" of a step: what is looked at.
#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/lesson_reader.hpp"

namespace attnscope::lessons {

void LessonReader::read_look(const Lines& inside) {
  Step& here = step("look");
  for (const Line& line : inside) {
    line_ = line.number;
    if (trimmed(line.text).empty()) continue;
    const auto [name, value] = field_of(line.text);
    read_look_field(here, name, value);
  }
}

void LessonReader::read_look_field(Step& here, std::string_view name, std::string_view value) {
  if (name == "stage") {
    here.stage = value;
    here.lines.stage = line_;
  } else if (name == "view") {
    here.view = view_of(value);
    here.lines.view = line_;
  } else if (name == "until") {
    here.until = stage_of(name, value);
  } else if (name == "from") {
    here.from = stage_of(name, value);
    here.lines.from = line_;
  } else if (name == "head") {
    read_head(here, value);
    here.lines.head = line_;
  } else if (name == "cell") {
    std::tie(here.query, here.key) = cell_of(name, value);
    here.lines.cell = line_;
  } else if (name == "held cell") {
    std::tie(here.held_query, here.held_key) = cell_of(name, value);
    here.lines.held_cell = line_;
  } else if (name == "title" || name == "held title") {
    if (value.empty()) fail(fmt::format("\"{}\" has no words behind it", name));
    (name == "title" ? here.title_shown : here.title_held) = value;
  } else if (name == "show") {
    here.shown = controls_of(value);
  } else if (name == "plot") {
    here.plot = plot_of(value);
  } else if (name == "cover") {
    read_cover(here, value);
  } else if (name == "colour" && lesson_.of_model()) {
    here.colour = colour_of_grid(value);
  } else {
    fail(fmt::format(
        "\"look\" has \"{}\"; there are stage, until, view, from, head, cell, held cell, title, held "
        "title, show, plot, cover and, of a model, colour",
        name));
  }
}

std::string LessonReader::stage_of(std::string_view name, std::string_view value) const {
  const std::vector<std::string_view> names = stage_names();
  if (std::ranges::find(names, value) == names.end())
    fail(fmt::format("\"{}\" is \"{}\"; there are {}", name, value, fmt::join(names, ", ")));
  return std::string(value);
}

void LessonReader::finish_look(const Step& here) const {
  if (here.view != StepView::Matrix && !here.held.empty())
    fail_at(here.lines.view, fmt::format("\"view: {}\" has one side; what is \"held\" stands beside a matrix",
                                         known_views[static_cast<std::size_t>(here.view)].name));
  if (!here.from) return;
  if (here.view != StepView::Walk) fail_at(here.lines.from, "\"from\" is for \"view: walk\"");
  const std::vector<std::string_view> order = stage_names();
  const auto place = [&](const std::string& stage) { return std::ranges::find(order, stage); };
  if (here.until && place(*here.from) > place(*here.until))
    fail_at(here.lines.from,
            fmt::format("\"from\" is \"{}\", which comes after \"until: {}\"", *here.from, *here.until));
  const std::string stage = here.stage.value_or("weights");
  if (place(stage) < place(*here.from))
    fail_at(here.lines.from,
            fmt::format("\"from\" is \"{}\", which comes after the step's stage, {}", *here.from, stage));
}

StepView LessonReader::view_of(std::string_view value) const {
  const auto found = std::ranges::find(known_views, value, &KnownView::name);
  if (found == known_views.end()) {
    std::vector<std::string_view> names;
    for (const KnownView& view : known_views) names.push_back(view.name);
    fail(fmt::format("\"view\" is \"{}\"; there are {}", value, fmt::join(names, ", ")));
  }
  const auto view = static_cast<StepView>(found - known_views.begin());
  if (view == StepView::Lab) fail("\"view: lab\" is for a step that trains, in its block \"train\"");
  if (lesson_.of_model() && view != StepView::Grid)
    fail("\"view\" is not for lessons on a model, but for \"grid\", which leaves the large head out");
  return view;
}

Plot LessonReader::plot_of(std::string_view value) const {
  constexpr std::array<std::string_view, 5> names{"none", "scores", "row", "entropy", "pruning"};
  const auto found = std::ranges::find(names, value);
  if (found == names.end() || (value == "pruning") > lesson_.of_model())
    fail(fmt::format("\"plot\" is \"{}\"; there are none, scores, row, entropy and, of a model, pruning",
                     value));
  return static_cast<Plot>(found - names.begin());
}

void LessonReader::read_cover(Step& here, std::string_view value) const {
  here.covers = here.covers_code = here.covers_plot = value == "yes";
  here.covers_grid = false;
  if (value == "yes" || value == "no") return;
  const std::vector<std::string> names = list_of(value);
  for (const std::string& name : names) {
    if (name == "map")
      here.covers = true;
    else if (name == "heads" && lesson_.of_model())
      here.covers = here.covers_grid = true;  // the map shows one of these heads
    else if (name == "code")
      here.covers_code = true;
    else if (name == "plot")
      here.covers_plot = true;
    else
      return refuse_cover(value);
  }
  if (names.empty()) refuse_cover(value);
}

void LessonReader::refuse_cover(std::string_view value) const {
  fail(
      fmt::format("\"cover\" is \"{}\"; expected yes, no or some of map, code, plot and, of a model, heads, "
                  "with commas between them",
                  value));
}

std::string LessonReader::colour_of_grid(std::string_view value) const {
  if (std::ranges::find(grid_colours, value) == grid_colours.end())
    fail(fmt::format("\"colour\" is \"{}\"; there are {}", value, fmt::join(grid_colours, ", ")));
  return std::string(value);
}

void LessonReader::read_head(Step& here, std::string_view value) const {
  const std::size_t point = value.find('.');
  if (lesson_.of_model() != (point != value.npos))
    fail(fmt::format("\"head\" is \"{}\"; expected {}", value,
                     lesson_.of_model() ? "\"LAYER.HEAD\"" : "a number"));
  if (point != value.npos) {
    here.block = whole("head", value.substr(0, point), 0, 4095);
    value.remove_prefix(point + 1);
  }
  here.head = whole("head", value, 0, 4095);
}

std::vector<std::string> LessonReader::controls_of(std::string_view value) const {
  std::vector<std::string> shown = list_of(value);
  constexpr std::array<std::string_view, 6> of_models{"text",   "mute",        "scaling",
                                                      "causal", "temperature", "head"};
  for (const std::string& one : shown)
    if (lesson_.of_model() && std::ranges::find(of_models, one) == of_models.end())
      fail(fmt::format("\"show\" has \"{}\"; of a model there are {}", one, fmt::join(of_models, ", ")));
  for (const std::string& one : shown)
    if (std::ranges::find(control_names, one) == control_names.end())
      fail(fmt::format("\"show\" has \"{}\"; there are {}", one, fmt::join(control_names, ", ")));
  return shown;
}

std::pair<std::int64_t, std::int64_t> LessonReader::cell_of(std::string_view name,
                                                            std::string_view value) const {
  const std::size_t comma = value.find(',');
  if (comma == value.npos) fail(fmt::format("\"{}\" is \"{}\"; expected \"QUERY, KEY\"", name, value));
  return {whole(name, trimmed(value.substr(0, comma)), 0, 4095),
          whole(name, trimmed(value.substr(comma + 1)), 0, 4095)};
}

}  // namespace attnscope::lessons

// app/lessons: the block of a step that says what is looked at.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/lesson_reader.hpp"

namespace attnscope::lessons {

void LessonReader::read_look(const Lines& inside) {
  Step& here = step("look");
  for (const Line& line : inside) {
    line_ = line.number;
    if (trimmed(line.text).empty()) continue;
    const auto [name, value] = field_of(line.text);
    if (name == "stage")
      here.stage = value;
    else if (name == "head")
      read_head(here, value);
    else if (name == "cell")
      read_cell(here, value);
    else if (name == "show")
      here.shown = controls_of(value);
    else if (name == "plot")
      here.plot = plot_of(value);
    else if (name == "cover")
      read_cover(here, value);
    else if (name == "colour" && lesson_.of_model())
      here.colour = colour_of_grid(value);
    else
      fail(
          fmt::format("\"look\" has \"{}\"; there are stage, head, cell, show, plot, cover and, of a model, "
                      "colour",
                      name));
  }
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
  if (value != "yes" && value != "no" && value != "heads")
    fail(fmt::format("\"cover\" is \"{}\"; expected yes, no or, of a model, heads", value));
  here.covers = value != "no";
  here.covers_grid = value == "heads";
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

void LessonReader::read_cell(Step& here, std::string_view value) {
  const std::size_t comma = value.find(',');
  if (comma == value.npos) fail(fmt::format("\"cell\" is \"{}\"; expected \"QUERY, KEY\"", value));
  here.query = whole("cell", trimmed(value.substr(0, comma)), 0, 4095);
  here.key = whole("cell", trimmed(value.substr(comma + 1)), 0, 4095);
}

}  // namespace attnscope::lessons

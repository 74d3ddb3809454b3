#include "app/lessons/lesson.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope::lessons {
namespace {

using nlohmann::json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
constexpr std::size_t most_steps = 64, most_choices = 6;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

struct Line {
  int number = 0;  // from 1
  std::string_view text;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({number, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "name: value"; without a colon the name is empty.
std::pair<std::string_view, std::string_view> field_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {{}, trimmed(line)};
  return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1))};
}

class LessonReader {
 public:
  LessonReader(std::string_view text, const std::string& name) : name_(name), lines_(lines_of(text)) {
    if (const auto wrong = first_invalid_utf8(text)) {
      line_ = 1 + static_cast<int>(std::ranges::count(text.substr(0, *wrong), '\n'));
      fail("the text is not valid UTF-8");
    }
  }

  Lesson read() {
    read_front();
    while (at_ < lines_.size()) read_line();
    finish_paragraph();
    if (lesson_.steps.empty()) fail("the lesson has no step; a step begins with a line \"## Its title\"");
    return std::move(lesson_);
  }

 private:
  [[noreturn]] void fail(std::string_view sentence) const {
    throw Error(fmt::format("{}:{}: {}.", name_, line_, sentence));
  }
  /// What `make` gives; an error of it gets the line.
  template <class Make>
  auto with_line(Make make) const {
    try {
      return make();
    } catch (const Error& error) {
      std::string_view sentence = error.what();
      if (sentence.ends_with('.')) sentence.remove_suffix(1);
      fail(sentence);
    }
  }

  const Line& next() {
    line_ = lines_[at_].number;
    return lines_[at_++];
  }

  std::int64_t whole(std::string_view name, std::string_view text, std::int64_t low,
                     std::int64_t high) const {
    std::int64_t value = 0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (trouble != std::errc() || end != text.data() + text.size() || value < low || value > high)
      fail(fmt::format("\"{}\" is \"{}\"; expected a whole number from {} to {}", name, text, low, high));
    return value;
  }
  double real(std::string_view name, std::string_view text) const {
    double value = 0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (trouble != std::errc() || end != text.data() + text.size())
      fail(fmt::format("\"{}\" is \"{}\"; expected a number", name, text));
    return value;
  }

  void read_front() {
    if (lines_.empty() || trimmed(lines_[0].text) != "---") {
      line_ = 1;
      fail("a lesson begins with a line \"---\", its title and another \"---\"");
    }
    next();
    while (at_ < lines_.size()) {
      const Line& line = next();
      if (trimmed(line.text) == "---") {
        if (lesson_.title.empty()) fail("the front matter has no \"lesson: TITLE\"");
        return;
      }
      if (!trimmed(line.text).empty()) read_front_field(field_of(line.text));
    }
    fail("the front matter is not closed with \"---\"");
  }
  void read_front_field(const std::pair<std::string_view, std::string_view>& field) {
    const auto& [name, value] = field;
    if (name == "lesson")
      lesson_.title = value;
    else if (name == "number")
      lesson_.number = whole(name, value, 0, 999);
    else if (name == "minutes")
      lesson_.minutes = whole(name, value, 1, 240);
    else if (name == "about")
      lesson_.about = value;
    else if (name == "model")
      lesson_.model = value;
    else
      fail(fmt::format("the front matter has \"{}\"; there are lesson, number, minutes, about and model",
                       name));
  }

  void read_line() {
    const Line& line = next();
    const std::string_view text = trimmed(line.text);
    if (text.starts_with("```")) return read_fence(trimmed(text.substr(3)));
    if (text.starts_with("# ")) return begin_chapter(trimmed(text.substr(2)));
    if (text.starts_with("## ")) return begin_step(trimmed(text.substr(3)));
    if (text.empty()) return finish_paragraph();
    if (text.starts_with("- ")) {
      finish_paragraph();
      is_item_ = true;
      return add_to_paragraph(trimmed(text.substr(2)));
    }
    add_to_paragraph(text);
  }

  void begin_chapter(std::string_view title) {
    finish_paragraph();
    if (title.empty()) fail("a chapter has no title behind \"#\"");
    lesson_.chapters.emplace_back(title);
  }
  void begin_step(std::string_view title) {
    finish_paragraph();
    if (title.empty()) fail("a step has no title behind \"##\"");
    if (lesson_.steps.size() == most_steps)
      fail(fmt::format("the lesson has more than {} steps", most_steps));
    if (lesson_.chapters.empty()) lesson_.chapters.push_back(lesson_.title);
    Step step;
    step.line = line_;
    step.title = title;
    step.chapter = lesson_.chapters.size() - 1;
    lesson_.steps.push_back(std::move(step));
  }
  Step& step(std::string_view what) {
    if (lesson_.steps.empty())
      fail(fmt::format("{} stands before the first step; a step begins with \"## Its title\"", what));
    return lesson_.steps.back();
  }

  void add_to_paragraph(std::string_view text) {
    if (paragraph_.empty()) paragraph_line_ = line_;
    if (!paragraph_.empty()) paragraph_ += ' ';
    paragraph_ += text;
  }
  void finish_paragraph() {
    const bool item = std::exchange(is_item_, false);
    if (paragraph_.empty()) return;
    const int line = std::exchange(line_, paragraph_line_);
    Step& here = step("prose");
    here.paragraphs.push_back({with_line([&] { return parse_prose(paragraph_); }), item});
    paragraph_.clear();
    line_ = line;
  }

  /// The lines up to the closing fence.
  std::vector<Line> fenced(std::string_view kind) {
    const int opened = line_;
    std::vector<Line> inside;
    while (at_ < lines_.size()) {
      const Line& line = next();
      if (trimmed(line.text) == "```") return inside;
      inside.push_back(line);
    }
    line_ = opened;
    fail(fmt::format("\"```{}\" is not closed with \"```\"", kind));
  }

  void read_fence(std::string_view head) {
    finish_paragraph();
    const std::string kind(head.substr(0, head.find(' ')));
    const std::string_view more = trimmed(head.substr(kind.size()));
    const int opened = line_;
    const std::vector<Line> inside = fenced(kind);
    if (kind == "start") {
      if (!lesson_.steps.empty()) fail("\"start\" stands behind the first step; it belongs before it");
      lesson_.start = object_of(kind, inside, opened);
    } else if (kind == "set") {
      step(kind).change = object_of(kind, inside, opened);
    } else if (kind == "held") {
      line_ = opened;
      if (lesson_.of_model())
        fail("\"held\" is not for lessons on a model: what is changed inside stands beside what was");
      step(kind).held = object_of(kind, inside, opened);
    } else if (kind == "look") {
      read_look(inside);
    } else if (kind == "ask") {
      read_question(more, inside, opened);
    } else if (kind == "done") {
      read_done(inside, opened);
    } else if (kind == "notes") {
      for (const Line& line : inside) step(kind).notes += std::string(trimmed(line.text)) + "\n";
    } else if (kind == "numpy" || kind == "pytorch") {
      read_code(kind == "numpy" ? step(kind).numpy : step(kind).pytorch, inside);
    } else {
      line_ = opened;
      fail(fmt::format(
          "\"```{}\" is no setting; there are start, set, held, look, ask, done, notes, numpy and pytorch",
          kind));
    }
  }

  std::string object_of(const std::string& kind, const std::vector<Line>& inside, int opened) {
    std::string text;
    for (const Line& line : inside) text += std::string(line.text) + "\n";
    line_ = opened;
    try {
      const json object = json::parse(text);
      if (!object.is_object()) fail(fmt::format("\"{}\" has to be a JSON object in braces", kind));
      return object.dump();
    } catch (const json::parse_error& error) {
      const auto byte = std::min(error.byte, text.size());
      line_ = opened + 1 +
              static_cast<int>(std::count(
                  text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte > 0 ? byte - 1 : 0), '\n'));
      fail(fmt::format("\"{}\" is no JSON: an error at this line", kind));
    } catch (const json::exception&) {
      fail(fmt::format("\"{}\" is no JSON object", kind));
    }
  }

  void read_look(const std::vector<Line>& inside) {
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
        fail(fmt::format(
            "\"look\" has \"{}\"; there are stage, head, cell, show, plot, cover and, of a model, "
            "colour",
            name));
    }
  }
  Plot plot_of(std::string_view value) const {
    constexpr std::array<std::string_view, 5> names{"none", "scores", "row", "entropy", "pruning"};
    const auto found = std::ranges::find(names, value);
    if (found == names.end() || (value == "pruning") > lesson_.of_model())
      fail(fmt::format("\"plot\" is \"{}\"; there are none, scores, row, entropy and, of a model, pruning",
                       value));
    return static_cast<Plot>(found - names.begin());
  }
  void read_cover(Step& here, std::string_view value) const {
    if (value != "yes" && value != "no" && value != "heads")
      fail(fmt::format("\"cover\" is \"{}\"; expected yes, no or, of a model, heads", value));
    here.covers = value != "no";
    here.covers_grid = value == "heads";
  }
  std::string colour_of_grid(std::string_view value) const {
    if (std::ranges::find(grid_colours, value) == grid_colours.end())
      fail(fmt::format("\"colour\" is \"{}\"; there are {}", value, fmt::join(grid_colours, ", ")));
    return std::string(value);
  }
  /// "3", of a model "23.0": its layer and its head.
  void read_head(Step& here, std::string_view value) const {
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
  std::vector<std::string> controls_of(std::string_view value) const {
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
  void read_cell(Step& here, std::string_view value) {
    const std::size_t comma = value.find(',');
    if (comma == value.npos) fail(fmt::format("\"cell\" is \"{}\"; expected \"QUERY, KEY\"", value));
    here.query = whole("cell", trimmed(value.substr(0, comma)), 0, 4095);
    here.key = whole("cell", trimmed(value.substr(comma + 1)), 0, 4095);
  }
  std::vector<std::string> list_of(std::string_view value) const {
    std::vector<std::string> list;
    while (!value.empty()) {
      const std::size_t end = std::min(value.find(','), value.size());
      if (const std::string_view one = trimmed(value.substr(0, end)); !one.empty()) list.emplace_back(one);
      value.remove_prefix(std::min(end + 1, value.size()));
    }
    return list;
  }

  void read_question(std::string_view kind, const std::vector<Line>& inside, int opened) {
    Step& here = step("ask");
    if (here.question)
      fail(fmt::format("the step \"{}\" asks a second question; it may ask one", here.title));
    Question question;
    ChooseQuestion choices;
    std::vector<std::pair<std::string_view, std::string_view>> fields;
    for (const Line& line : inside) {
      line_ = line.number;
      const std::string_view text = trimmed(line.text);
      if (text.empty()) continue;
      if (text.starts_with("- ") || text.starts_with("* ")) {
        choices.choices.push_back(choice_of(trimmed(text.substr(2)), text[0] == '*'));
        continue;
      }
      const auto [name, value] = field_of(text);
      if (name == "answer" && kind != "drag")
        question.answer = with_line([&] { return parse_prose(value); });
      else if (name == "said" && kind == "drag")
        question.answer = with_line([&] { return parse_prose(value); });
      else if (name == "range" || name == "answer" || name == "within" || name == "row")
        fields.emplace_back(name, value);
      else if (question.words.empty())
        question.words = with_line([&] { return parse_prose(text); });
      else
        fail(fmt::format(
            "\"ask\" has the line \"{}\"; expected a choice (\"- …\", the right one \"* …\") or a field",
            text));
    }
    line_ = opened;
    if (question.words.empty()) fail("\"ask\" has no question in its first line");
    question.kind = kind_of(kind, choices, fields);
    here.question = std::move(question);
  }

  /// "its words | 0.4": what a bar draws stands behind them.
  Choice choice_of(std::string_view text, bool right) const {
    Choice choice;
    choice.right = right;
    if (const std::size_t bar = text.rfind('|'); bar != text.npos) {
      choice.guess = real("guess", trimmed(text.substr(bar + 1)));
      if (!(*choice.guess >= 0 && *choice.guess <= 1))
        fail("what stands behind \"|\" has to lie from 0 to 1");
      text = trimmed(text.substr(0, bar));
    }
    choice.prose = with_line([&] { return parse_prose(text); });
    return choice;
  }

  using Fields = std::vector<std::pair<std::string_view, std::string_view>>;
  std::string_view needed(const Fields& fields, std::string_view name, std::string_view kind) const {
    const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
    if (found == fields.end()) fail(fmt::format("\"ask {}\" needs \"{}: …\"", kind, name));
    return found->second;
  }
  decltype(Question::kind) kind_of(std::string_view kind, ChooseQuestion& choices,
                                   const Fields& fields) const {
    if (kind != "choose" && !choices.choices.empty())
      fail(fmt::format("\"ask {}\" has choices; only \"ask choose\" has", kind));
    if (kind == "think") return ThinkQuestion{};
    if (kind == "choose") {
      const auto count = choices.choices.size();
      if (count < 2 || count > most_choices)
        fail(fmt::format("\"ask choose\" has {} choices; expected 2 to {}", count, most_choices));
      if (std::ranges::none_of(choices.choices, &Choice::right))
        fail("no choice is right; the right one begins with \"*\" in place of \"-\"");
      return std::move(choices);
    }
    if (kind == "drag") {
      const std::vector<std::string> range = list_of(needed(fields, "range", kind));
      if (range.size() != 2) fail("\"range\" has to be two numbers, \"LOW, HIGH\"");
      DragQuestion drag{real("range", range[0]), real("range", range[1]),
                        with_line([&] { return Expression::parse(needed(fields, "answer", kind)); }),
                        real("within", needed(fields, "within", kind))};
      if (!(drag.low < drag.high)) fail("\"range\" has to begin with its smaller number");
      if (!(drag.tolerance > 0)) fail("\"within\" has to be above 0");
      return drag;
    }
    if (kind == "sketch") {
      if (lesson_.of_model()) fail("\"ask sketch\" is not for lessons on a model; ask choose or drag");
      const std::vector<std::string> row = list_of(needed(fields, "row", kind));
      if (row.size() != 2) fail("\"row\" has to be two numbers, \"HEAD, QUERY\"");
      SketchQuestion sketch{whole("row", row[0], 0, 4095), whole("row", row[1], 0, 4095),
                            real("within", needed(fields, "within", kind))};
      if (!(sketch.tolerance > 0 && sketch.tolerance <= 1))
        fail("\"within\" has to be above 0 and at most 1");
      return sketch;
    }
    fail(fmt::format("\"ask {}\" is no question; there are choose, drag, sketch and think", kind));
  }

  void read_done(const std::vector<Line>& inside, int opened) {
    Step& here = step("done");
    for (const Line& line : inside) {
      line_ = line.number;
      const std::string_view text = trimmed(line.text);
      if (text.empty()) continue;
      if (text.starts_with("by:")) {
        here.done_by = object_of("by", {{line.number, trimmed(text.substr(3))}}, line.number - 1);
      } else if (here.done) {
        here.done_words += (here.done_words.empty() ? "" : " ") + std::string(text);
      } else {
        here.done = with_line([&] { return Expression::parse(text); });
      }
    }
    line_ = opened;
    if (!here.done) fail("\"done\" has no condition in its first line");
    if (here.done_words.empty())
      fail("\"done\" does not say what it asks for; words stand in its second line");
  }

  /// "CODE  -> {result} and a note"; "> " before the line that the step is about.
  void read_code(std::vector<CodeLine>& code, const std::vector<Line>& inside) {
    for (const Line& line : inside) {
      line_ = line.number;
      if (trimmed(line.text).empty()) continue;
      CodeLine made;
      std::string_view text = line.text;
      made.marked = text.starts_with("> ");
      if (made.marked) text.remove_prefix(2);
      const std::size_t arrow = text.find("  -> ");
      made.code = text.substr(0, arrow);
      made.code.erase(made.code.find_last_not_of(' ') + 1);
      if (arrow != text.npos) {
        made.note = with_line([&] { return parse_prose(trimmed(text.substr(arrow + 5))); });
        // One number is what the line gives, wherever it stands; of several the last one, at the end.
        const auto is_number = [](const Piece& piece) { return piece.kind == Piece::Kind::Number; };
        const auto numbers = std::ranges::count_if(made.note, is_number);
        const auto last = std::find_if(made.note.rbegin(), made.note.rend(), is_number);
        if (numbers == 1 || (numbers > 1 && last == made.note.rbegin())) {
          made.result = *last;
          made.note.erase(std::next(last).base());
        }
      }
      code.push_back(std::move(made));
    }
  }

  std::string name_;
  std::vector<Line> lines_;
  std::size_t at_ = 0;
  int line_ = 1;  // that is read
  Lesson lesson_;
  std::string paragraph_;
  int paragraph_line_ = 0;
  bool is_item_ = false;
};

}  // namespace

Lesson parse_lesson(std::string_view text, const std::string& name) {
  return LessonReader(text, name).read();
}

Lesson read_lesson(const std::filesystem::path& path) {
  return parse_lesson(read_whole(path, most_bytes), path.filename().native());
}

}  // namespace attnscope::lessons

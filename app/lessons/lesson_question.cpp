// app/lessons: reads the blocks of a step that ask: a question, a task; and the step as code.
#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/lessons/lesson_reader.hpp"

namespace attnscope::lessons {

namespace {

constexpr std::size_t most_choices = 6;

std::optional<double> guess_in(std::string_view text) {
  double value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void LessonReader::read_question(std::string_view kind, const Lines& inside, int opened) {
  Step& here = step("ask");
  if (here.question) fail(fmt::format("the step \"{}\" asks a second question; it may ask one", here.title));
  Question question;
  ChooseQuestion choices;
  Fields fields;
  for (const Line& line : inside) {
    line_ = line.number;
    const std::string_view text = trimmed(line.text);
    if (text.empty()) continue;
    if (text.starts_with("- ") || text.starts_with("* ")) {
      choices.choices.push_back(choice_of(trimmed(text.substr(2)), text[0] == '*'));
      continue;
    }
    const auto [name, value] = field_of(text);
    if (name == (kind == "drag" ? "said" : "answer"))
      question.answer = with_line([this, prose = value] { return parse_prose(prose, line_); });
    else if (name == "range" || name == "answer" || name == "within" || name == "row" || name == "measure")
      fields.push_back({name, value, line.number});
    else if (question.words.empty())
      question.words = with_line([&] { return parse_prose(text, line_); });
    else
      fail(fmt::format(
          "\"ask\" has the line \"{}\"; expected a choice (\"- …\", the right one \"* …\") or a field",
          text));
  }
  line_ = opened;
  if (question.words.empty()) fail("\"ask\" has no question in its first line");
  here.lines.question = opened;
  question.kind = kind_of(kind, choices, fields, opened);
  here.question = std::move(question);
}

Choice LessonReader::choice_of(std::string_view text, bool right) const {
  Choice choice;
  choice.right = right;
  choice.line = line_;
  if (text.ends_with(" |")) fail("a choice ends with \"|\"; a guess or why it is wrong stands behind it");
  // Removes the text after the last bar and returns it.
  const auto take_last = [&]() -> std::optional<std::string_view> {
    const std::size_t bar = text.rfind(" | ");
    if (bar == text.npos) return std::nullopt;
    const std::string_view last = trimmed(text.substr(bar + 3));
    text = trimmed(text.substr(0, bar));
    return last;
  };
  std::optional<std::string_view> last = take_last();
  if (last && !guess_in(*last)) {
    if (right) fail("a right choice has a sentence why it is wrong; \"answer:\" says why it is right");
    choice.why = with_line([&] { return parse_prose(*last, line_); });
    last = take_last();
  }
  if (last) {
    choice.guess = guess_in(*last);
    if (!choice.guess || text.find(" | ") != text.npos)
      fail("a choice has more than a guess and why it is wrong; \"\\|\" is a bar among its words");
    if (!(*choice.guess >= 0 && *choice.guess <= 1)) fail("what stands behind \"|\" has to lie from 0 to 1");
  }
  choice.prose = with_line([&] { return parse_prose(text, line_); });
  return choice;
}

std::string_view LessonReader::needed(const Fields& fields, std::string_view name, std::string_view kind) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found == fields.end()) fail(fmt::format("\"ask {}\" needs \"{}: …\"", kind, name));
  line_ = found->line;
  return found->value;
}

decltype(Question::kind) LessonReader::kind_of(std::string_view kind, ChooseQuestion& choices,
                                               const Fields& fields, int opened) {
  if (kind != "choose" && !choices.choices.empty())
    fail(fmt::format("\"ask {}\" has choices; only \"ask choose\" has", kind));
  if (kind != "curve" && std::ranges::find(fields, "measure", &Field::name) != fields.end())
    fail(fmt::format("\"ask {}\" has \"measure\"; only \"ask curve\" has", kind));
  if (kind == "think") return ThinkQuestion{};
  if (kind == "choose") {
    const auto count = choices.choices.size();
    if (count < 2 || count > most_choices)
      fail(fmt::format("\"ask choose\" has {} choices; expected 2 to {}", count, most_choices));
    if (std::ranges::none_of(choices.choices, &Choice::right))
      fail("no choice is right; the right one begins with \"*\" in place of \"-\"");
    return std::move(choices);
  }
  // Errors about missing fields name the line of the block.
  const auto need = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      line_ = opened;
      needed(fields, name, kind);
    }
  };
  if (kind == "drag") {
    need({"range", "answer", "within"});
    return drag_of(fields);
  }
  if (kind == "sketch") {
    if (lesson_.of_training()) fail("\"ask sketch\" is not for lessons that train; ask choose or drag");
    if (lesson_.of_model()) fail("\"ask sketch\" is not for lessons on a model; ask choose or drag");
    need({"row", "within"});
    return sketch_of(fields);
  }
  if (kind == "curve") {
    if (!lesson_.of_training())
      fail("\"ask curve\" is for lessons that train, with \"training: TASK\" in their front matter");
    need({"measure", "within"});
    return curve_of(fields);
  }
  fail(fmt::format("\"ask {}\" is no question; there are choose, drag, sketch, curve and think", kind));
}

DragQuestion LessonReader::drag_of(const Fields& fields) {
  const std::vector<std::string> range = list_of(needed(fields, "range", "drag"));
  if (range.size() != 2) fail("\"range\" has to be two numbers, \"LOW, HIGH\"");
  const double low = real("range", range[0]), high = real("range", range[1]);
  if (!(low < high)) fail("\"range\" has to begin with its smaller number");
  const std::string_view answer = needed(fields, "answer", "drag");
  Expression expression = with_line([&] { return Expression::parse(answer, line_); });
  const double within = real("within", needed(fields, "within", "drag"));
  if (!(within > 0)) fail("\"within\" has to be above 0");
  return {low, high, std::move(expression), within};
}

double LessonReader::share_within(const Fields& fields, std::string_view kind) {
  const double within = real("within", needed(fields, "within", kind));
  if (!(within > 0 && within <= 1)) fail("\"within\" has to be above 0 and at most 1");
  return within;
}

SketchQuestion LessonReader::sketch_of(const Fields& fields) {
  const std::vector<std::string> row = list_of(needed(fields, "row", "sketch"));
  lesson_.steps.back().lines.row = line_;
  if (row.size() != 2) fail("\"row\" has to be two numbers, \"HEAD, QUERY\"");
  const std::int64_t head = whole("row", row[0], 0, 4095), query = whole("row", row[1], 0, 4095);
  return {head, query, share_within(fields, "sketch")};
}

CurveQuestion LessonReader::curve_of(const Fields& fields) {
  std::string measure(needed(fields, "measure", "curve"));
  lesson_.steps.back().lines.measure = line_;
  return {std::move(measure), share_within(fields, "curve")};
}

void LessonReader::read_done(const Lines& inside, int opened) {
  Step& here = step("done");
  for (const Line& line : inside) {
    line_ = line.number;
    const std::string_view text = trimmed(line.text);
    if (text.empty()) continue;
    if (text.starts_with("by:")) {
      here.done_by = object_of("by", {{line.number, trimmed(text.substr(3))}}, opened, here.done_by_place);
    } else if (here.done) {
      here.done_words += (here.done_words.empty() ? "" : " ") + std::string(text);
    } else {
      here.done = with_line([&] { return Expression::parse(text, line_); });
    }
  }
  line_ = opened;
  if (!here.done) fail("\"done\" has no condition in its first line");
  if (here.done_words.empty()) fail("\"done\" does not say what it asks for; words stand in its second line");
}

void LessonReader::read_code(std::vector<CodeLine>& code, const Lines& inside) {
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
      made.note = with_line([&] { return parse_prose(trimmed(text.substr(arrow + 5)), line_); });
      // A single number is the line's result, wherever it is in the note; several numbers stay among their
      // words.
      const auto is_number = [](const Piece& piece) { return piece.kind == Piece::Kind::Number; };
      if (std::ranges::count_if(made.note, is_number) == 1) {
        const auto number = std::ranges::find_if(made.note, is_number);
        made.result = *number;
        made.note.erase(number);
      }
    }
    code.push_back(std::move(made));
  }
}

}  // namespace attnscope::lessons

// app/lessons: the blocks of a step that ask: a question, what is to be done; and the step as code.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/lessons/lesson_reader.hpp"

namespace attnscope::lessons {

namespace {

constexpr std::size_t most_choices = 6;

}  // namespace

void LessonReader::read_question(std::string_view kind, const Lines& inside, int opened) {
  Step& here = step("ask");
  if (here.question) fail(fmt::format("the step \"{}\" asks a second question; it may ask one", here.title));
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
      question.answer = with_line([prose = value] { return parse_prose(prose); });
    else if (name == "said" && kind == "drag")
      question.answer = with_line([prose = value] { return parse_prose(prose); });
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

Choice LessonReader::choice_of(std::string_view text, bool right) const {
  Choice choice;
  choice.right = right;
  if (const std::size_t bar = text.rfind('|'); bar != text.npos) {
    choice.guess = real("guess", trimmed(text.substr(bar + 1)));
    if (!(*choice.guess >= 0 && *choice.guess <= 1)) fail("what stands behind \"|\" has to lie from 0 to 1");
    text = trimmed(text.substr(0, bar));
  }
  choice.prose = with_line([&] { return parse_prose(text); });
  return choice;
}

std::string_view LessonReader::needed(const Fields& fields, std::string_view name,
                                      std::string_view kind) const {
  const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
  if (found == fields.end()) fail(fmt::format("\"ask {}\" needs \"{}: …\"", kind, name));
  return found->second;
}

decltype(Question::kind) LessonReader::kind_of(std::string_view kind, ChooseQuestion& choices,
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
    if (lesson_.of_training()) fail("\"ask sketch\" is not for lessons that train; ask choose or drag");
    if (lesson_.of_model()) fail("\"ask sketch\" is not for lessons on a model; ask choose or drag");
    const std::vector<std::string> row = list_of(needed(fields, "row", kind));
    if (row.size() != 2) fail("\"row\" has to be two numbers, \"HEAD, QUERY\"");
    SketchQuestion sketch{whole("row", row[0], 0, 4095), whole("row", row[1], 0, 4095),
                          real("within", needed(fields, "within", kind))};
    if (!(sketch.tolerance > 0 && sketch.tolerance <= 1)) fail("\"within\" has to be above 0 and at most 1");
    return sketch;
  }
  fail(fmt::format("\"ask {}\" is no question; there are choose, drag, sketch and think", kind));
}

void LessonReader::read_done(const Lines& inside, int opened) {
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

}  // namespace attnscope::lessons

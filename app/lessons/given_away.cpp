#include "app/lessons/given_away.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/lessons/lesson_numbers.hpp"

namespace attnscope::lessons {
namespace {

/// Matrices with more keys show colours without printed numbers; the table of a row lists no more keys than
/// this.
constexpr std::int64_t most_printed = 12, most_listed = 24;
/// Below this difference, two values are the same number.
constexpr double rounding_apart = 1e-6;

/// Numbers that can be read from a cell of a plane: the first argument is its row.
struct CellName {
  std::string_view name, plane;
  std::size_t places;      // before the head
  bool row_alone = false;  // shown below the matrix, for the step's row
};
constexpr std::array<CellName, 9> cell_names{{{"score", "scores", 2},
                                              {"scaled", "scaled", 2},
                                              {"masked", "masked", 2},
                                              {"weight", "weights", 2},
                                              {"largest", "weights", 1},
                                              {"self", "weights", 1},
                                              {"previous", "weights", 1},
                                              {"first", "weights", 1},
                                              {"entropy", "weights", 1, true}}};
constexpr std::string_view held_prefix = "held.";

const CellName* cell_name(std::string_view name) {
  if (name.starts_with(held_prefix)) name.remove_prefix(held_prefix.size());
  const auto found = std::ranges::find(cell_names, name, &CellName::name);
  return found == cell_names.end() ? nullptr : &*found;
}

/// The same number of the other side of the comparison.
std::string of_other_side(const std::string& name) {
  return name.starts_with(held_prefix) ? name.substr(held_prefix.size()) : std::string(held_prefix) + name;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

bool is_one_number(double a, double b) {
  return std::abs(a - b) <= rounding_apart * std::max({1.0, std::abs(a), std::abs(b)});
}

bool is_made_of_the_same(const ReadNumber& a, const ReadNumber& b) {
  const auto is_in = [](const LookedUp& one, const std::vector<LookedUp>& all) {
    return std::ranges::any_of(all, [&](const LookedUp& other) {
      return one.name == other.name && one.arguments == other.arguments;
    });
  };
  return !a.from.empty() && a.from.size() == b.from.size() &&
         std::ranges::all_of(a.from, [&](const LookedUp& one) { return is_in(one, b.from); });
}

/// Whether the number tells a reader the answer: it is the same expression, or another one of only the same
/// looked-up number with the same value, perhaps in percent.
bool tells(const ReadNumber& number, const ReadNumber& answer, double within) {
  if (!is_made_of_the_same(number, answer)) return false;
  const auto near = [&](double value) { return std::abs(value - answer.value) <= within; };
  if (without_blanks(number.text) == without_blanks(answer.text)) return near(number.value);
  return number.from.size() == 1 &&
         (near(number.value) || near(100 * number.value) || near(number.value / 100));
}

std::size_t place_of_stage(std::string_view name) {
  const std::vector<std::string_view> names = stage_names();
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

ShownStep::ShownStep(const Step& step, const LookUp& numbers, std::int64_t keys, bool holds,
                     std::vector<std::shared_ptr<const void>> alive)
    : step_(&step), numbers_(numbers), keys_(keys), holds_(holds), alive_(std::move(alive)) {
  for (const Paragraph& paragraph : step.paragraphs) read(paragraph.prose, words_);
  for (const auto* code : {&step.numpy, &step.pytorch})
    for (const CodeLine& line : *code) {
      read(line.note, code_);
      if (line.result) read({*line.result}, code_);
    }
  if (!step.question) return;
  read(step.question->words, words_);
  read(step.question->answer, said_);
  if (const auto* choose = std::get_if<ChooseQuestion>(&step.question->kind))
    for (const Choice& choice : choose->choices) {
      read(choice.prose, words_);
      read(choice.why, said_);
    }
  if (const auto* drag = std::get_if<DragQuestion>(&step.question->kind))
    if (ReadNumber answer = read(drag->answer); !std::isnan(answer.value)) said_.push_back(std::move(answer));
}

/// The value is NaN if it cannot be computed, which is reported elsewhere.
ReadNumber ShownStep::read(const Expression& expression) const {
  ReadNumber made{expression.text(), expression.line(), 0, {}};
  const LookUp noting = [&](std::string_view name, std::span<const double> arguments) {
    LookedUp one{std::string(name), {arguments.begin(), arguments.end()}, numbers_(name, arguments)};
    const CellName* const cell = keys_ > 0 ? cell_name(name) : nullptr;
    if (cell != nullptr && one.arguments.size() == cell->places)
      one.arguments.push_back(static_cast<double>(step_->head.value_or(0)));
    if (std::ranges::find(made.from, one) == made.from.end()) made.from.push_back(one);
    return one.value;
  };
  try {
    made.value = expression.evaluate(noting);
  } catch (const Error&) {
    made.value = std::nan("");
  }
  return made;
}

void ShownStep::read(const Prose& prose, std::vector<ReadNumber>& into) const {
  for (const Piece& piece : prose)
    if (piece.number)
      if (ReadNumber number = read(*piece.number); !std::isnan(number.value))
        into.push_back(std::move(number));
}

std::optional<double> ShownStep::look_up(const std::string& name,
                                         const std::vector<double>& arguments) const {
  try {
    return numbers_(name, arguments);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<ShownStep::Asked> ShownStep::cell_of(const LookedUp& number) const {
  const CellName* const cell = keys_ > 0 ? cell_name(number.name) : nullptr;
  if (cell == nullptr || number.arguments.size() != cell->places + 1) return std::nullopt;
  return Asked{std::string(cell->plane), static_cast<std::int64_t>(number.arguments.front()),
               static_cast<std::int64_t>(number.arguments.back()), number.name.starts_with(held_prefix),
               cell->row_alone};
}

bool ShownStep::shows(const Asked& asked) const {
  if (keys_ == 0 || asked.head != step_->head.value_or(0)) return false;
  if (step_->until && place_of_stage(asked.plane) > place_of_stage(*step_->until)) return false;
  const std::string stage = step_->stage.value_or("weights");
  // The walk shows every stage.
  const bool is_walked = step_->view == StepView::Walk &&
                         (!step_->from || place_of_stage(asked.plane) >= place_of_stage(*step_->from));
  const bool is_matrix = step_->view == StepView::Matrix || step_->view == StepView::Grid;
  const bool is_printed = is_walked || (is_matrix && stage == asked.plane);
  if (is_printed && keys_ <= most_printed && !asked.row_alone) return true;
  // The cell's numbers up to its weight; of other cells of the row its table has those.
  if (step_->view == StepView::Cell && step_->query == asked.query && !asked.row_alone) return true;
  // The table of the step's row is shown beside planes, not beside vectors; it has no column "masked".
  const bool is_plane = std::ranges::find(cell_names, stage, &CellName::plane) != cell_names.end();
  if (!is_plane || step_->query != asked.query) return false;
  return asked.row_alone || (asked.plane != "masked" && keys_ <= most_listed);
}

bool ShownStep::shows_open(const Asked& asked) const {
  if (!shows(asked)) return false;
  if (!step_->covers) return true;
  // Of the walk and of a cell the stages before the step's own are open.
  if ((step_->view == StepView::Walk || step_->view == StepView::Cell) && !asked.row_alone &&
      place_of_stage(asked.plane) < place_of_stage(step_->stage.value_or("weights")))
    return true;
  // With two sides the held one is covered, with one that one.
  return holds_ && !asked.of_held;
}

std::vector<const ReadNumber*> ShownStep::written(bool is_open) const {
  std::vector<const ReadNumber*> all;
  const auto add = [&](const std::vector<ReadNumber>& numbers) {
    for (const ReadNumber& number : numbers) all.push_back(&number);
  };
  add(words_);
  if (!is_open || !step_->covers_code) add(code_);
  if (!is_open) add(said_);
  return all;
}

bool ShownStep::cell_stood(const ShownStep& before, const DragQuestion& drag,
                           const ReadNumber& answer) const {
  if (answer.from.size() != 1) return false;
  const LookedUp& number = answer.from.front();
  std::optional<Asked> asked = cell_of(number);
  if (!asked || !before.shows(*asked)) return false;
  const auto with = [&](double value) {
    return drag.answer.evaluate([&](std::string_view, std::span<const double>) { return value; });
  };
  if (const auto value = before.look_up(number.name, number.arguments))
    if (std::abs(with(*value) - answer.value) <= drag.tolerance) return true;
  // A, shown on that step, may be held now, or the other way round: the value is then exactly the same.
  const auto other = before.look_up(of_other_side(number.name), number.arguments);
  return other && is_one_number(*other, number.value);
}

void ShownStep::add_drag(const DragQuestion& drag, const ShownStep* before,
                         std::vector<std::string>& all) const {
  const ReadNumber answer = read(drag.answer);
  const auto say = [&](std::string_view where) {
    all.push_back(fmt::format("The answer \"{}\" {}.", answer.text, where));
  };
  if (std::isnan(answer.value)) return;
  if (std::abs(answer.value - (drag.low + drag.high) / 2) <= drag.tolerance)
    say("is where the slider stands at first, in the middle of \"range\"");
  if (answer.from.empty()) return;
  const auto telling = [&](const std::vector<const ReadNumber*>& numbers) -> const ReadNumber* {
    const auto found = std::ranges::find_if(
        numbers, [&](const ReadNumber* number) { return tells(*number, answer, drag.tolerance); });
    return found == numbers.end() ? nullptr : *found;
  };
  if (const ReadNumber* const number = before == nullptr ? nullptr : telling(before->written(false)))
    say(fmt::format("stands on the step before: \"{}\" in line {}", number->text, number->line));
  else if (before != nullptr && cell_stood(*before, drag, answer))
    say("stands on the step before, in a cell of its matrix or table");
  if (const ReadNumber* const number = telling(written(true)))
    say(fmt::format("stands beside the question, outside of the lid: \"{}\" in line {}", number->text,
                    number->line));
  const auto asked = answer.from.size() == 1 ? cell_of(answer.from.front()) : std::nullopt;
  if (asked && shows_open(*asked)) say("stands in a cell that no lid covers");
}

/// Whether the step before showed the same row of weights, within the total variation distance.
bool ShownStep::row_stood(const ShownStep& before, const SketchQuestion& sketch) const {
  if (!before.shows({"weights", sketch.query, sketch.head, false, false})) return false;
  const auto distance = [&](const std::string& name) -> std::optional<double> {
    double sum = 0;
    for (std::int64_t key = 0; key < keys_; ++key) {
      const std::vector<double> place{static_cast<double>(sketch.query), static_cast<double>(key),
                                      static_cast<double>(sketch.head)};
      const auto here = look_up("weight", place), there = before.look_up(name, place);
      if (!here || !there) return std::nullopt;
      sum += std::abs(*here - *there) / 2;
    }
    return sum;
  };
  if (before.keys_ != keys_) return false;
  if (const auto moved = distance("weight"); moved && *moved <= sketch.tolerance) return true;
  const auto other = distance("held.weight");
  return other && *other <= rounding_apart;
}

/// The last of the row's weights that are written there, if together they are nearly all of the row; else
/// null.
const ReadNumber* ShownStep::row_written(const SketchQuestion& sketch,
                                         const std::vector<const ReadNumber*>& numbers) const {
  double sum = 0;
  std::set<double> keys;
  for (const ReadNumber* const number : numbers) {
    if (number->from.size() != 1 || number->from.front().name != "weight") continue;
    const std::vector<double>& place = number->from.front().arguments;
    if (place.size() != 3 || place[0] != static_cast<double>(sketch.query) ||
        place[2] != static_cast<double>(sketch.head))
      continue;
    const auto here = look_up("weight", place);
    if (!here || std::abs(*here - number->from.front().value) > 0.01 || !keys.insert(place[1]).second)
      continue;
    sum += *here;
    if (sum >= 1 - sketch.tolerance) return number;
  }
  return nullptr;
}

void ShownStep::add_sketch(const SketchQuestion& sketch, const ShownStep* before,
                           std::vector<std::string>& all) const {
  const auto say = [&](std::string_view where) {
    all.push_back(
        fmt::format("The row {} of head {} that is asked for {}.", sketch.query, sketch.head, where));
  };
  if (before != nullptr && row_stood(*before, sketch))
    say("stands on the step before, in its matrix or table");
  else if (const ReadNumber* const last =
               before == nullptr ? nullptr : row_written(sketch, before->written(false)))
    say(fmt::format("stands on the step before, up to \"{}\" in line {}", last->text, last->line));
  if (shows_open({"weights", sketch.query, sketch.head, false, false}))
    say("stands in cells that no lid covers");
  if (const ReadNumber* const last = row_written(sketch, written(true)))
    say(fmt::format("stands beside the question, outside of the lid, up to \"{}\" in line {}", last->text,
                    last->line));
}

std::vector<std::string> ShownStep::given_away(const std::string& name, const ShownStep* before) const {
  std::vector<std::string> all;
  if (!step_->question) return all;
  int line = step_->lines.question;
  if (const auto* drag = std::get_if<DragQuestion>(&step_->question->kind)) {
    line = drag->answer.line();
    add_drag(*drag, before, all);
  } else if (const auto* sketch = std::get_if<SketchQuestion>(&step_->question->kind)) {
    line = step_->lines.row;
    add_sketch(*sketch, before, all);
  }
  for (std::string& sentence : all) sentence = fmt::format("{}:{}: {}", name, line, sentence);
  return all;
}

std::vector<std::string> silent_choices(const Lesson& lesson, const std::string& name) {
  std::vector<std::string> all;
  for (const Step& step : lesson.steps) {
    const auto* const choose = step.question ? std::get_if<ChooseQuestion>(&step.question->kind) : nullptr;
    if (choose == nullptr) continue;
    for (const Choice& choice : choose->choices)
      if (!choice.right && choice.why.empty())
        all.push_back(fmt::format(
            "{}:{}: The wrong choice does not say why it is wrong: \" | why not\" does.", name, choice.line));
  }
  return all;
}

}  // namespace attnscope::lessons

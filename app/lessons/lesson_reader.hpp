// app/lessons: reads the text of a lesson, line by line. Errors name their line. The blocks of a step are
// read in files of their own: what is looked at, what is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "core/base/error.hpp"

namespace attnscope::lessons {

/// Without spaces at both ends.
std::string_view trimmed(std::string_view text);
/// "name: value"; without a colon the name is empty.
std::pair<std::string_view, std::string_view> field_of(std::string_view line);

class LessonReader {
 public:
  /// The text must outlive the reader. Throws Error as read() does if it is not valid UTF-8.
  LessonReader(std::string_view text, const std::string& name);

  /// Throws Error: "NAME:12: sentence.".
  Lesson read();

 private:
  struct Line {
    int number = 0;  // from 1
    std::string_view text;
  };
  using Lines = std::vector<Line>;
  struct Field {
    std::string_view name, value;
    int line = 0;
  };
  using Fields = std::vector<Field>;

  static Lines lines_of(std::string_view text);
  [[noreturn]] void fail(std::string_view sentence) const { fail_at(line_, sentence); }
  /// Throws the sentence, which may have its full stop or not.
  [[noreturn]] void fail_at(int line, std::string_view sentence) const;
  /// Returns the result of `make`; an error of it gets the current line if it has none.
  template <class Make>
  auto with_line(Make make) const {
    try {
      return make();
    } catch (const LineError& error) {
      fail_at(error.line() > 0 ? error.line() : line_, error.what());
    } catch (const Error& error) {
      fail(error.what());
    }
  }
  const Line& next();
  std::int64_t whole(std::string_view name, std::string_view text, std::int64_t low, std::int64_t high) const;
  double real(std::string_view name, std::string_view text) const;
  std::vector<std::string> list_of(std::string_view value) const;

  // The skeleton: front matter, chapters, steps, prose, fences.
  void read_front();
  void read_front_field(const std::pair<std::string_view, std::string_view>& field);
  void read_line();
  void begin_chapter(std::string_view title);
  void begin_step(std::string_view title);
  /// The current step; throws if there is none yet: `what` must be inside a step.
  Step& step(std::string_view what);
  /// Checks that are possible only after all blocks of the step.
  void finish_step();
  void add_to_paragraph(std::string_view text);
  void finish_paragraph();
  /// The lines up to the closing fence.
  Lines fenced(std::string_view kind);
  void read_fence(std::string_view head);
  /// The JSON object in the block; `place` is set to its position.
  std::string object_of(const std::string& kind, const Lines& inside, int opened, JsonPlace& place);
  void read_notes(const Lines& inside);

  // What is looked at:
  void read_look(const Lines& inside);
  void read_look_field(Step& here, std::string_view name, std::string_view value);
  StepView view_of(std::string_view value) const;
  Plot plot_of(std::string_view value) const;
  void read_cover(Step& here, std::string_view value) const;
  [[noreturn]] void refuse_cover(std::string_view value) const;
  std::string colour_of_grid(std::string_view value) const;
  /// "3", for a model "23.0": its layer and its head.
  void read_head(Step& here, std::string_view value) const;
  std::vector<std::string> controls_of(std::string_view value) const;
  /// "QUERY, KEY"
  std::pair<std::int64_t, std::int64_t> cell_of(std::string_view name, std::string_view value) const;
  /// One of stage_names().
  std::string stage_of(std::string_view name, std::string_view value) const;
  /// Throws if the fields of "look" contradict each other.
  void finish_look(const Step&) const;

  // The run of a step of a lesson that trains:
  void read_training(std::string_view task);
  void read_train(const Lines& inside, int opened);
  std::int64_t train_number(std::string_view name, std::string_view value) const;
  void read_train_cover(Step& here, std::string_view value) const;
  std::vector<std::string> train_controls_of(std::string_view value) const;
  std::vector<std::string> train_plots_of(std::string_view value) const;
  /// Throws if the step, with the settings of the one before, cannot be trained.
  void finish_train(TrainedStep& here);

  // What is asked, and what is to be done:
  void read_question(std::string_view kind, const Lines& inside, int opened);
  /// "its words | 0.4 | why not": optionally the length of a bar and the reason why it is wrong, either or
  /// both.
  Choice choice_of(std::string_view text, bool right) const;
  /// The value of a required field; its line becomes the current one.
  std::string_view needed(const Fields& fields, std::string_view name, std::string_view kind);
  /// `opened`: the line of the block, for errors about missing fields.
  decltype(Question::kind) kind_of(std::string_view kind, ChooseQuestion& choices, const Fields& fields,
                                   int opened);
  DragQuestion drag_of(const Fields& fields);
  SketchQuestion sketch_of(const Fields& fields);
  CurveQuestion curve_of(const Fields& fields);
  /// A number above 0 and at most 1.
  double share_within(const Fields& fields, std::string_view kind);
  void read_done(const Lines& inside, int opened);

  /// "CODE  -> {result} and a note"; a leading "> " marks the line that the step is about.
  void read_code(std::vector<CodeLine>& code, const Lines& inside);

  std::string name_;
  Lines lines_;
  std::size_t at_ = 0;
  int line_ = 1;  // the current one
  Lesson lesson_;
  std::string paragraph_;
  int paragraph_line_ = 0;
  bool is_item_ = false;
  // State of `train`, kept from step to step.
  std::optional<std::int64_t> branch_at_, branch_steps_;
  std::string knobs_;
};

}  // namespace attnscope::lessons

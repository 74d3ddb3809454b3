// app/lessons: the text of a lesson on its way to a value, line by line. What is wrong is said with the line
// it stands in. The blocks of a step are read in files of their own: what is looked at, what is asked.
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

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
/// "name: value"; without a colon the name is empty.
std::pair<std::string_view, std::string_view> field_of(std::string_view line);

class LessonReader {
 public:
  /// The text must outlive it. Throws Error as read() does where it is not valid UTF-8.
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
  /// A sentence with its full stop or without.
  [[noreturn]] void fail_at(int line, std::string_view sentence) const;
  /// What `make` gives; an error of it gets the line, where it knows none of its own.
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
  /// The step that is read; `what` stands in it.
  Step& step(std::string_view what);
  /// What can be seen only once all its blocks are there.
  void finish_step();
  void add_to_paragraph(std::string_view text);
  void finish_paragraph();
  /// The lines up to the closing fence.
  Lines fenced(std::string_view kind);
  void read_fence(std::string_view head);
  /// `place`: where it stands, which is filled in.
  std::string object_of(const std::string& kind, const Lines& inside, int opened, JsonPlace& place);
  void read_notes(const Lines& inside);

  // What is looked at.
  void read_look(const Lines& inside);
  void read_look_field(Step& here, std::string_view name, std::string_view value);
  Plot plot_of(std::string_view value) const;
  void read_cover(Step& here, std::string_view value) const;
  [[noreturn]] void refuse_cover(std::string_view value) const;
  std::string colour_of_grid(std::string_view value) const;
  /// "3", of a model "23.0": its layer and its head.
  void read_head(Step& here, std::string_view value) const;
  std::vector<std::string> controls_of(std::string_view value) const;
  /// "QUERY, KEY"
  std::pair<std::int64_t, std::int64_t> cell_of(std::string_view name, std::string_view value) const;
  std::string last_stage(std::string_view value) const;

  // The run that a step of a lesson that trains stands at.
  void read_training(std::string_view task);
  void read_train(const Lines& inside, int opened);
  std::int64_t train_number(std::string_view name, std::string_view value) const;
  void read_train_cover(Step& here, std::string_view value) const;
  std::vector<std::string> train_controls_of(std::string_view value) const;
  std::vector<std::string> train_plots_of(std::string_view value) const;
  /// Throws where the step, with what it has from the one before, cannot be trained.
  void finish_train(TrainedStep& here);

  // What is asked, and what is to be done.
  void read_question(std::string_view kind, const Lines& inside, int opened);
  /// "its words | 0.4 | why not": behind them what a bar draws and why it is wrong, either or both.
  Choice choice_of(std::string_view text, bool right) const;
  /// The field, whose line is read from here on.
  std::string_view needed(const Fields& fields, std::string_view name, std::string_view kind);
  /// `opened`: the line of the block, of what it lacks.
  decltype(Question::kind) kind_of(std::string_view kind, ChooseQuestion& choices, const Fields& fields,
                                   int opened);
  DragQuestion drag_of(const Fields& fields);
  SketchQuestion sketch_of(const Fields& fields);
  CurveQuestion curve_of(const Fields& fields);
  /// Above 0 and at most 1.
  double share_within(const Fields& fields, std::string_view kind);
  void read_done(const Lines& inside, int opened);

  /// "CODE  -> {result} and a note"; "> " before the line that the step is about.
  void read_code(std::vector<CodeLine>& code, const Lines& inside);

  std::string name_;
  Lines lines_;
  std::size_t at_ = 0;
  int line_ = 1;  // that is read
  Lesson lesson_;
  std::string paragraph_;
  int paragraph_line_ = 0;
  bool is_item_ = false;
  // Of `train`, from step to step.
  std::optional<std::int64_t> branch_at_, branch_steps_;
  std::string knobs_;
};

}  // namespace attnscope::lessons

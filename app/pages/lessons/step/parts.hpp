// app/pages/lessons/step: the parts of a lesson's page; all draw from one LessonPage, made for a frame.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/lessons/lesson_numbers.hpp"
#include "app/pages/lessons/parts/prose_flow.hpp"
#include "app/pages/lessons/step/acts.hpp"
#include "app/pages/lessons/step/moments.hpp"

namespace attnscope {

/// The numbers of a step's prose: of its own head, in A and in B.
lessons::LookUp lesson_numbers(const Scene&, const lessons::Step&);
struct MapFrame;
struct ColourScale;

struct LessonPage {
  Scene& scene;
  const lessons::OpenLesson& open;
  const lessons::Step& step;
  lessons::LookUp numbers;
  bool presented = false;                       // in presenter mode
  bool covered = false;                         // a question is open
  std::optional<lessons::Anchor> pointed = {};  // a word under the mouse
  bool folds = false;                           // choices neither right nor chosen take a line each
  bool narrow = false;                          // presented in a narrow room, see narrow_room

  const Ui& ui() const { return scene.ui; }
  /// Whether numbers that would answer the question are hidden.
  bool hides() const { return covered && step.covers; }
  /// The same for the results of lines of code, and for the plot above the matrices.
  bool hides_code() const { return covered && step.covers_code; }
  bool hides_plot() const { return covered && step.covers_plot; }
  LessonState& state() const { return lesson_of(scene.view); }
  LessonMoments& moments() const { return moments_of(state()); }
  const lessons::Lesson& lesson() const { return open.lesson; }
  /// The numbers, colours and objects for prose. Refers to this page.
  ProseLookUp prose_look_up() const;
  /// The keycap of a key, its left end at x; returns its width.
  float keycap(float x, float y, std::string_view key) const;
};

/// The left column: title, prose, question, task, keys. Sets page.pointed.
void draw_lesson_words(LessonPage&, const Box&);
/// The style of words in a narrow room: the smallest letters.
ProseStyle narrow_style(const LessonPage&);
/// The share of a narrow room's width that the words have: as much as leaves the picture its numbers.
float share_of_words(const LessonPage&, float width);
/// The name of a picture, in this colour while it is shown.
struct PictureName {
  std::string name;
  Rgba ink;
};
/// In a narrow room the names of a step's pictures, of which one is shown, and the key that turns to the
/// next. Returns which is shown: `first` until another one is chosen.
std::size_t draw_picture_names(const LessonPage&, const Box& row, std::span<const PictureName>,
                               std::size_t first);
/// At the end of a lesson, what was answered at its questions and what was so; returns the y below.
float draw_lesson_end(LessonPage&, float x, float y, float width);
/// The question's card in a column; returns the y below.
float draw_lesson_question(LessonPage&, float x, float y, float width);
/// The matrices of A and B, with the controls and the plot above them.
void draw_lesson_instrument(LessonPage&, const Box&);
/// The end of a range of colours: the largest so far in the step, so that the colours of a number stay while
/// its controls change others. `kept` is one of the step's LessonMoments.
float kept_reach(const LessonPage&, float& kept, float most);
/// Covers cells until R: opaque, so that nothing is visible before.
void draw_lesson_lid(const LessonPage&, const Box& cells, Rgba edge);
/// Whether the step's picture is the walk; it cannot be where only weights are given.
bool shows_lesson_walk(const LessonPage&);
void draw_lesson_walk(LessonPage&, const Box&);
/// A stage of every head, in the colours of this scale.
void draw_lesson_heads(LessonPage&, const Box&, const ColourScale&);
/// Weights, their gradient and that of the logits.
void draw_lesson_gradients(LessonPage&, const Box&);
/// Keys and values of the tokens, as a cache keeps them when the chosen token is the new one.
void draw_lesson_cache(LessonPage&, const Box&);
/// The chosen cell number by number.
void draw_lesson_cell(LessonPage&, const Box&);
/// A ring around the object that a word of the prose refers to; its places are rows and keys of this map, −1:
/// none there.
void ring_lesson_word(const MapFrame&, const lessons::Anchor&);
/// The step's stage if it is one of vectors, a row of numbers for each token; else empty.
std::optional<Stage> lesson_vectors(const LessonPage&, const LayerResult&);
/// Such a stage's rows as numbers and colours, for one side.
void draw_lesson_vectors(LessonPage&, Scene& side, const Box&, Stage, bool is_b, bool covered);
/// In the right column, the chosen token's vector through the block: its mean, deviation and length at each
/// stage. Returns the y below.
float draw_lesson_stream(const LessonPage&, const Box& column, float y);
/// The picture of a lesson that uses a model, or why the model is missing.
void draw_lesson_model(LessonPage&, const Box&);
/// Curves, heads and the strip of time of a lesson that trains.
void draw_lesson_training(LessonPage&, const Box&);
/// In the right column, the chosen row of weights number by number, with those of the same keys in B. Returns
/// the y below.
float draw_lesson_row(const LessonPage&, const Box& column, float y);
/// The controls that the step names, in as many rows of this size as they need; returns the y below.
float draw_lesson_controls(LessonPage&, const Box& row);
void draw_lesson_plot(LessonPage&, const Box&);
/// The step in NumPy or PyTorch, the chosen row number by number, and the speaker's notes.
void draw_lesson_code(LessonPage&, const Box&);
/// The line of chapters and steps.
void draw_lesson_scrubber(LessonPage&, const Box&);

/// The row that the step is about: the one it names, else the chosen one.
std::int64_t lesson_row(const LessonPage&);

}  // namespace attnscope

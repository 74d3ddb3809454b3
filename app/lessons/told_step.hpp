// app/state/teaching: a step of a lesson in words and places, as the page of lessons has it: for whatever
// shows it outside of the window. Texts are in English or the lesson's own words, with marks (own_words.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/selection.hpp"

namespace attnscope {

/// A piece of prose in one style.
struct ToldPiece {
  enum class Kind : std::uint8_t { Plain, Strong, Formula, Number };
  enum class Hue : std::uint8_t { None, Query, Key, Value, SideB };  // of what a word stands for
  Kind kind = Kind::Plain;
  std::string text;  // numbers are computed
  int level = 0;     // of a formula: +1 raised, -1 lowered
  Hue hue = Hue::None;
};
using ToldProse = std::vector<ToldPiece>;

struct ToldParagraph {
  ToldProse prose;
  bool item = false;  // of a list
};

struct ToldChoice {
  ToldProse words, why;  // why: it is wrong; may be empty
  bool right = false;
};

struct ToldDrag {
  double low = 0, high = 1, tolerance = 0;
  std::optional<double> answer;  // empty: it cannot be computed
  std::string far, near;         // what is said when it is revealed
};

struct ToldQuestion {
  ToldProse words, answer;
  std::vector<ToldChoice> choices;  // in the order in which they are shown; empty: nothing to choose
  std::optional<ToldDrag> drag;
  bool is_sketched = false;  // a row or a curve
};

struct ToldCodeLine {
  bool marked = false, hidden = false;  // hidden: what it gives would answer the question
  std::string code, result;
  ToldProse note;
};

/// A matrix of weights of a layer by itself.
struct ToldSide {
  std::string title;
  bool is_b = false, covered = false;  // covered: by the lid
  std::int64_t head = 0;
  Cell cell;
};

struct ToldStep {
  std::string title, chapter;
  std::vector<ToldParagraph> paragraphs;
  std::optional<ToldQuestion> question;
  std::string task;  // what is to be done
  std::vector<ToldCodeLine> numpy, pytorch;
  std::vector<ToldSide> sides;  // empty: the picture alone shows what is looked at
  double plot_shape = 0;  // width by height of the picture down to the end of the plot above them; 0: none
  bool covered = false;   // the picture hides what is asked
};

}  // namespace attnscope

// app/walk: the matrices of both lines at their places: of the whole walk, or of some of its stages.
#pragma once

#include <functional>
#include <vector>

#include "app/walk/matrix.hpp"

namespace attnscope::walk {

/// Some of the stages; empty: all of them, or none, as it is said.
using SomeStages = std::function<bool(Stage)>;

struct Standing {
  std::vector<Panel> panels;
  MatrixPlaces arrangement;
  bool upright = false;  // whether the labels of the keys are
};
/// `shows`: the stages that have a matrix; empty: all.
Standing stand(const View&, const Box& area, const SomeStages& shows = {});

/// Scrolls to the chosen cell when that changes; the wheel scrolls freely.
void follow(const View&, const Standing&);

struct MatricesStyle {
  SomeStages covers = {};       // the stages whose numbers are covered; empty: none
  Lid lid = {};                 // covers the cells
  bool short_integers = false;  // a matrix of integers alone has no decimals
};
/// What is returned refers to all of the arguments.
std::vector<Matrix> draw_matrices(const View&, Contents&, const Standing&, const MatricesStyle& = {});

}  // namespace attnscope::walk

// app/views/model: the measures of one head beside chance, one per row.
#pragma once

#include <vector>

#include "app/scene/scene.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {

struct ScoreRow;

/// The rows of one frame: those that exist for the head.
class HeadScoreRows {
 public:
  HeadScoreRows(Scene&, const ModelHead&);

  /// The height of all rows with their headings; `row`: the height of one, device pixels.
  float height(float row) const;
  /// Leaves out the least informative row; false: only one is left.
  bool leave_one_out();
  void draw(const Box& area, float row) const;

 private:
  bool is_there(const ScoreRow&) const;
  bool are_effects_known() const;
  void draw_row(const ScoreRow&, const Box& line, const Box& bar, float rank_width) const;

  Scene& scene_;
  const Ui& ui_;
  const ModelReading& reading_;
  const ModelSpec& spec_;
  ModelHead head_;
  std::vector<const ScoreRow*> rows_;
};

}  // namespace attnscope

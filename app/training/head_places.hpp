// app/training: the places of the heads' pictures and what is written about a head: its numbers, its name,
// and whether its labels have room.
#pragma once

#include <vector>

#include "app/training/head_axes.hpp"
#include "app/training/head_facts.hpp"
#include "app/training/panels.hpp"

namespace attnscope {

/// The numbers of a head that are on screen.
std::vector<HeadFact> head_facts_of(const TrainingPanels& panels, const training::LabPoint& point,
                                    std::int64_t number);
/// Its name and what it is needed for; nothing where `point` is null.
HeadTitle head_title_of(const TrainingPanels& panels, const training::LabPoint* point, std::int64_t head);

/// The same for all heads: whether the word has a line of its own, and whether the badge is on it, too.
struct HeadLines {
  bool two = false, badge_below = false;
};
HeadLines lines_of_titles(const TrainingPanels& panels, const training::LabPoint* point, const Box& box);

/// How much room the picture has beside its numbers, and where these are.
struct HeadLayout {
  LabelledSquare square;
  bool beside = false, below = false, in_line = false;
};
HeadLayout layout_of_head(const TrainingPanels& panels, const ProbeText* text, std::int64_t rows,
                          const std::vector<HeadFact>& facts, float width, float height);

/// The cells of all heads, or of the one that is drawn alone.
struct HeadPlaces {
  Box inner;
  std::int64_t columns = 1;
  float wide = 0, high = 0;
  HeadLines titles;
  bool has_labels = false;
};
HeadPlaces place_heads(const TrainingPanels& panels, const training::LabPoint* point, const ProbeText* text,
                       std::int64_t rows, const Box& inner, float gap);

}  // namespace attnscope

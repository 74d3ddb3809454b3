// app/pages/model: "why did it look there?": the chosen cell and how its weight comes about, its score as
// a table of what met what, and what adds to the logit of a token.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/model/parts/parts.hpp"
#include "app/views/model/go_to_head.hpp"
#include "core/engine/model/model_why.hpp"
#include "core/readouts/part_groups.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// The newest split of the model on screen, kept in WhyState until the next is known; null: none yet, or the
/// model is shown without its changes.
const WhyReading* shown_why(Scene&);
/// Why there is none: a sentence.
std::string_view no_why(const Scene&);

/// What a group of parts is called: "head" and "20.0", "other" and "MLPs", "embedding" and nothing.
struct PartName {
  std::string kind, number;
  std::string line() const { return number.empty() ? kind : inner(kind) + " " + own(number); }
};
PartName part_name(const std::vector<StreamPart>&, const PartGroup&);
/// The head that a group is, if it is one.
std::optional<ModelHead> head_of(AttentionOf, const std::vector<StreamPart>&, const PartGroup&);
/// In the place of grid and head: why the head gave the chosen cell its weight.
void draw_model_why(Scene&, const ModelRegions&);
/// Sections of the controls beside it.
void split_section(Column&);
void norms_section(Column&);
void logit_section(Column&);
void path_section(Column&);

/// Ground and title of a region of the split. Where there is no split the region says why, and this is false.
struct WhyRegion {
  Rgba ground;
  std::string title, note;
  std::string problem = {};  // a sentence; empty: there is a split
};
bool begin_why(Scene&, const Box& region, const WhyRegion&);
/// What the keyboard is on, or the mouse where there is a head to go to.
void draw_link_marks(const Ui&, const Ui::Touch&, const Box&, bool is_link);

/// The arrows of the keyboard: the cell of the table that many rows and columns on is marked. False where no
/// table is shown.
bool step_why_part(Scene&, std::int64_t down, std::int64_t right);
/// The head of the marked cell is looked at: that of its query part, else that of its key part.
void go_to_marked_part(Scene&);

/// "+0.57", "−1.46".
std::string signed_number(double value);
/// The colour of a bar that adds or takes away.
Rgba colour_of_share(const Ui&, double value);

/// What a query's key is to it, where both are of one text: "same token", "first token", "previous token", a
/// token like the query's ("duplicate token"), or what followed one ("induction"); empty: none of these.
std::string_view role_of_cell(const std::vector<Token>&, std::int64_t query, std::int64_t key);

/// The strongest path behind the chosen cell, in the place of residual stream and prediction.
void draw_why_path(Scene&, const WhyReading*, const Box& region);
void draw_why_ladder(Scene&, const WhyReading*, const Box& region);
void draw_why_table(Scene&, const WhyReading*, const Box& region);
void draw_why_logit(Scene&, const WhyReading*, const Box& region);

}  // namespace attnscope

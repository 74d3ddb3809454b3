// app/pages/model: "why did it look there?": the computation of the chosen cell's weight, its score as a
// table of query parts by key parts, and the contributions to the logit of a token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/pages/model/parts/parts.hpp"
#include "app/views/model/go_to_head.hpp"
#include "core/engine/model/model_why.hpp"
#include "core/readouts/part_groups.hpp"
#include "core/text/token.hpp"

namespace attnscope {

/// The newest split of the model on screen, kept in WhyState until the next is computed; null: none yet, or
/// the model is shown without its changes.
const WhyReading* shown_why(Scene&);
/// A score's parts as the table shows them.
struct WhyGroups {
  std::int64_t query_parts = 0, key_parts = 0;  // the most groups, as in WhyState
  std::vector<PartGroup> queries, keys;
  TensorOf<double> cells;      // grouped_cells()
  std::vector<double> by_key;  // key_sums()
};
/// Of WhyState::shown, which must have a score. Computed once for a split and its numbers of groups: 48
/// layers of 25 heads make 1.8 million cells.
std::shared_ptr<const WhyGroups> why_groups(WhyState&);
/// A sentence that says why there is no split.
std::string_view no_why(const Scene&);

/// The name of a group of parts: "head" and "20.0", "other" and "MLPs", "embedding" and an empty number.
struct PartName {
  std::string kind, number;
  std::string line() const { return number.empty() ? kind : inner(kind) + " " + own(number); }
};
PartName part_name(const std::vector<StreamPart>&, const PartGroup&);
/// The head of a group that is a single head; else empty.
std::optional<ModelHead> head_of(AttentionOf, const std::vector<StreamPart>&, const PartGroup&);
/// Draws, instead of grid and head, why the head gave the chosen cell its weight.
void draw_model_why(Scene&, const ModelRegions&);
/// Sections of its controls.
void split_section(Column&);
void norms_section(Column&);
void logit_section(Column&);
void path_section(Column&);

/// Background and title of a region of the split. Without a split the region says why, and this is false.
struct WhyRegion {
  Rgba ground;
  std::string title, note;
  std::string problem = {};  // a sentence; empty: there is a split
};
bool begin_why(Scene&, const Box& region, const WhyRegion&);
/// Marks a part that has the keyboard's focus, or, if it leads to a head, the hovered one.
void draw_link_marks(const Ui&, const Ui::Touch&, const Box&, bool is_link);

/// Arrow keys: moves the marked cell of the table by that many rows and columns. False if no table is shown.
bool step_why_part(Scene&, std::int64_t down, std::int64_t right);
/// Shows the head of the marked cell: that of its query part, else that of its key part.
void go_to_marked_part(Scene&);

/// "+0.57", "−1.46".
std::string signed_number(double value);
/// The colour of a bar that adds or takes away.
Rgba colour_of_share(const Ui&, double value);

/// The relation of a key to its query in one text: "same token", "first token", "previous token", a token
/// equal to the query's ("duplicate token"), or one after such a token ("induction"); empty: none of these.
std::string_view role_of_cell(const std::vector<Token>&, std::int64_t query, std::int64_t key);

/// Draws the strongest path behind the chosen cell, instead of residual stream and prediction.
void draw_why_path(Scene&, const WhyReading*, const Box& region);
void draw_why_ladder(Scene&, const WhyReading*, const Box& region);
void draw_why_table(Scene&, const WhyReading*, const Box& region);
void draw_why_logit(Scene&, const WhyReading*, const Box& region);

}  // namespace attnscope

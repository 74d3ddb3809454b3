// app/views/heads: the statistics that heads can be sorted by, and the resulting order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/scene/scene.hpp"
#include "app/state/regions/heads_state.hpp"

namespace attnscope {

/// One statistic of a head, with its texts in the list and on thumbnails.
struct HeadStatistic {
  HeadOrder order;
  std::string_view name;                                                // in the list
  std::string_view short_name;                                          // before the number on a thumbnail
  std::string_view note;                                                // its definition, in the list
  double (*value)(const LayerResult&, std::int64_t b, std::int64_t h);  // NaN if the head has none
  int places;                                                           // decimal places on a thumbnail
};
/// In the order of HeadOrder.
std::span<const HeadStatistic> head_statistics();
const HeadStatistic& statistic(HeadOrder);
/// The statistic beside the entropy on thumbnails: that of the order; the largest weight for Index and
/// Entropy.
const HeadStatistic& shown_statistic(HeadOrder);
/// Whether the result has the statistic: gradients need a loss.
bool can_sort_by(const LayerResult&, HeadOrder);

/// The heads of the shown sequence in the order of the grid: the largest statistic first, heads without one
/// last, equal ones by index. The order stays while the mouse is on the grid or a button is held.
const std::vector<std::int64_t>& heads_in_order(Scene&);

}  // namespace attnscope

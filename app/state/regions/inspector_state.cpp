#include "app/state/regions/inspector_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(InspectorPage, {"cell", "row", "neurons", "vectors"});
ATTNSCOPE_NAMES(ProductOrder, {"size", "dimension", "sign"});
ATTNSCOPE_NAMES(NeuronStrip, {"key", "product", "value"});

void fields(PageFields& visit, InspectorState& inspector) {
  visit("page", inspector.page);
  visit("pinned", inspector.pinned);
  visit("expanded", inspector.expanded);
  visit("products", inspector.products);
  visit("row_by_weight", inspector.row_by_weight);
  visit("by_contribution", inspector.by_contribution);
  visit("strip", inspector.strip);
  visit("product_row", inspector.product_row, 0, 1 << 30, InUndo::No);
  visit("key_row", inspector.key_row, 0, 1 << 30, InUndo::No);
  visit("large_row", inspector.large_row, 0, 1 << 30, InUndo::No);
}

}  // namespace attnscope

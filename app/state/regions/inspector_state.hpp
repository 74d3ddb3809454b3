// app/state/regions: how the inspector and the neuron view show the chosen cell. Nothing in here changes a
// number.
#pragma once

#include <cstdint>
#include <vector>

#include "app/state/page/page_state.hpp"

namespace attnscope {

/// One cell with every number, its whole row, the row dimension by dimension, or the cell's vectors.
enum class InspectorPage : std::uint8_t { Cell, Row, Neurons, Vectors };
/// Order of the products q_d · k_d: by magnitude, the largest first; by dimension; or from the most positive
/// to the most negative.
enum class ProductOrder : std::uint8_t { Size, Dimension, Sign };
/// The strip that the narrow neuron view shows: it has room for one.
enum class NeuronStrip : std::uint8_t { Key, Product, Value };

struct InspectorState {
  InspectorPage page = InspectorPage::Cell;
  bool pinned = false;    // stays with the locked cell while hovering previews others
  bool expanded = false;  // the neuron view is large and replaces the focus
  ProductOrder products = ProductOrder::Size;
  bool row_by_weight = false;    // keys of the row by weight, not by position
  bool by_contribution = false;  // neuron view: dimensions by contribution to the chosen key, not in order
  NeuronStrip strip = NeuronStrip::Product;
  // The first rows in sight: of the products, of the keys on the pages, of the keys in the large neuron view.
  std::int64_t product_row = 0, key_row = 0, large_row = 0;
  // While a number is edited: the order of the products, so that the edited row does not move. And the
  // dimension whose origin is shown.
  std::vector<std::int64_t> held_order;
  std::int64_t explained = 0;
  bool operator==(const InspectorState&) const = default;
};

/// Visits the fields that a session keeps.
void fields(PageFields&, InspectorState&);

inline InspectorState& inspector_of(ViewState& view) { return pages_of(view).of<InspectorState>(); }
inline const InspectorState& inspector_of(const ViewState& view) {
  return pages_of(view).of<InspectorState>();
}

}  // namespace attnscope

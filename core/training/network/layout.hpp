// core/training/network: where the weights of a network lie: one array for all of them, so that an optimiser,
// a sum of gradients and a snapshot are each one loop. Gradients, and the optimiser's averages, have the same
// layout.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/training/network/spec.hpp"

namespace attnscope::training {

/// A block of the array, [rows][columns] row by row; a vector has one row.
struct Parameter {
  std::string name;  // "1.query_key_value.weight"
  std::int64_t at = 0;
  int rows = 1, columns = 1;
  bool decays = false;  // matrices and tables do; norms and biases do not
  std::int64_t size() const { return std::int64_t{rows} * columns; }
};

/// x · W + bias, W [d_in][d_out].
struct MapAt {
  std::int64_t weight = -1, bias = -1;  // -1 = none
  int d_in = 0, d_out = 0;
};
struct NormAt {
  std::int64_t weight = -1, bias = -1;
};

struct BlockLayout {
  NormAt attention_norm, mlp_norm;  // of NormKind::None: -1
  MapAt maps;                       // queries of all heads, keys, values side by side: [d][3 · inside]
  std::int64_t query_norm = -1, key_norm = -1;
  MapAt output, up, down;
};

struct Layout {
  std::vector<Parameter> parameters;  // in the order of the array
  std::int64_t size = 0;              // numbers of the array; those between the parameters stay 0
  std::int64_t token_table = -1, position_table = -1, class_token = -1;
  MapAt patches;
  std::vector<BlockLayout> blocks;
  NormAt final_norm;
  std::vector<MapAt> read_outs;  // tied ones have the table's place, [classes][d]

  std::int64_t count() const;  // of numbers that are learned
};

Layout layout_of(const NetworkSpec&);

/// Draws the weights: a parameter's numbers depend on the seed and its name alone, the same bits on every
/// machine.
template <class T>
void draw(const NetworkSpec&, const Layout&, std::uint64_t seed, T* weights);

}  // namespace attnscope::training

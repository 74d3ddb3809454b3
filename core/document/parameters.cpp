#include "core/document/parameters.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace attnscope {
namespace {

constexpr bool parameters_in_order() {
  for (std::size_t i = 0; i < parameter_count; ++i)
    if (parameter_table[i].parameter != static_cast<Parameter>(i)) return false;
  return true;
}
static_assert(parameters_in_order(), "info() takes the row with the number of its enumerator");

Parameter of_projection(Projection projection, ParameterKind kind) {
  const auto* row = std::ranges::find_if(parameter_table, [&](const ParameterInfo& each) {
    return each.kind == kind && each.projection == projection;
  });
  return row->parameter;
}

std::string_view words_of(Extent extent) {
  switch (extent) {
    case Extent::None:
    case Extent::TableRows: break;
    case Extent::Model:
    case Extent::QuerySource:
    case Extent::KeySource:
    case Extent::ValueSource:
    case Extent::LatentSource: return "d_model";
    case Extent::Latent: return "latent + shared key";
    case Extent::Content: return "latent";
    case Extent::QueryLatent: return "latent of queries";
    case Extent::QueryHeads: return "heads · d_k";
    case Extent::KeyHeads:
    case Extent::WholeKeyHeads: return "kv heads · d_k";
    case Extent::ValueHeads: return "kv heads · d_v";
    case Extent::MixedHeads: return "heads · d_v";
    case Extent::Positions: return "positions";
    case Extent::Heads: return "heads";
    case Extent::HeadWidth: return "d_k";
    case Extent::NormedQuery:
    case Extent::NormedKey: return "d_k";  // or the heads' · d_k
    case Extent::Inner: return "d_inner";
  }
  return {};
}

}  // namespace

Parameter matrix_of(Projection projection) { return of_projection(projection, ParameterKind::Matrix); }
Parameter bias_of(Projection projection) { return of_projection(projection, ParameterKind::Bias); }

std::int64_t size_of(Extent extent, const ParameterSizes& sizes) {
  switch (extent) {
    case Extent::None: break;
    case Extent::Model: return sizes.d_model;
    case Extent::QuerySource: return sizes.query_latent > 0 ? sizes.query_latent : sizes.d_model;
    case Extent::KeySource: return sizes.latent > 0 ? sizes.latent : sizes.key_source;
    case Extent::ValueSource: return sizes.latent > 0 ? sizes.latent : sizes.value_source;
    case Extent::LatentSource: return sizes.key_source;
    case Extent::Latent: return sizes.latent + sizes.shared_key;
    case Extent::Content: return sizes.latent;
    case Extent::QueryLatent: return sizes.query_latent;
    case Extent::QueryHeads: return sizes.heads * sizes.d_k;
    case Extent::KeyHeads: return sizes.kv_heads * (sizes.d_k - sizes.shared_key);
    case Extent::WholeKeyHeads: return sizes.kv_heads * sizes.d_k;
    case Extent::ValueHeads: return sizes.kv_heads * sizes.d_v;
    case Extent::MixedHeads: return sizes.heads * sizes.d_v;
    case Extent::Positions: return sizes.positions;
    case Extent::TableRows: return sizes.table_rows;
    case Extent::Heads: return sizes.heads;
    case Extent::HeadWidth: return sizes.d_k;
    case Extent::NormedQuery: return sizes.norms_all_heads ? sizes.heads * sizes.d_k : sizes.d_k;
    case Extent::NormedKey: return sizes.norms_all_heads ? sizes.kv_heads * sizes.d_k : sizes.d_k;
    case Extent::Inner: return sizes.inner;
  }
  return 0;
}

Shape shape_of(const ParameterInfo& row, const ParameterSizes& sizes) {
  const std::int64_t first = size_of(row.extents[0], sizes);
  return row.rank() == 1 ? Shape{first} : Shape{first, size_of(row.extents[1], sizes)};
}

std::string shape_words(const ParameterInfo& row) {
  const std::string_view first = row.extents[0] == Extent::TableRows ? row.rows : words_of(row.extents[0]);
  return row.rank() == 1 ? fmt::format("[{}]", first)
                         : fmt::format("[{}, {}]", first, words_of(row.extents[1]));
}

}  // namespace attnscope

// The table of parameters: complete, without two rows of one name, and with the shapes of a layer.
#include "core/document/parameters.hpp"

#include <set>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/sources.hpp"
#include "core/document/document_tensors.hpp"
#include "core/edits/numbers.hpp"
#include "core/samples.hpp"

namespace attnscope::parameters_test {

TEST_CASE("Every parameter has a row, with names of its own") {
  std::set<std::string_view> names, ids, keys, layer_keys;
  std::size_t at = 0, held_in_layers = 0;
  for (const ParameterInfo& row : parameter_table) {
    INFO(row.name);
    CHECK(row.parameter == static_cast<Parameter>(at++));
    CHECK(&info(row.parameter) == &row);
    CHECK(names.insert(row.name).second);
    CHECK(ids.insert(row.id).second);
    CHECK(keys.insert(row.key).second);
    if (!row.layer_key.empty()) {
      CHECK(layer_keys.insert(row.layer_key).second);
      ++held_in_layers;
    }
    const bool projected = row.kind == ParameterKind::Matrix || row.kind == ParameterKind::Bias;
    CHECK(row.projection.has_value() == projected);
    if (row.kind == ParameterKind::Matrix) {
      CHECK(matrix_of(*row.projection) == row.parameter);
      CHECK(info(bias_of(*row.projection)).columns() == row.columns());
    }
  }
  CHECK(held_in_layers == 10);
}

TEST_CASE("Shapes of parameters follow from the sizes of the layer") {
  const ParameterSizes sizes{.d_model = 12,
                             .key_source = 7,
                             .value_source = 5,
                             .heads = 4,
                             .kv_heads = 2,
                             .d_k = 3,
                             .d_v = 6,
                             .positions = 20,
                             .inner = 9,
                             .table_rows = 32};
  const auto shape = [&](Parameter which) { return shape_of(info(which), sizes); };
  CHECK(shape(Parameter::WQuery) == Shape{12, 12});
  CHECK(shape(Parameter::WKey) == Shape{7, 6});
  CHECK(shape(Parameter::WValue) == Shape{5, 12});
  CHECK(shape(Parameter::WOutput) == Shape{24, 12});
  CHECK(shape(Parameter::BQuery) == Shape{12});
  CHECK(shape(Parameter::BKey) == Shape{6});
  CHECK(shape(Parameter::BValue) == Shape{12});
  CHECK(shape(Parameter::BOutput) == Shape{12});
  CHECK(shape(Parameter::BiasK) == Shape{6});
  CHECK(shape(Parameter::BiasV) == Shape{12});
  CHECK(shape(Parameter::PositionTable) == Shape{20, 12});
  CHECK(shape(Parameter::RelativeBias) == Shape{32, 4});
  CHECK(shape(Parameter::WindowBias) == Shape{32, 4});
  CHECK(shape(Parameter::RelativeVectors) == Shape{32, 12});
  CHECK(shape(Parameter::QueryNorm) == Shape{3});
  CHECK(shape(Parameter::KeyNorm) == Shape{3});
  CHECK(shape(Parameter::SinkLogits) == Shape{4});
  CHECK(shape(Parameter::WQueryLatent) == Shape{12, 0});
  ParameterSizes latent = sizes;
  latent.latent = 8;
  latent.shared_key = 1;
  latent.query_latent = 10;
  const auto shape_with_latent = [&](Parameter which) { return shape_of(info(which), latent); };
  CHECK(shape_with_latent(Parameter::WLatent) == Shape{7, 9});
  CHECK(shape_with_latent(Parameter::LatentNorm) == Shape{8});
  CHECK(shape_with_latent(Parameter::WQueryLatent) == Shape{12, 10});
  CHECK(shape_with_latent(Parameter::QueryLatentNorm) == Shape{10});
  CHECK(shape_with_latent(Parameter::WQuery) == Shape{10, 12});
  CHECK(shape_with_latent(Parameter::WKey) == Shape{8, 4});
  CHECK(shape_with_latent(Parameter::BKey) == Shape{4});
  CHECK(shape_with_latent(Parameter::WValue) == Shape{8, 12});
  CHECK(shape_with_latent(Parameter::BiasK) == Shape{6});
  CHECK(shape(Parameter::MlpNormBias) == Shape{12});
  CHECK(shape(Parameter::WUp) == Shape{12, 9});
  CHECK(shape(Parameter::BGate) == Shape{9});
  CHECK(shape(Parameter::WDown) == Shape{9, 12});
  CHECK(shape_words(info(Parameter::KeyNorm)) == "[d_k]");
  CHECK(shape_words(info(Parameter::WKey)) == "[d_model, kv heads · d_k]");
  CHECK(shape_words(info(Parameter::BOutput)) == "[d_model]");
  CHECK(shape_words(info(Parameter::RelativeBias)) == "[buckets, heads]");
  CHECK(shape_words(info(Parameter::WindowBias)) == "[(2 · side - 1)², heads]");
  CHECK(shape_words(info(Parameter::RelativeVectors)) == "[2 · span, d_model]");
}

TEST_CASE("The tables of positions have rows by the settings of their kind") {
  LayerSpec layer;
  layer.position_settings = {.buckets = 20, .span = 5};
  layer.masking.sparsity.side = 2;
  for (const ParameterInfo& row : parameter_table) {
    INFO(row.name);
    CHECK((row.kind == ParameterKind::Position) == row.scheme.has_value());
    CHECK((row.extents[0] == Extent::TableRows) == !row.rows.empty());
    if (!row.scheme) continue;
    layer.positions = *row.scheme;
    CHECK(table_of(layer.positions) == row.parameter);
    CHECK((table_rows(layer) > 0) == (row.extents[0] == Extent::TableRows));
  }
  const auto rows = [&](Positions positions) {
    layer.positions = positions;
    return table_rows(layer);
  };
  CHECK(rows(Positions::RelativeBuckets) == 20);
  CHECK(rows(Positions::RelativeWindows) == 9);
  CHECK(rows(Positions::Disentangled) == 10);
  CHECK(rows(Positions::Alibi) == 0);
}

TEST_CASE("Every parameter of a Document is one of its blocks and goes into the computation") {
  samples::Random random(4);
  Document document = samples::text_document(random, {3}, 2, 8);
  for (const ParameterInfo& row : parameter_table) {
    INFO(row.name);
    const auto own = std::make_shared<const Tensor>(Shape{2, 3});
    document.layer().weights[row.parameter] = own;
    int found = 0;
    for_each_tensor(document, [&](const TensorPtr& block) { found += block == own; });
    CHECK(found == 1);
    CHECK(sources_of<float>(document)[row.parameter] == own);
    REQUIRE(sources_of<double>(document)[row.parameter]);
    CHECK(sources_of<double>(document)[row.parameter]->shape() == Shape{2, 3});
    const bool editable = row.kind == ParameterKind::Matrix || row.kind == ParameterKind::Bias ||
                          row.kind == ParameterKind::ExtraRow;
    if (!editable) continue;
    CHECK(parameter_of(editable_of(row.parameter)) == row.parameter);
    CHECK(numbers_of(document, editable_of(row.parameter)) == own);
  }
}

}  // namespace attnscope::parameters_test

// A watched layer opened as a Document has the weights that the process computed with.
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/document/mask.hpp"
#include "core/watch/watched_weights.hpp"
#include "support/temporary_directory.hpp"
#include "support/watched_model.hpp"

namespace attnscope::watch_document_test {

using attnscope::test::as_read;
using attnscope::test::grown;
using attnscope::test::message_of;
using attnscope::test::ModelLayer;
using attnscope::test::WatchedModel;
using Mask = ModelLayer::Mask;

namespace {

/// The largest difference between the Document's weights and those of the layer's last rows.
double difference(const WatchedSnapshot& text, const Document& document, const Work& work) {
  const Trace trace = run_stages(work, document, sources_of<float>(document));
  const Tensor& weights = *trace[Stage::Softmax];
  const WatchedLayer& layer = *text.layers[0];
  const Shape& s = weights.shape();
  if (s[1] != layer.heads || s[0] != layer.batch) return INFINITY;
  double largest = 0;
  for (std::int64_t b = 0; b < s[0]; ++b)
    for (std::int64_t h = 0; h < s[1]; ++h) {
      const Tensor expected = watched_weights(layer, {h, b, layer.rows() - s[2], -1}, work);
      const auto found = weights.matrix(b, h);
      largest = std::max(largest, double{(found - expected.matrix().leftCols(s[3])).cwiseAbs().maxCoeff()});
      if (s[3] < layer.keys() && expected.matrix().rightCols(layer.keys() - s[3]).cwiseAbs().maxCoeff() > 0)
        return INFINITY;
    }
  return largest;
}

}  // namespace

TEST_CASE("a watched layer opens as a Document with the same weights", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const std::vector<std::pair<std::string, ModelLayer>> cases{
      {"plain", {}},
      {"soft-cap, scale and sinks", {.scale = 1.5, .soft_cap = 2, .has_sinks = true}},
      {"window", {.window = 3}},
      {"mask and bias",
       {.mask_per_head = true, .mask_per_sequence = true, .mask = Mask::Boolean, .has_bias = true}},
      {"mask of all heads", {.mask = Mask::Added}},
      {"bfloat16", {.dtype = "BF16"}}};
  for (const auto& [name, layer] : cases) {
    INFO(name);
    const WatchedModel model(1, 2, 9, {layer});
    const WatchedSnapshotPtr text = grown(model, 5, 9);
    const Document document = watched_document(*text, 0, "TestModel");
    CHECK(document.title == "TestModel · layer 0");
    CHECK(document.input.given().query->shape() == Shape{2, 4, 9, 8});
    CHECK(document.input.given().key->shape() == Shape{2, 2, 9, 8});
    CHECK(difference(*text, document, work) < 1e-6);
    REQUIRE(document.input.sequences.size() == 2);
    CHECK(document.input.sequences[1].tokens[8].text == fmt::to_string(model.id(1, 8)));
    ModelLayer open = layer;
    open.causal = false;
    open.kind = "encoder";
    const WatchedSnapshotPtr whole = grown(WatchedModel(1, 2, 9, {open}), 9, 9);
    CHECK(difference(*whole, watched_document(*whole, 0, ""), work) < 1e-6);
  }
}

TEST_CASE("of rows with a gap a Document has the last ones, behind their cache", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  for (const std::int64_t window : {0, 4}) {
    const WatchedModel model(2, 1, 20, {ModelLayer{.window = window}});
    WatchedText text;
    text.take(as_read(model.records({0, 0, 6})));
    text.take(as_read(model.records({4, 12, 1, true}), 6));
    text.take(as_read(model.records({5, 13, 1})));
    const Document document = watched_document(*text.snapshot(), 0, "");
    CHECK(document.input.given().query->shape() == Shape{1, 4, 2, 8});
    CHECK(document.input.given().key->shape() == Shape{1, 2, 14, 8});
    CHECK(MaskRule(document).position(0, 0) == 12);
    CHECK(document.input.sequences[0].tokens.size() == 14);
    CHECK(document.input.sequences[0].tokens[7].text == "7");
    CHECK(difference(*text.snapshot(), document, work) < 1e-6);
  }
}

TEST_CASE("cross-attention has the labels of both texts", "[watch]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const WatchedModel model(3, 1, 7, {ModelLayer{.kind = "cross", .causal = false}});
  std::vector<test::WatchRecordBytes> records = model.records({0, 0, 7});
  const WatchedModel queries(3, 1, 3, {ModelLayer{.kind = "cross", .causal = false}});
  records[0].blobs[0].second = queries.call({0, 0, 3}, 0).blobs[0].second;
  records.back() = queries.records({0, 0, 3}).back();
  records.back().fields["memory_tokens"] = {"a", "b", "c", "d", "e", "f", "g"};
  WatchedText text;
  text.take(as_read(records));
  const Document document = watched_document(*text.snapshot(), 0, "");
  CHECK(difference(*text.snapshot(), document, work) < 1e-6);
  CHECK(document.input.sequences[0].tokens.size() == 3);
  CHECK(document.input.sequences[0].tokens[2].text == fmt::to_string(queries.id(0, 2)));
  REQUIRE(document.input.memory.size() == 1);
  CHECK(document.input.memory[0].tokens[6].text == "g");
}

TEST_CASE("a layer that is not known opens nothing", "[watch]") {
  const WatchedModel model(1, 1, 4, {ModelLayer{}});
  const WatchedSnapshotPtr text = grown(model, 4, 4);
  CHECK(test::is_sentence(message_of<Error>([&] { watched_document(*text, 1, ""); })));
  CHECK(test::is_sentence(message_of<Error>([&] { watched_document(WatchedSnapshot{}, 0, ""); })));
}

}  // namespace attnscope::watch_document_test

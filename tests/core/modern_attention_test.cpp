// Properties of newer parts of the layer: sinks, QK-norm, scaled rotary positions; and their numbers under
// edits of settings. stages_test.cpp and gradients_test.cpp compare them with the float64 oracle, through
// random Documents.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/positions.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/document/open.hpp"
#include "core/samples.hpp"

namespace attnscope::modern_attention_test {
namespace {

TraceOf<double> run(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<double>(document));
}

Document sentence_of(std::int64_t tokens) {
  samples::Random random(11);
  return samples::text_document(random, {tokens}, 2, 8);
}

/// A text whose weights a recipe makes.
Document made(int heads) {
  Document document;
  document.input.sequences = {samples::sentence(5)};
  document.layer().d_model = 16;
  return edit::recipe(edit::heads(document, heads), Recipe::Random);
}

}  // namespace

TEST_CASE("A sink at 0 is a key of zeros without a column of its own") {
  Document with_key = sentence_of(6), with_sink = with_key;
  with_key.layer().add_zero_attn = true;
  with_sink = edit::sinks(std::move(with_sink), true);
  const TraceOf<double> key = run(with_key), sink = run(with_sink);
  const auto mixed = compare::in_double(*key[Stage::Mix]);
  CHECK(compare::difference(*sink[Stage::Mix], mixed, 1e-14) == "");
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(with_sink);
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t i = 0; i < 6; ++i) {
      const auto row = sink[Stage::Softmax]->matrix(0, h).row(i);
      const RowMeasures& measured = result->layer().measures.row(0, h, i);
      CHECK(std::abs(measured.sink - (1 - row.sum())) < 1e-6);
      CHECK(std::abs(measured.sink - key[Stage::Softmax]->matrix(0, h)(i, 6)) < 1e-6);
    }
}

TEST_CASE("A sink takes all of a row without a key, whatever such a row is to hold") {
  Document document = edit::sinks(sentence_of(4), true);
  document.layer().masking.causal = true;
  document.layer().masking.mistake = MaskMistake::DiagonalToo;  // the first query sees nothing
  for (const EmptyRow empty : {EmptyRow::Zeros, EmptyRow::NotANumber, EmptyRow::Uniform}) {
    document.layer().empty_row = empty;
    const TraceOf<double> trace = run(document);
    for (std::int64_t j = 0; j < 4; ++j) CHECK(trace[Stage::Softmax]->matrix(0, 0)(0, j) == 0);
  }
}

TEST_CASE("Sinks stay with their heads, in edits and in files") {
  Document document = edit::sink(edit::sinks(made(2), true), 1, -2.5f);
  const auto logits = [](const Document& of) {
    const auto values = of.layer().weights[Parameter::SinkLogits]->values();
    return std::vector<float>(values.begin(), values.end());
  };
  CHECK(logits(document) == std::vector<float>{0, -2.5f});
  CHECK(edit::sink(document, 2, 1) == document);
  CHECK(edit::sink(document, 0, NAN) == document);
  CHECK(logits(edit::heads(document, 4)) == std::vector<float>{0, -2.5f, 0, 0});
  CHECK(logits(document_from_json(to_json(document), "a.json")) == logits(document));
  CHECK_FALSE(edit::sinks(document, false).layer().weights[Parameter::SinkLogits]);
  CHECK_THROWS_AS(document_from_json(R"({"attnscope": 1, "text": ["a b"], "sinks": [1, 2, 3]})", "a.json"),
                  Error);
}

TEST_CASE("Normed queries and keys bound the scores, however large the projections are") {
  samples::Random random(3);
  for (const QkNorm::Kind kind : {QkNorm::Kind::RootMeanSquare, QkNorm::Kind::Layer}) {
    Document document = sentence_of(5);
    document.layer().weights[Parameter::WQuery] = random.tensor({8, 8}, 1000);
    document = edit::qk_norm(std::move(document), kind);
    const TraceOf<double> trace = run(document);
    for (const double score : trace[Stage::Scale]->values()) CHECK(std::abs(score) <= 2.000001);  // √d_k
    for (std::int64_t i = 0; i < 5; ++i) {
      const auto q = trace[Stage::NormQuery]->matrix(0, 1).row(i);
      CHECK(std::abs(q.squaredNorm() / 4 - 1) < 1e-4);
      if (kind == QkNorm::Kind::Layer) CHECK(std::abs(q.sum()) < 1e-12);
    }
  }
}

TEST_CASE("Keys of no token are not normed, and linear attention reads normed queries and keys") {
  samples::Random random(8);
  Document document = edit::qk_norm(sentence_of(3), QkNorm::Kind::RootMeanSquare);
  document.layer().weights[Parameter::BiasK] = random.tensor({8}, 5);
  document.layer().weights[Parameter::BiasV] = random.tensor({8});
  document.layer().linear = true;
  const TraceOf<double> trace = run(document);
  CHECK(trace[Stage::NormKey]->matrix(0, 0).row(3) == trace[Stage::Key]->matrix(0, 0).row(3));
  CHECK(trace[Stage::NormKey]->matrix(0, 0).row(2) != trace[Stage::Key]->matrix(0, 0).row(2));
  Document plain = document;
  plain.layer().qk_norm = {};
  CHECK(*run(plain)[Stage::Linear] != *trace[Stage::Linear]);
}

TEST_CASE("The weights of a norm begin at 1 and follow the width of the heads") {
  Document document = edit::qk_norm(made(2), QkNorm::Kind::Layer);
  REQUIRE(document.layer().weights[Parameter::KeyNorm]);
  CHECK(document.layer().weights[Parameter::KeyNorm]->shape() == Shape{8});
  for (const float w : document.layer().weights[Parameter::QueryNorm]->values()) CHECK(w == 1);
  document = edit::d_k(std::move(document), 3);
  CHECK(document.layer().weights[Parameter::KeyNorm]->shape() == Shape{3});
  CHECK(document_from_json(to_json(document), "a.json").layer().weights[Parameter::KeyNorm]);
  document = edit::qk_norm(std::move(document), QkNorm::Kind::None);
  CHECK_FALSE(document.layer().weights[Parameter::KeyNorm]);
}

TEST_CASE("Scaled rotary positions: half speed, and a base that waits for long texts") {
  Document document = sentence_of(6);
  document.layer().positions = Positions::RopeHalf;
  const Dimensions size = check(document);
  const Rotation<double> plain = query_rotation<double>(document, size);
  PositionSettings& settings = document.layer().position_settings;
  settings.rope_scaling = RopeScaling::Linear;
  settings.rope_factor = 2;
  const Rotation<double> slower = query_rotation<double>(document, size);
  CHECK((slower.cosine.matrix(0).row(4) - plain.cosine.matrix(0).row(2)).norm() < 1e-14);
  settings.rope_scaling = RopeScaling::Dynamic;
  settings.rope_trained = 6;
  CHECK(query_rotation<double>(document, size).sine == plain.sine);
  settings.rope_trained = 5;
  CHECK(query_rotation<double>(document, size).sine != plain.sine);
}

}  // namespace attnscope::modern_attention_test

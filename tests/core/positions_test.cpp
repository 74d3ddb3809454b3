// The kinds of positions: buckets, slopes and rotations against their papers, and properties of each.
#include "core/attention/positions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/streamed_document.hpp"
#include "core/random_documents.hpp"
#include "core/transformer/positions/alibi.hpp"
#include "core/transformer/positions/disentangled.hpp"
#include "core/transformer/positions/relative_buckets.hpp"
#include "core/transformer/positions/relative_windows.hpp"
#include "oracle/positions.hpp"
#include "support/seeds.hpp"

namespace attnscope::positions_test {
namespace {

Trace run(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<float>(document));
}

/// A text of one sentence with plain weights.
Document sentence_of(std::int64_t tokens, Positions positions) {
  samples::Random random(4);
  Document document = samples::text_document(random, {tokens}, 2, 8);
  document.layer().positions = positions;
  return document;
}

/// x [1][1][1][d] rotated to `position`.
TensorOf<double> turned(const TensorOf<double>& x, std::int64_t position, bool interleaved,
                        bool back = false) {
  ThreadPool caller_only(1);
  RopeSettings plain;
  plain.base = 10000;
  plain.rotated = x.shape()[3] / 2 * 2;
  const Positions kind = interleaved ? Positions::RopeInterleaved : Positions::RopeHalf;
  return rotate(Work{caller_only, {}}, x, rotation_at<double>({&position, 1}, 1, plain, kind, 0), back);
}

}  // namespace

TEST_CASE("Relative buckets are T5's") {
  // 32 buckets to 128 tokens on both sides: the boundaries of the released models.
  const std::vector<std::int64_t> starts{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  for (std::int64_t away = 0; away < 300; ++away) {
    std::int64_t bucket = 0;
    while (bucket + 1 < std::ssize(starts) && starts[static_cast<std::size_t>(bucket + 1)] <= away) ++bucket;
    INFO("distance " << away);
    CHECK(relative_bucket(-away, 32, 128, true) == bucket);
    CHECK(relative_bucket(away, 32, 128, true) == (away == 0 ? 0 : 16 + bucket));
    CHECK(relative_bucket(away, 32, 128, false) == 0);  // later keys share one bucket
  }
  for (int buckets = 4; buckets <= 64; buckets += 2) {
    for (const bool two_sided : {false, true}) {
      for (const int more : {1, 2, 7, 40, 128, 1000}) {
        const int most = buckets / (two_sided ? 4 : 2) + more;
        bool same = true;
        for (std::int64_t away = -1500; away <= 1500; away += away < -40 || away > 40 ? 7 : 1) {
          const std::int64_t found = relative_bucket(away, buckets, most, two_sided);
          same = same && found == oracle::t5_bucket(away, buckets, most, two_sided) && found < buckets;
        }
        INFO(buckets << " buckets to " << most << ", two-sided " << two_sided);
        CHECK(same);
      }
    }
  }
}

TEST_CASE("Slopes of ALiBi are the paper's") {
  const std::vector<double> eight = alibi_slopes(8);
  for (std::size_t h = 0; h < 8; ++h) CHECK(eight[h] == std::ldexp(1.0, -static_cast<int>(h) - 1));
  for (std::int64_t heads = 1; heads <= 70; ++heads) {
    const std::vector<double> found = alibi_slopes(heads);
    INFO(heads << " heads");
    CHECK(compare::difference(std::span<const double>(found),
                              oracle::alibi_slopes(static_cast<std::size_t>(heads)), 1e-12) == "");
  }
}

TEST_CASE("A bias by distance is the same from a layer and from a model's numbers, one by one and in a row") {
  for (const Positions kind : {Positions::Alibi, Positions::RelativeBuckets}) {
    CAPTURE(static_cast<int>(kind));
    Document document = sentence_of(5, kind);
    const PositionSettings& settings = document.layer().position_settings;
    Tensor table(Shape{settings.buckets, 3});
    for (std::int64_t i = 0; i < table.size(); ++i) table.data()[i] = static_cast<float>(i * 37 % 101) / 64;
    const auto of_layer = position_bias(bias_source(document, 3, &std::as_const(table)));
    const auto of_model = position_bias<float>(
        {.scheme = kind, .settings = settings, .image = {}, .heads = 3, .table = &table, .seed = 0});
    const std::vector<double> slopes = alibi_slopes(3);
    for (std::int64_t h = 0; h < 3; ++h) {
      std::vector<float> row(400);
      of_model->fill(h, 250, row);
      for (std::int64_t i = 0; i < 400; ++i) {
        const std::int64_t distance = i - 250;
        const float expected =
            kind == Positions::Alibi
                ? static_cast<float>(-slopes[static_cast<std::size_t>(h)] *
                                     static_cast<double>(std::abs(distance)))
                : table.matrix()(relative_bucket(distance, settings.buckets, settings.bucket_distance,
                                                 settings.buckets_two_sided),
                                 h);
        CHECK(row[static_cast<std::size_t>(i)] == expected);
        CHECK(of_layer->at(h, 7, 7 + distance) == expected);
      }
    }
  }
}

TEST_CASE("Rotary scores depend on the distance alone") {
  samples::Random random(seeds::of_case("rotary", 0));
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t d = random.between(2, 9);
    TensorOf<double> q(Shape{1, 1, 1, d}), k(q.shape());
    for (double& value : q.values()) value = random.normal();
    for (double& value : k.values()) value = random.normal();
    const std::int64_t i = random.between(-20, 50), j = random.between(0, 50), far = random.between(-40, 400);
    const bool interleaved = random.coin();
    const auto dot = [&](std::int64_t query, std::int64_t key) {
      const auto a = turned(q, query, interleaved), b = turned(k, key, interleaved);
      return a.matrix().row(0).dot(b.matrix().row(0));
    };
    CHECK(std::abs(dot(i, j) - dot(i + far, j + far)) < 1e-11);
    CHECK(std::abs(turned(q, i, interleaved).matrix().norm() - q.matrix().norm()) < 1e-12);
    const auto there_and_back = turned(turned(q, i, interleaved), i, interleaved, true);
    CHECK(compare::difference(there_and_back, compare::in_double(q), 1e-13) == "");
    CHECK(turned(q, 0, interleaved) == q);
    if (d % 2 == 1) CHECK(turned(q, i, interleaved).values().back() == q.values().back());
  }
}

TEST_CASE("The two layouts of rotary positions are one with the dimensions in another order") {
  samples::Random random(seeds::of_case("rotary", 1));
  TensorOf<double> halves(Shape{1, 1, 1, 8}), pairs(halves.shape());
  for (std::size_t i = 0; i < 4; ++i) {
    pairs.values()[2 * i] = halves.values()[i] = random.normal();
    pairs.values()[2 * i + 1] = halves.values()[i + 4] = random.normal();
  }
  const auto a = turned(halves, 13, false), b = turned(pairs, 13, true);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(a.values()[i] == b.values()[2 * i]);
    CHECK(a.values()[i + 4] == b.values()[2 * i + 1]);
  }
}

TEST_CASE("A layer does with each kind of positions what their table says") {
  for (const PositionFacts& row : position_schemes) {
    INFO(row.key);
    Document document = sentence_of(9, row.scheme);
    const Trace trace = run(document);
    CHECK((trace[Stage::Position] != trace[Stage::Embed]) == is_added_to_tokens(row.scheme));
    CHECK((trace[Stage::RotateQuery] != trace[Stage::NormQuery]) == is_rotary(row.scheme));
    CHECK(static_cast<bool>(trace[Stage::Bias]) == is_added_to_scores(row.scheme));
    CHECK(make_problem(document, trace, 0).why_not == row.not_streamed);
    document.input.numbers = Given{trace[Stage::Query], trace[Stage::Key], trace[Stage::Value]};
    document.layer().weights.recipe = Recipe::Given;
    const Trace given = run(document);
    const bool acts = given[Stage::RotateQuery] != given[Stage::NormQuery] || given[Stage::Bias];
    CHECK(acts == (!row.of_tokens && row.scheme != Positions::None));
    CHECK(make_problem(document, given, 0).why_not == (acts ? row.not_streamed : ""));
  }
}

TEST_CASE("Learned positions without a table are a vector for each place, from the seed") {
  Document document = sentence_of(9, Positions::Learned);
  document.input.sequences.change().push_back(samples::sentence(4, "other"));
  const auto added = [](const Document& of) {
    const Trace trace = run(of);
    return (trace[Stage::Position]->matrix(0) - trace[Stage::Embed]->matrix(0)).eval();
  };
  const auto p = added(document);
  const Trace trace = run(document);
  const auto second = (trace[Stage::Position]->matrix(1) - trace[Stage::Embed]->matrix(1)).eval();
  CHECK((p - second).cwiseAbs().maxCoeff() < 1e-6f);  // the same, except for rounding of the sum
  Document shorter = document;
  shorter.input.sequences = {samples::sentence(3, "x")};
  CHECK((added(shorter) - p.topRows(3)).cwiseAbs().maxCoeff() < 1e-6f);
  Document reseeded = document;
  reseeded.layer().weights.seed = 8;
  CHECK((added(reseeded) - p).cwiseAbs().maxCoeff() > 0.1f);
  Document longer = document;
  longer.input.sequences = {samples::sentence(500)};
  const auto many = added(longer);
  CHECK(std::abs(many.mean()) < 0.05f);
  CHECK(std::abs(many.norm() / std::sqrt(static_cast<float>(many.size())) - 0.5f) < 0.02f);
}

TEST_CASE("A table of positions must fit key vectors too") {
  samples::Random random(9);
  Document document = samples::text_document(random, {1}, 2, 8);
  document.layer().positions = Positions::Learned;
  document.layer().weights[Parameter::PositionTable] = random.tensor({6, 8});
  document.input.change<Vectors>().query = random.tensor({1, 4, 8});
  document.input.change<Vectors>().key = random.tensor({1, 6, 12});  // wider than the table
  document.layer().weights[Parameter::WKey] = document.layer().weights[Parameter::WValue] =
      random.tensor({12, 8});
  CHECK_THROWS_AS(check(document), Error);
  document.layer().weights[Parameter::PositionTable].reset();  // from the seed they have any width
  CHECK(run(document)[Stage::Memory]->shape() == Shape{1, 6, 12});
  document.input.change<Vectors>().key = random.tensor({1, 6, 8});
  document.layer().weights[Parameter::WKey] = document.layer().weights[Parameter::WValue] =
      random.tensor({8, 8});
  document.layer().weights[Parameter::PositionTable] = random.tensor({6, 8});
  CHECK(run(document)[Stage::Memory]->shape() == Shape{1, 6, 8});
}

TEST_CASE("A bucket's bias without a table is a number for each head, from the seed") {
  Document document = sentence_of(9, Positions::RelativeBuckets);
  const Trace trace = run(document);
  const Tensor& bias = *trace[Stage::Bias];
  CHECK(bias.shape() == Shape{1, 2, 9, 9});
  for (std::int64_t i = 1; i < 9; ++i) CHECK(bias.matrix(0, 1)(i, i - 1) == bias.matrix(0, 1)(1, 0));
  CHECK(bias.matrix(0, 0)(1, 0) != bias.matrix(0, 1)(1, 0));
  CHECK(bias.matrix(0, 0)(1, 0) != bias.matrix(0, 0)(0, 1));
  document.layer().weights.seed = 8;
  CHECK(run(document)[Stage::Bias]->matrix(0, 0)(1, 0) != bias.matrix(0, 0)(1, 0));
}

TEST_CASE("Offsets in a window of Swin are numbered as its code does") {
  Sparsity image;
  image.grid = 4;  // four patches in a row
  image.side = 2;
  // relative_position_index of a window of 2 x 2, from the code of Liu et al. 2021
  const std::int64_t wanted[4][4]{{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}};
  const std::int64_t patches[4]{0, 1, 4, 5};
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(window_offset(image_of(image), patches[q], patches[k]) == wanted[q][k]);
  CHECK_FALSE(window_offset(image_of(image), 0, 2));   // two columns apart
  CHECK_FALSE(window_offset(image_of(image), 0, 8));   // two rows
  CHECK_FALSE(window_offset(image_of(image), -1, 0));  // before the first patch
  CHECK(window_offset(image_of(image), 7, 2) ==
        8);  // across the edge of a window: one of a shifted layer holds both
}

TEST_CASE("A window's bias without a table is a number for each head and offset, from the seed") {
  Document document = sentence_of(8, Positions::RelativeWindows);
  const Trace trace = run(document);
  const Tensor& bias = *trace[Stage::Bias];
  CHECK(bias.shape() == Shape{1, 2, 8, 8});
  CHECK(bias.matrix(0, 0)(0, 1) == bias.matrix(0, 0)(6, 7));
  CHECK(bias.matrix(0, 0)(0, 1) != bias.matrix(0, 0)(1, 0));
  CHECK(bias.matrix(0, 0)(0, 1) != bias.matrix(0, 1)(0, 1));
  CHECK(bias.matrix(0, 0)(0, 2) == 0);
  document.layer().masking.sparsity.kind = Sparsity::Kind::Windows;  // the same bias where windows hide
  CHECK(run(document)[Stage::Bias]->values().front() == bias.values().front());
  document.layer().masking.sparsity.side = max_window_side + 1;
  CHECK_THROWS_AS(check(document), Error);
}

TEST_CASE("Disentangled positions: rows of distances, the scale of three terms, vectors from the seed") {
  for (std::int64_t distance = -6; distance <= 6; ++distance)
    CHECK(relative_row(distance, 3) == std::clamp<std::int64_t>(distance + 3, 0, 5));
  Document document = sentence_of(9, Positions::Disentangled);
  document.layer().position_settings.span = 3;
  const std::int64_t d_k = key_width(document);
  const Trace three = run(document);
  CHECK(scale_width(document, d_k) == 3 * d_k);
  const auto first = [](const TensorPtr& plane) { return static_cast<double>(plane->values()[1]); };
  CHECK(std::abs(first(three[Stage::Scale]) -
                 first(three[Stage::Score]) / std::sqrt(static_cast<double>(3 * d_k))) < 1e-5);
  document.layer().position_settings.position_to_content = false;
  const Trace two = run(document);
  CHECK(scale_width(document, d_k) == 2 * d_k);
  // Far keys share a relative vector: the query's term is one number.
  const auto to_key = two[Stage::Bias]->matrix(0, 0);
  CHECK(to_key(8, 0) == to_key(8, 1));
  CHECK(to_key(8, 6) != to_key(8, 7));
  document.layer().position_settings.content_to_position = false;
  document.layer().position_settings.position_to_content = true;
  const auto to_query = run(document)[Stage::Bias]->matrix(0, 0).eval();
  CHECK(to_query(7, 0) == to_query(8, 0));  // the key's term is the same for all far queries
  CHECK(to_query(8, 0) != to_query(8, 1));
  document.layer().position_settings.position_to_content = false;
  const Trace none = run(document);
  for (const float x : none[Stage::Bias]->values()) CHECK(x == 0);
  CHECK(scale_width(document, d_k) == d_k);
}

TEST_CASE("ALiBi takes slope times distance off, also ahead and behind the cache") {
  Document document = sentence_of(6, Positions::Alibi);
  document.input.cached = 4;
  const auto second = run(document)[Stage::Bias]->matrix(0, 1).eval();
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 6; ++j)
      CHECK(second(i, j) == -std::ldexp(1.0f, -8) * static_cast<float>(std::abs(j - 4 - i)));
}

}  // namespace attnscope::positions_test

// Masks: the rule asked in three ways, the mistakes as pictures, and the treatment of hidden keys.
#include <cmath>
#include <limits>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/buckets.hpp"
#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/document/mask.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::masks_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

ResultPtr compute(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

/// n queries and keys of two heads.
Document square(std::int64_t n, std::uint64_t seed = 3) {
  samples::Random random(seed);
  return samples::given_document(random.tensor({1, 2, n, 4}), random.tensor({1, 2, n, 4}),
                                 random.tensor({1, 2, n, 4}));
}

/// The mask of a head as a picture: a line for each query, "#" where a key is seen.
std::vector<std::string> picture(const Document& document, std::int64_t h = 0, std::int64_t b = 0) {
  const ResultPtr result = compute(document);
  const MaskRule rule(document, result->layer().trace);
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < result->layer().dimensions.queries; ++i) {
    lines.emplace_back();
    for (std::int64_t j = 0; j < result->layer().dimensions.keys; ++j)
      lines.back() += rule.allows(b, h, i, j) ? '#' : '.';
  }
  return lines;
}
using Picture = std::vector<std::string>;

/// Softmax of head 0 of the first sequence.
auto weights_of(const Document& document) {
  return compute(document)->layer().trace[Stage::Softmax]->matrix(0, 0).eval();
}

/// Bucket of each row of x, one round.
std::vector<float> buckets_of(const TensorPtr& x, const Sparsity& sparsity) {
  ThreadPool caller_only(1);
  const Tensor none(Shape{x->shape()[0], x->shape()[1], 0, x->shape()[3]});
  const Tensor found = buckets(Work{caller_only, {}}, sparsity, *x, none, 0);
  return {found.values().begin(), found.values().end()};
}

}  // namespace

TEST_CASE("A mask answers the same by cell, by row and by count") {
  ThreadPool caller_only(1);
  for (std::uint64_t i = 0; i < 400; ++i) {
    samples::Random random(seeds::of_case("mask", i));
    const Document document = samples::any_document(random);
    const Dimensions size = check(document);
    const MaskRule rule(document, run_stages(Work{caller_only, {}}, document, sources_of<float>(document)));
    bool same = true;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(size.keys));
    for (std::int64_t b = 0; b < size.batch; ++b)
      for (std::int64_t h = 0; h < size.heads; ++h)
        for (std::int64_t query = 0; query < size.queries; ++query) {
          rule.see(b, h, query, seen);
          for (std::int64_t key = 0; key < size.keys; ++key)
            same = same && (seen[static_cast<std::size_t>(key)] != 0) == rule.allows(b, h, query, key);
          same = same && rule.allowed_keys(b, h, query) == std::accumulate(seen.begin(), seen.end(), 0);
        }
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of mask");
    REQUIRE(same);
  }
}

TEST_CASE("Patterns look as they are described") {
  Document document = square(6);
  Masking& masking = document.layer().masking;
  masking.window = {.left = 1, .right = 2};
  CHECK(picture(document) == Picture{"###...", "####..", ".####.", "..####", "...###", "....##"});
  masking.causal = true;
  CHECK(picture(document) == Picture{"#.....", "##....", ".##...", "..##..", "...##.", "....##"});
  masking.window = {};
  masking.sparsity = {.kind = Sparsity::Kind::Strided, .stride = 2};
  CHECK(picture(document) == Picture{"#.....", ".#....", "#.#...", ".#.#..", "#.#.#.", ".#.#.#"});
  masking.causal = false;
  masking.sparsity = {.kind = Sparsity::Kind::BlocksGlobal, .block = 2, .globals = 1};
  CHECK(picture(document) == Picture{"######", "##....", "#.##..", "#.##..", "#...##", "#...##"});
  masking.sparsity = {.kind = Sparsity::Kind::Windows, .grid = 3, .side = 2};  // 0 1 | 2 over 3 4 | 5
  CHECK(picture(document) == Picture{"##.##.", "##.##.", "..#..#", "##.##.", "##.##.", "..#..#"});
  masking.sparsity.shift = 1;  // 0 | 1 2, then 3 | 4 5
  CHECK(picture(document) == Picture{"#.....", ".##...", ".##...", "...#..", "....##", "....##"});
  masking.sparsity = {.kind = Sparsity::Kind::BlocksGlobal, .block = 2, .globals = 1};
  masking.heads = {1};  // the other head sees everything
  CHECK(picture(document, 0) == Picture(6, "######"));
  CHECK(picture(document, 1)[1] == "##....");
}

TEST_CASE("The mistakes look as they are described") {
  Document document = square(4);
  Masking& masking = document.layer().masking;
  masking.causal = true;
  masking.mistake = MaskMistake::DiagonalToo;
  CHECK(picture(document) == Picture{"....", "#...", "##..", "###."});
  masking.mistake = MaskMistake::Transposed;
  CHECK(picture(document) == Picture{"####", ".###", "..##", "...#"});
  masking.window.left = 1;
  CHECK(picture(document) == Picture{"##..", ".##.", "..##", "...#"});
  masking = {};
  masking.padding = true;
  document.input.change<Given>().lengths = {4};
  samples::Random random(2);
  Document text = samples::text_document(random, {4, 2}, 2, 8);
  text.layer().masking.padding = true;
  CHECK(picture(text, 0, 1) == Picture(4, "##.."));
  text.layer().masking.mistake = MaskMistake::WrongAxis;
  CHECK(picture(text, 0, 1) == Picture{"####", "####", "....", "...."});
}

TEST_CASE("Masking after the softmax keeps the weights and loses their sum") {
  Document document = square(5);
  const auto open = weights_of(document);
  document.layer().masking.causal = true;
  document.layer().masking.mistake = MaskMistake::AfterSoftmax;
  const ResultPtr result = compute(document);
  const auto weights = result->layer().trace[Stage::Softmax]->matrix(0, 0);
  CHECK(result->layer().trace[Stage::Mask]->matrix(0, 0).allFinite());
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) CHECK(weights(i, j) == (j <= i ? open(i, j) : 0.0f));
    if (i < 4) CHECK(weights.row(i).sum() < 0.999f);
    CHECK(result->layer().measures.row(0, 0, i).allowed == i + 1);
  }
}

TEST_CASE("A row of hidden keys is zero with -inf and an even mix of all keys with -1e9") {
  Document document = square(4);
  auto additive = std::make_shared<Tensor>(Shape{1, 1, 4, 4});
  additive->matrix(0, 0).row(2).setConstant(-infinity);
  document.layer().masking.additive = additive;
  CHECK(weights_of(document).row(2).isZero(0));
  document.layer().masking.hidden = Masking::Hidden::MinusBillion;
  const ResultPtr result = compute(document);
  CHECK((result->layer().trace[Stage::Mask]->matrix(0, 0).row(2).array() == -1e9f).all());
  CHECK((result->layer().trace[Stage::Softmax]->matrix(0, 0).row(2).array() == 0.25f).all());
  CHECK(result->layer().measures.row(0, 0, 2).allowed == 0);
  CHECK(result->layer().measures.head(0, 0).rows_without_key == 1);
  document.layer().masking.additive = nullptr;
  document.layer().masking.causal = true;  // for seen keys the two agree
  const auto finite = weights_of(document);
  document.layer().masking.hidden = Masking::Hidden::MinusInfinity;
  CHECK(finite == weights_of(document));
}

TEST_CASE("A row without a key is zeros, NaN or uniform, as is asked; the naive softmax has 0 / 0") {
  Document document = square(4);
  auto additive = std::make_shared<Tensor>(Shape{1, 1, 4, 4});
  additive->matrix(0, 0).row(2).setConstant(-infinity);
  document.layer().masking.additive = additive;
  document.loss.kind = Loss::Kind::Sum;
  const auto with = [&](EmptyRow how, SoftmaxKind softmax = SoftmaxKind::Stable) {
    document.layer().empty_row = how;
    document.layer().softmax = softmax;
    return compute(document);
  };
  const ResultPtr zeros = with(EmptyRow::Zeros);
  const ResultPtr nan = with(EmptyRow::NotANumber), uniform = with(EmptyRow::Uniform);
  const auto weights = [](const ResultPtr& result) {
    return result->layer().trace[Stage::Softmax]->matrix(0, 0);
  };
  const auto mixed = [](const ResultPtr& result) { return result->layer().trace[Stage::Mix]->matrix(0, 0); };
  CHECK(weights(zeros).row(2).isZero(0));
  CHECK(weights(nan).row(2).array().isNaN().all());
  CHECK((weights(uniform).row(2).array() == 0.25f).all());
  for (const ResultPtr& result : {nan, uniform})
    for (const int row : {0, 1, 3}) CHECK(weights(result).row(row) == weights(zeros).row(row));
  CHECK(mixed(nan).row(2).array().isNaN().all());
  const auto mean = zeros->layer().trace[Stage::Value]->matrix(0, 0).colwise().mean();
  CHECK((mixed(uniform).row(2) - mean).norm() < 1e-6f);
  // Its measures are those of a row without a key, whatever numbers it has.
  CHECK(zeros->layer().measures.row(0, 0, 2).effective == 0);
  CHECK(std::isnan(nan->layer().measures.row(0, 0, 2).entropy));
  CHECK(nan->layer().measures.head(0, 0).not_finite == 4);
  CHECK(std::abs(uniform->layer().measures.row(0, 0, 2).effective - 4) < 1e-6);
  for (const ResultPtr& result : {zeros, nan, uniform}) {
    CHECK(result->layer().measures.row(0, 0, 2).allowed == 0);
    CHECK(result->layer().measures.head(0, 0).entropy ==
          zeros->layer().measures.head(0, 0).entropy);  // it counts in no mean
  }
  // Gradients: none reaches the scores, that of the uniform row reaches V, and NaN reaches V.
  CHECK(uniform->layer().gradients->query->matrix(0, 0).row(2).isZero(0));
  CHECK(nan->layer().gradients->query->matrix(0, 0).row(2).isZero(0));
  CHECK(uniform->layer().gradients->value->matrix(0, 0) != zeros->layer().gradients->value->matrix(0, 0));
  CHECK(nan->layer().gradients->value->matrix(0, 0).array().isNaN().any());
  for (const EmptyRow how : {EmptyRow::Zeros, EmptyRow::NotANumber, EmptyRow::Uniform})
    CHECK(weights(with(how, SoftmaxKind::Naive)).row(2).array().isNaN().all());
}

TEST_CASE("-1e9 added to a hidden score leaves NaN, and what float32 keeps of the score") {
  Document document = square(3);
  document.layer().masking.causal = true;
  document.layer().scaling.kind = Scaling::Kind::Off;
  auto query = std::make_shared<Tensor>(*document.input.given().query);
  auto key = std::make_shared<Tensor>(*document.input.given().key);
  query->matrix(0, 0).setOnes();
  key->matrix(0, 0).setZero();
  key->matrix(0, 0).row(1).setConstant(25);  // q · k = 100 for four numbers
  key->matrix(0, 0)(2, 0) = std::numeric_limits<float>::quiet_NaN();
  document.input.change<Given>().query = query;
  document.input.change<Given>().key = key;
  const float score = 25.0f * static_cast<float>(query->matrix(0, 0).cols());
  const auto masked = [&](Masking::Hidden hidden, Precision precision = Precision::Float32) {
    document.layer().masking.hidden = hidden;
    document.precision = precision;
    return compute(document)->layer().trace[Stage::Mask];
  };
  const TensorPtr replaced = masked(Masking::Hidden::MinusBillion);
  CHECK(replaced->matrix(0, 0)(0, 1) == -1e9f);
  CHECK(replaced->matrix(0, 0)(0, 2) == -1e9f);
  const TensorPtr added = masked(Masking::Hidden::AddedMinusBillion);
  CHECK(added->matrix(0, 0)(0, 1) == -1e9f + score);
  CHECK(added->matrix(0, 0)(0, 1) > -1e9f);  // a multiple of 64
  CHECK(std::isnan(added->matrix(0, 0)(0, 2)));
  CHECK(added->matrix(0, 0)(1, 1) == score);  // seen: nothing is added
  const TensorPtr half = masked(Masking::Hidden::AddedMinusBillion, Precision::Float16);
  CHECK(half->matrix(0, 0)(0, 1) == -infinity);
}

TEST_CASE("finfo.min hides in every precision, stays finite and makes a row of hidden keys even") {
  Document document = square(4);
  auto additive = std::make_shared<Tensor>(Shape{1, 1, 4, 4});
  additive->matrix(0, 0).row(2).setConstant(-infinity);
  document.layer().masking.additive = additive;
  document.layer().masking.causal = true;
  const auto usual = weights_of(document);
  document.layer().masking.hidden = Masking::Hidden::LeastFinite;
  for (const auto& [precision, least] : {std::pair{Precision::Float32, -0x1.fffffep127f},
                                         {Precision::BFloat16, -0x1.fep127f},
                                         {Precision::Float16, -65504.0f}}) {
    document.precision = precision;
    const ResultPtr result = compute(document);
    CHECK(result->layer().trace[Stage::Mask]->matrix(0, 0)(1, 2) == least);
    CHECK((result->layer().trace[Stage::Mask]->matrix(0, 0).row(2).array() == least).all());
    CHECK((result->layer().trace[Stage::Softmax]->matrix(0, 0).row(2).array() == 0.25f).all());
    CHECK(result->layer().measures.row(0, 0, 2).allowed == 0);
  }
  document.precision = Precision::Float32;
  document.layer().temperature = 0.1f;  // hidden logits would overflow if divided before the maximum is taken
  CHECK((weights_of(document).row(2).array() == 0.25f).all());
  document.layer().temperature = 1;
  CHECK((weights_of(document).row(3).array() == usual.row(3).array()).all());
  CHECK((weights_of(document).row(1).array() == usual.row(1).array()).all());
}

TEST_CASE("Patterns that leave nothing out are full attention") {
  const Document document = square(7);
  const auto full = weights_of(document);
  Document same = document;
  same.layer().masking.window = {.left = 6, .right = 6};
  CHECK(weights_of(same) == full);
  same.layer().masking.window = {};
  same.layer().masking.sparsity = {.kind = Sparsity::Kind::Strided, .stride = 1};
  CHECK(weights_of(same) == full);
  same.layer().masking.sparsity = {.kind = Sparsity::Kind::Windows, .grid = 3, .side = 3};
  CHECK(weights_of(same) == full);
  same.layer().masking.sparsity = {.kind = Sparsity::Kind::BlocksGlobal, .block = 7, .globals = 0};
  CHECK(weights_of(same) == full);
  same.layer().masking.sparsity = {.kind = Sparsity::Kind::BlocksGlobal, .block = 1, .globals = 7};
  CHECK(weights_of(same) == full);
  CHECK(compute(same)->layer().measures.row(0, 0, 3).dropped == 0);
}

TEST_CASE("What a pattern drops is a share of what full attention had") {
  for (std::uint64_t i = 0; i < 300; ++i) {
    samples::Random random(seeds::of_case("dropped", i));
    Document document = samples::any_document(random);
    const Measures measures = compute(document)->layer().measures;
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of dropped");
    bool share = true;
    for (const RowMeasures& row : measures.rows)
      share = share && row.dropped >= 0 && row.dropped <= 1 + 1e-6;  // sums of rounded weights
    REQUIRE(share);
  }
  // Without a causal mask: the weight that the window masks, by hand.
  Document document = square(8);
  const auto full = weights_of(document);
  document.layer().masking.window = {.left = 1, .right = 1};
  const ResultPtr result = compute(document);
  for (std::int64_t i = 0; i < 8; ++i) {
    double outside = 0;
    for (std::int64_t j = 0; j < 8; ++j)
      if (std::abs(i - j) > 1) outside += static_cast<double>(full(i, j));
    CHECK(std::abs(result->layer().measures.row(0, 0, i).dropped - outside) < 1e-7);
  }
}

TEST_CASE("Hashing falls into the asked buckets, by direction alone") {
  samples::Random random(8);
  const TensorPtr x = random.tensor({1, 1, 400, 6});
  const auto scaled = [&](float factor) {
    auto moved = std::make_shared<Tensor>(*x);
    for (float& value : moved->values()) value *= factor;
    return moved;
  };
  for (const int count : {2, 8, 64}) {
    const Sparsity sparsity{.kind = Sparsity::Kind::Lsh, .lsh_buckets = count};
    const std::vector<float> found = buckets_of(x, sparsity);
    std::vector<int> size(static_cast<std::size_t>(count));
    for (const float bucket : found) ++size[static_cast<std::size_t>(bucket)];  // in range and whole
    CHECK(buckets_of(scaled(4), sparsity) == found);  // by a power of two: the same bits
    const std::vector<float> opposite = buckets_of(scaled(-1), sparsity);
    bool other_half = true;
    for (std::size_t i = 0; i < found.size(); ++i)
      other_half = other_half && std::abs(opposite[i] - found[i]) == static_cast<float>(count / 2);
    CHECK(other_half);
    Sparsity reseeded = sparsity;
    reseeded.seed = 2;
    CHECK(buckets_of(x, reseeded) != found);
    auto bad = std::make_shared<Tensor>(*x);
    bad->values()[2 * 6 + 3] = std::numeric_limits<float>::quiet_NaN();
    CHECK(buckets_of(bad, sparsity)[2] == 0);
    if (count == 8) CHECK(*std::min_element(size.begin(), size.end()) > 5);  // none is empty: 50 on average
  }
}

TEST_CASE("Hashed attention sees what shares a bucket in any round, and equal vectors always") {
  Document document = square(12);
  document.input.change<Given>().key = document.input.given().query;  // shared, as in Reformer
  document.layer().masking.sparsity = {.kind = Sparsity::Kind::Lsh, .lsh_buckets = 16, .lsh_rounds = 1};
  std::size_t seen = 0;
  for (int rounds = 1; rounds <= 8; rounds *= 2) {
    document.layer().masking.sparsity.lsh_rounds = rounds;
    const Picture now = picture(document);
    std::size_t count = 0;
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(now[i][i] == '#');
      count += static_cast<std::size_t>(std::count(now[i].begin(), now[i].end(), '#'));
    }
    CHECK(count >= seen);
    seen = count;
  }
  CHECK(seen < 144);
  CHECK(seen > 12);
}

}  // namespace attnscope::masks_test

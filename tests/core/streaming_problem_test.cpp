// Input of the streaming engine: invalid problems are refused with a sentence, and a Document's problem gives
// the Document's numbers.
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/engine/backend.hpp"
#include "core/engine/pipeline.hpp"
#include "core/engine/streamed_document.hpp"
#include "core/random_documents.hpp"
#include "core/streaming/problem.hpp"
#include "core/streaming/tile.hpp"
#include "core/streaming_cases.hpp"
#include "support/sanitizers.hpp"
#include "support/seeds.hpp"

namespace attnscope::streaming_problem_test {
namespace {

template <class Change>
std::string refused(Change change) {
  samples::Random random(1);
  const auto c = streaming_cases::plain_case(random, {4, 2, 5, 6, 3, 2});
  change(c->problem);
  try {
    check(c->problem);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string refused_request(const SweepRequest& request) {
  samples::Random random(1);
  const auto c = streaming_cases::plain_case(random, {4, 2, 5, 5000, 3, 2});
  ThreadPool pool(1);
  try {
    sweep(c->problem, request, Work{pool, {}});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Rows of sequence b of a Result's numbers against a sweep and tiles of the same.
std::string staged_difference(const Result& staged, const StreamedDocument& streamed, std::int64_t b,
                              Backend& backend) {
  SweepRequest request;
  request.received = request.strongest = true;
  const Sweep found = backend.sweep(streamed.problem, request, {}, nullptr);
  const Measures& measures = staged.layer().measures;
  const std::int64_t d_v = streamed.problem.d_v, cells = measures.queries * measures.keys;
  for (std::int64_t h = 0; h < measures.heads; ++h) {
    oracle::Numbers log_sum_exp, entropy, largest;
    for (std::int64_t i = 0; i < measures.queries; ++i) {
      log_sum_exp.push_back(measures.row(b, h, i).log_sum_exp);
      entropy.push_back(measures.row(b, h, i).entropy);
      largest.push_back(measures.row(b, h, i).largest);
    }
    const auto slice = [](const auto& tensor, std::int64_t block, std::int64_t size) {
      return tensor.values().subspan(static_cast<std::size_t>(block * size), static_cast<std::size_t>(size));
    };
    const auto numbers = [](std::span<const float> values) {
      return oracle::Numbers(values.begin(), values.end());
    };
    const std::int64_t at = b * measures.heads + h;
    // Both paths round; each of them is within half of this of the oracle.
    const std::string differences[] = {
        compare::difference<double>(slice(found.log_sum_exp, h, measures.queries), log_sum_exp, 2e-5),
        compare::difference<float>(slice(found.entropy, h, measures.queries), entropy, 2e-5),
        compare::difference<float>(slice(found.largest, h, measures.queries), largest, 1e-5),
        compare::difference<float>(slice(found.received, h, measures.keys), measures.head(b, h).received,
                                   2e-5),
        compare::difference<float>(
            slice(found.output, h, measures.queries * d_v),
            numbers(slice(*staged.layer().trace[Stage::Mix], at, measures.queries * d_v)), 2e-5),
        compare::difference(backend.tile(streamed.problem, {h}, &found, {}),
                            numbers(slice(*staged.layer().trace[Stage::Softmax], at, cells)), 1e-5),
        compare::difference(backend.tile(streamed.problem, {h, {}, 0, -1, TileKind::Masked}, &found, {}),
                            numbers(slice(*staged.layer().trace[Stage::Mask], at, cells)), 1e-5)};
    for (std::size_t i = 0; i < std::size(differences); ++i)
      if (!differences[i].empty())
        return fmt::format("sequence {}, head {}, number {}: {}", b, h, i, differences[i]);
  }
  return {};
}

}  // namespace

TEST_CASE("cells are the smallest of powers of two that make so many") {
  for (std::int64_t most = 1; most <= 9; ++most)
    for (std::int64_t length = 0; length <= 70; ++length) {
      std::int64_t side = 1;
      while (side * most < length) side *= 2;
      CAPTURE(length, most);
      CHECK(cell_side(length, most) == side);
    }
}

TEST_CASE("the biases of a row are those of its distances, for all heads or for each") {
  AttentionProblem p;
  p.heads = 4;
  p.kv_heads = 2;
  p.queries = 5;
  p.keys = 7;
  CHECK(distance_row(p, 1, 2).empty());
  std::vector<float> numbers(4 * 11);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  for (const std::size_t heads : {1u, 4u}) {
    p.distance_bias = std::span(numbers).first(heads * 11);
    for (std::int64_t h = 0; h < 4; ++h)
      for (std::int64_t i = 0; i < 5; ++i) {
        const std::span<const float> row = distance_row(p, h, i);
        REQUIRE(row.size() == 7);
        for (std::int64_t j = 0; j < 7; ++j)
          CHECK(row[static_cast<std::size_t>(j)] ==
                static_cast<float>((heads == 1 ? 0 : h * 11) + j - i + 4));
      }
  }
  CHECK(p.kv_head(1) == 0);
  CHECK(p.kv_head(2) == 1);
}

TEST_CASE("A streaming problem that does not fit is refused with a sentence") {
  using P = AttentionProblem;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused([](P&) {}) == "");
  CHECK(refused([](P& p) { p.queries = 0; }) == "The problem has 0 queries; expected 1 to 1099511627776.");
  CHECK(refused([](P& p) { p.kv_heads = 3; }) ==
        "4 heads cannot share 3 key heads evenly; expected a multiple.");
  CHECK(refused([](P& p) { p.key.data = nullptr; }) == "K has no numbers; expected [2][6][3].");
  CHECK(refused([](P& p) { p.query.row_stride = -3; }) ==
        "Q has strides 15 and -3; they cannot be negative.");
  CHECK(refused([](P& p) { p.query.head_stride = std::int64_t{1} << 61; }) ==
        "Q of [4][5][3] at strides 2305843009213693952 and 3 has more bytes than can be counted.");
  CHECK(refused([](P& p) { p.keys = std::int64_t{1} << 31; }) ==
        "The problem has 2147483648 keys; expected 1 to 1073741824.");
  CHECK(refused([=](P& p) { p.scale = nan; }) == "The scale is nan; expected a number up to 1e30.");
  CHECK(refused([](P& p) { p.soft_cap = -1; }) ==
        "The soft-cap is -1; expected 0 for none, or 1e-30 to 1e30.");
  CHECK(refused([](P& p) { p.temperature = 0; }) == "The temperature is 0; expected 1e-30 to 1e30.");
  CHECK(refused([](P& p) { p.left = -2; }) ==
        "The window reaches -2 keys; expected 0 to 1099511627776, or -1 for an open side.");
  CHECK(refused([](P& p) { p.real_keys = 7; }) ==
        "7 keys are said to be real; expected 0 to 6, or -1 for all.");
  const std::vector<std::uint8_t> bytes(31);
  CHECK(refused([&](P& p) {
          p.allowed = {bytes, 1};
        }) == "The boolean mask has 31 values; expected 1 x 5 x 6 for heads, queries and keys.");
  CHECK(refused([&](P& p) {
          p.allowed = {bytes, 2};
        }) == "The boolean mask is for 2 heads; expected 1 or 4.");
  const std::vector<float> numbers(11);
  CHECK(refused([&](P& p) { p.distance_bias = numbers; }) ==
        "The distance bias has 11 values; expected 10 for each of 1 or 4 heads.");
}

TEST_CASE("A request that does not fit is refused with a sentence") {
  SweepRequest request;
  request.first_head = 3;
  request.last_head = 5;
  CHECK(refused_request(request) == "Heads 3 to 5 were asked for; expected some of the 4 heads.");
  request = {};
  request.rows.step = 0;
  CHECK(refused_request(request) ==
        "Rows 0 to 5 in steps of 0 were asked for; expected some of the 5 queries.");
  request = {};
  request.picture = PooledCells{3, 4};
  CHECK(refused_request(request) ==
        "A cell of the picture has a side of 3; expected a power of two up to 2^30.");
  request.picture = PooledCells{4, 1};
  CHECK(refused_request(request) == "5000 keys in cells of 1 make 5000 columns; a picture has at most 4096.");
}

TEST_CASE("A problem with no memory for its results says so and does no harm") {
  if (test::under_address_sanitizer()) SKIP("the sanitizer ends the program where an allocation fails");
  samples::Random random(2);
  const auto c = streaming_cases::plain_case(random, {1, 1, 4, 4, 1, 1});
  ThreadPool pool(2);
  c->problem.query.row_stride = c->problem.query.head_stride = 0;
  c->problem.queries = std::int64_t{1} << 40;  // all rows the same query; no room for the results
  CHECK_THROWS_AS(sweep(c->problem, {}, Work{pool, {}}), std::bad_alloc);
}

TEST_CASE("The streamed numbers of a Document are those of its stages") {
  const std::shared_ptr<Backend> backend = make_cpu_backend(2);
  Pipeline pipeline(backend);
  int streamed_documents = 0;
  for (std::uint64_t index = 0; index < 400; ++index) {
    samples::Random random(seeds::of_case("streamed document", index));
    Document document = samples::any_document(random);
    if (random.between(0, 3) != 0) {  // most settings that are not streamed are reset
      document.layer().softmax = SoftmaxKind::Stable;
      document.layer().linear = false;
      document.layer().dropout = {};
      document.layer().interventions.clear();
    }
    const ResultPtr staged = pipeline.run(document);
    for (std::int64_t b = 0; b < staged->layer().dimensions.batch; ++b) {
      const StreamedDocument streamed = make_problem(document, staged->layer().trace, b);
      if (!streamed) continue;
      ++streamed_documents;
      INFO("case " << index);
      REQUIRE(staged_difference(*staged, streamed, b, *backend) == "");
      for (std::int64_t h = 0; h < staged->layer().dimensions.heads; ++h)
        for (std::int64_t i = 0; i < staged->layer().dimensions.queries; ++i)
          REQUIRE(allowed_keys(streamed.problem, h, i) == staged->layer().measures.row(b, h, i).allowed);
    }
  }
  CHECK(streamed_documents > 200);
}

TEST_CASE("What is not streamed says why") {
  samples::Random random(3);
  const Document plain = samples::text_document(random, {4}, 2, 8);
  const auto why = [&](auto change) {
    Document document = plain;
    change(document);
    Pipeline pipeline(make_cpu_backend(1));
    return make_problem(document, pipeline.run(document)->layer().trace, 0).why_not;
  };
  CHECK(why([](Document&) {}) == "");
  CHECK(why([](Document& d) { d.layer().linear = true; }) == "Linear attention has no softmax to stream.");
  CHECK(why([](Document& d) { d.layer().dropout.rate = 0.5f; }) ==
        "Dropout needs every weight at once; it is not streamed.");
  CHECK(why([](Document& d) { d.layer().positions = Positions::RelativeWindows; }) ==
        "A position bias over rows and columns of an image needs a number for every score; it is not "
        "streamed.");
  CHECK(why([](Document& d) { d.layer().positions = Positions::Disentangled; }) ==
        "Disentangled positions need a number for every score; they are not streamed.");
  CHECK(why([](Document& d) { d.precision = Precision::BFloat16; }) ==
        "Stages stored with fewer bits need every score at once; only float32 is streamed.");
  CHECK(why([](Document& d) { d.layer().masking.mistake = MaskMistake::AfterSoftmax; }) ==
        "A mask after the softmax needs every weight at once; it is not streamed.");
  CHECK(why([](Document& d) { d.layer().masking.hidden = Masking::Hidden::MinusBillion; }) ==
        "Hidden keys get a finite number instead of minus infinity; that is not streamed.");
  // Rows without a key: refused only if there may be such rows.
  const std::string empty = "Rows without a key are zeros where they are streamed, neither NaN nor uniform.";
  CHECK(why([](Document& d) { d.layer().empty_row = EmptyRow::NotANumber; }) == "");
  CHECK(why([](Document& d) {
          d.layer().empty_row = EmptyRow::Uniform;
          d.layer().masking.causal = true;
        }) == "");
  CHECK(why([](Document& d) {
          d.layer().empty_row = EmptyRow::NotANumber;
          d.layer().masking.causal = true;
          d.layer().masking.mistake = MaskMistake::DiagonalToo;  // the first query sees nothing
        }) == empty);
  CHECK(why([](Document& d) {
          d.layer().empty_row = EmptyRow::Uniform;
          const Dimensions size = check(d);
          d.layer().masking.additive = std::make_shared<Tensor>(Shape{1, 1, size.queries, size.token_keys()});
        }) == empty);
}

}  // namespace attnscope::streaming_problem_test

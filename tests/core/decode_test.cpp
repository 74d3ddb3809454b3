// Decoding with a cache gives the numbers of the full pass, token by token and for every setting.
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/run_stage.hpp"
#include "core/compare.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "support/seeds.hpp"

namespace attnscope::decode_test {
namespace {

constexpr std::array all_positions{
    Positions::None,     Positions::Sinusoidal,      Positions::Learned,        Positions::Alibi,
    Positions::RopeHalf, Positions::RopeInterleaved, Positions::RelativeBuckets};

template <class T = float>
TraceOf<T> run(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<T>(document));
}

/// A causal Document from text.
Document causal_document(Positions positions) {
  samples::Random random(11);
  Document document = samples::text_document(random, {9, 9}, 4, 16);
  document.layer().kv_heads = 2;
  document.layer().weights[Parameter::WKey] = random.tensor({16, 8}, 0.25);
  document.layer().weights[Parameter::WValue] = random.tensor({16, 8}, 0.25);
  document.layer().weights[Parameter::BKey] = document.layer().weights[Parameter::BValue] = nullptr;
  document.layer().positions = positions;
  document.layer().masking.causal = true;
  return document;
}

/// The first `tokens` of every sentence, all but the last in the cache.
Document at_step(Document document, int tokens) {
  for (Sequence& sequence : document.input.sequences.change())
    sequence.tokens.resize(static_cast<std::size_t>(tokens));
  document.input.padded_length = 0;
  document.input.cached = tokens - 1;
  return document;
}

/// Removes tensors in the shape of the scores.
void drop_shapes(Document& document) {
  document.layer().masking.additive = nullptr;
  for (Intervention& head : document.layer().interventions)
    if (head.kind == Intervention::Kind::Frozen || head.kind == Intervention::Kind::Mean) head = {};
}

/// Rows [first, first + count) of every matrix of the last two dimensions.
TensorPtr rows(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  const Shape& shape = tensor.shape();
  auto cut = std::make_shared<Tensor>(Shape{shape[0], shape[1], count, shape[3]});
  for (std::int64_t b = 0; b < shape[0]; ++b)
    for (std::int64_t h = 0; h < shape[1]; ++h)
      cut->matrix(b, h) = tensor.matrix(b, h).middleRows(first, count);
  return cut;
}

template <class T>
double largest_difference(const TensorOf<T>& found, const TensorOf<T>& full, std::int64_t first) {
  double largest = 0;
  for (std::int64_t b = 0; b < full.shape()[0]; ++b) {
    const auto a = found.matrix(b), wanted = full.matrix(b).middleRows(first, found.shape()[1]);
    if (!((a - wanted).cwiseAbs().maxCoeff() >= 0)) {  // NaN: must be in the same places
      if ((a.array().isNaN() != wanted.array().isNaN()).any()) return std::numeric_limits<double>::infinity();
      continue;
    }
    largest = std::max(largest, static_cast<double>((a - wanted).cwiseAbs().maxCoeff()));
  }
  return largest;
}

}  // namespace

TEST_CASE("Token by token with a cache is the full causal pass") {
  for (const Positions positions : all_positions) {
    INFO("positions " << static_cast<int>(positions));
    const Document document = causal_document(positions);
    const Trace full = run(document);
    for (int tokens = 1; tokens <= 9; ++tokens) {
      const Trace step = run(at_step(document, tokens));
      CHECK(step[Stage::Query]->shape() == Shape{2, 4, 1, 4});
      CHECK(step[Stage::Key]->shape() == Shape{2, 2, tokens, 4});
      CHECK(largest_difference(*step[Stage::Output], *full[Stage::Output], tokens - 1) < 1e-5);
    }
  }
}

TEST_CASE("Given keys and values of the past are the full causal pass") {
  for (const Positions positions : all_positions) {
    INFO("positions " << static_cast<int>(positions));
    const Document document = causal_document(positions);
    const Trace full = run(document);
    for (std::int64_t past = 1; past < 9; ++past) {
      for (const std::int64_t count : {std::int64_t{1}, 9 - past}) {
        Document step = samples::given_document(rows(*full[Stage::Query], past, count),
                                                rows(*full[Stage::Key], past, count),
                                                rows(*full[Stage::Value], past, count));
        step.input.change<Given>().past_key = rows(*full[Stage::Key], 0, past);
        step.input.change<Given>().past_value = rows(*full[Stage::Value], 0, past);
        step.layer().positions = positions;  // the cache holds keys before rotation
        step.layer().masking.causal = true;
        step.layer().weights.seed = document.layer().weights.seed;
        CHECK(largest_difference(*run(step)[Stage::Concat], *full[Stage::Concat], past) < 1e-5);
      }
    }
  }
}

TEST_CASE("A cache leaves the other rows as they are, whatever the settings") {
  int compared = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of cached");
    samples::Random random(seeds::of_case("cached", i));
    Document document = samples::any_text_document(random);
    drop_shapes(document);
    document.layer().dropout = {};
    if (!document.input.memory.empty() || padded_tokens(document.input) < 2) continue;
    document.input.cached = 0;
    const auto full = run<double>(document);
    document.input.cached = static_cast<int>(random.between(1, padded_tokens(document.input) - 1));
    const auto rest = run<double>(document);
    REQUIRE(largest_difference(*rest[Stage::Output], *full[Stage::Output], document.input.cached) < 1e-10);
    ++compared;
  }
  CHECK(compared > 200);
}

TEST_CASE("Decoding is the full pass for every mask that looks back only") {
  for (std::uint64_t i = 0; i < 150; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of decoded");
    samples::Random random(seeds::of_case("decoded", i));
    Document document = samples::any_text_document(random);
    document.input.memory.change().clear();
    const auto tokens = static_cast<std::size_t>(random.between(2, 7));
    for (Sequence& sequence : document.input.sequences.change())
      sequence = samples::sentence(7, sequence.tokens[0].text);
    for (Sequence& sequence : document.input.sequences.change()) sequence.tokens.resize(tokens);
    document.input.padded_length = document.input.cached = 0;
    if (document.layer().positions == Positions::Learned)
      document.layer().weights[Parameter::PositionTable].reset();
    PositionSettings& positions = document.layer().position_settings;
    if (depends_on_length(positions.rope_scaling))  // a longer text turns the first tokens otherwise
      positions.rope_scaling = RopeScaling::None;
    document.layer().dropout = {};
    Masking& masking = document.layer().masking;
    masking.causal = true;
    drop_shapes(document);
    masking.heads.clear();
    masking.hidden = Masking::Hidden::MinusInfinity;  // a row of -1e9 alone would look ahead
    document.layer().empty_row = EmptyRow::Zeros;     // and so would a uniform one
    const bool looks_ahead = masking.mistake == MaskMistake::Transposed ||
                             masking.mistake == MaskMistake::AfterSoftmax;  // its sum is over all keys
    if (looks_ahead) masking.mistake = MaskMistake::None;
    const auto full = run<double>(document);
    for (int step = 1; step <= static_cast<int>(tokens); ++step) {
      const auto now = run<double>(at_step(document, step));
      REQUIRE(largest_difference(*now[Stage::Output], *full[Stage::Output], step - 1) < 1e-10);
    }
  }
}

TEST_CASE("Queries before the first key see nothing when causal") {
  samples::Random random(12);
  Document document = samples::given_document(random.tensor({2, 2, 4, 3}), random.tensor({2, 2, 5, 3}),
                                              random.tensor({2, 2, 5, 3}));
  document.input.change<Given>().lengths = {2, 5};  // the first sequence's queries are at -2, -1, 0, 1
  document.layer().masking.causal = true;
  for (const bool add_zero_attn : {false, true}) {
    document.layer().add_zero_attn = add_zero_attn;
    const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
    const std::int64_t extra = add_zero_attn ? 1 : 0;
    for (std::int64_t i = 0; i < 4; ++i) {
      const RowMeasures& row = result->layer().measures.row(0, 1, i);
      CHECK(row.allowed == std::max<std::int64_t>(0, i - 1) + extra);
      CHECK(result->layer().measures.row(1, 1, i).allowed == i + 2 + extra);
      if (i >= 2) continue;
      CHECK(result->layer().trace[Stage::Softmax]->matrix(0, 1).row(i).leftCols(5).isZero(0));
      CHECK(result->layer().trace[Stage::Mix]->matrix(0, 1).row(i).isZero(0));
      CHECK(row.self == 0);
      CHECK(row.strongest == (add_zero_attn ? 5 : -1));
    }
    CHECK(result->layer().measures.head(0, 1).rows_without_key == (add_zero_attn ? 0 : 2));
  }
  document.input.change<Given>().lengths = {0, 5};  // none at all
  CHECK(Pipeline(make_cpu_backend(1)).run(document)->layer().measures.row(0, 0, 3).allowed == 1);
}

TEST_CASE("Global tokens are the first ones of the text, not what stands before it") {
  samples::Random random(13);
  Document document = samples::given_document(random.tensor({1, 1, 4, 3}), random.tensor({1, 1, 5, 3}),
                                              random.tensor({1, 1, 5, 3}));
  document.input.change<Given>().lengths = {2};
  document.layer().masking.sparsity = {.kind = Sparsity::Kind::BlocksGlobal, .block = 2, .globals = 1};
  const ResultPtr result = Pipeline(make_cpu_backend(1)).run(document);
  // At -2 and -1 only the global key is seen, at 0 everything, at 1 the block of two.
  const std::array<std::int64_t, 4> allowed{1, 1, 5, 2};
  for (std::size_t i = 0; i < 4; ++i) CHECK(result->layer().measures.rows[i].allowed == allowed[i]);
}

}  // namespace attnscope::decode_test

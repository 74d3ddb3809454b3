// Properties of every Document, whatever its settings.
#include <bit>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "core/attention/dropout.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/document/mask.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "oracle/oracle.hpp"
#include "support/seeds.hpp"

namespace attnscope::engine_properties_test {
namespace {

template <class T = float>
TraceOf<T> run(const Document& document) {
  ThreadPool caller_only(1);
  return run_stages(Work{caller_only, {}}, document, sources_of<T>(document));
}

/// Equal to the last bit, NaN included.
bool same_bits(const TensorPtr& a, const TensorPtr& b) {
  if (!a || !b) return a == b;
  return a->shape() == b->shape() &&
         std::equal(a->values().begin(), a->values().end(), b->values().begin(), [](float x, float y) {
           return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y) ||
                  (std::isnan(x) && std::isnan(y));
         });
}

/// The name of the first stage that is not the same; empty when all are.
std::string first_difference(const Trace& a, const Trace& b, Stages except = {}) {
  for (const StageInfo& row : stage_table)
    if (!except.has(row.stage) && !same_bits(a[row.stage], b[row.stage])) return std::string(row.name);
  return {};
}

/// All numbers of the rows and heads, one after the other.
std::vector<double> flat(const Measures& measures) {
  std::vector<double> all;
  for (const RowMeasures& row : measures.rows) {
    all.insert(all.end(), {static_cast<double>(row.allowed), row.entropy, row.normalised, row.log_sum_exp,
                           row.largest, row.self, row.special, row.extra, row.distance, row.dropped,
                           row.jacobian, row.padding ? 1.0 : 0.0});
  }
  for (const HeadMeasures& head : measures.head_means) {
    all.insert(all.end(), {head.entropy, head.distance, static_cast<double>(head.rows_without_key)});
    all.insert(all.end(), head.received.begin(), head.received.end());
  }
  for (const OutputChange& row : measures.output_change) all.insert(all.end(), {row.change, row.without});
  return all;
}

std::string place(std::string_view suite, std::uint64_t i) {
  return fmt::format("ATTNSCOPE_SEED={}, case {} of {}", seeds::of_run(), i, suite);
}

/// The Document with one random change that can still be computed.
Document changed(samples::Random& random, const Document& was) {
  while (true) {
    Document now = was;
    switch (random.between(0, 17)) {
      case 0: samples::randomise_mask(random, now); break;
      case 1: samples::randomise_settings(random, now); break;
      case 2: samples::randomise_positions(random, now); break;
      case 3: now.precision = static_cast<Precision>(random.between(0, 2)); break;
      case 4: now.layer().linear = !now.layer().linear; break;
      case 5: now.layer().dropout.rate = random.coin() ? 0.5f : 0; break;
      case 6: now.layer().add_zero_attn = !now.layer().add_zero_attn; break;
      case 7: now.layer().weights.fused = !now.layer().weights.fused; break;
      case 8: now.layer().weights.seed += 1; break;
      case 9: now.layer().weights[Parameter::BQuery].reset(); break;
      case 10:
        now.layer().weights[Parameter::BiasK].reset(), now.layer().weights[Parameter::BiasV].reset();
        break;
      case 11: now.input.cached = static_cast<int>(random.between(0, 3)); break;
      case 12:
        if (random.coin() || now.input.memory.empty()) {
          now.input.memory.change().clear();
        } else {
          now.input.memory.change().back().tokens.push_back("</s>");
        }
        break;
      case 13:
        if (!now.input.sequences.empty()) now.input.sequences.change()[0].tokens.back() = "[SEP]";
        break;
      case 14: samples::randomise_interventions(random, now); break;
      case 15: now.layer().interventions.clear(); break;
      case 16:
        if (!now.input.given().lengths.empty()) now.input.change<Given>().lengths[0] = 0;
        break;
      default: now.input.change<Vectors>().value.reset(); break;
    }
    try {
      check(now);
      if (random.coin()) samples::randomise_loss(random, now);
      return now;
    } catch (const Error&) {
    }
  }
}

}  // namespace

TEST_CASE("A change computes what a fresh run computes") {
  for (std::uint64_t i = 0; i < 250; ++i) {
    samples::Random random(seeds::of_case("changed", i));
    Document document = samples::any_document(random);
    Pipeline kept(make_cpu_backend(1));
    kept.run(document);
    for (int step = 0; step < 4; ++step) {
      document = changed(random, document);
      const ResultPtr found = kept.run(document), fresh = Pipeline(make_cpu_backend(1)).run(document);
      INFO(place("changed", i) << ", step " << step);
      REQUIRE(first_difference(found->layer().trace, fresh->layer().trace) == "");
      const std::vector<double> measures = flat(found->layer().measures);
      REQUIRE(compare::difference(std::span<const double>(measures), flat(fresh->layer().measures), 0) == "");
      REQUIRE(static_cast<bool>(found->layer().gradients) == static_cast<bool>(fresh->layer().gradients));
      if (found->layer().gradients)
        REQUIRE(same_bits(found->layer().gradients->query, fresh->layer().gradients->query));
      if (found->layer().gradients)
        REQUIRE(same_bits(found->layer().gradients->output, fresh->layer().gradients->output));
    }
  }
}

TEST_CASE("Rows sum to one wherever a key is seen") {
  for (std::uint64_t i = 0; i < 500; ++i) {
    samples::Random random(seeds::of_case("sums", i));
    Document document = samples::any_document(random);
    document.layer().softmax = SoftmaxKind::Stable;
    document.layer().weights[Parameter::SinkLogits].reset();
    if (document.layer().masking.mistake == MaskMistake::AfterSoftmax)
      document.layer().masking.mistake = MaskMistake::None;
    // Linear attention rotates only the numerator.
    if (document.layer().linear && is_rotary(document.layer().positions))
      document.layer().positions = Positions::None;
    const Dimensions size = check(document);
    const Trace trace = run(document);
    const MaskRule rule(document, trace);
    bool one = true;
    for (std::int64_t b = 0; b < size.batch; ++b)
      for (std::int64_t h = 0; h < size.heads; ++h)
        for (std::int64_t q = 0; q < size.queries; ++q) {
          const bool sees = rule.allowed_keys(b, h, q) > 0;
          const bool finite = document.layer().masking.hidden != Masking::Hidden::MinusInfinity;
          const bool even = !sees && (finite || document.layer().empty_row == EmptyRow::Uniform);
          const bool no_number = !sees && !finite && document.layer().empty_row == EmptyRow::NotANumber;
          const auto sum = [&](Stage stage) {
            return trace[stage]->matrix(b, h).row(q).cast<double>().sum();
          };
          one = one && (no_number ? std::isnan(sum(Stage::Softmax))
                                  : std::abs(sum(Stage::Softmax) - (sees || even ? 1 : 0)) < 1e-6);
          if (document.layer().linear) one = one && std::abs(sum(Stage::Linear) - (sees ? 1 : 0)) < 1e-6;
        }
    INFO(place("sums", i));
    REQUIRE(one);
  }
}

TEST_CASE("Without positions and masks the order of keys is no matter, that of queries only theirs") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    samples::Random random(seeds::of_case("permuted", i));
    Document document = samples::any_text_document(random);
    samples::randomise_settings(random, document);
    document.layer().positions = Positions::None;
    document.layer().masking = {};
    document.layer().dropout = {};
    document.layer().interventions = {};
    document.input.cached = 0;
    const auto tokens = static_cast<std::size_t>(padded_tokens(document.input));
    for (auto* text : {&document.input.sequences, &document.input.memory})
      for (Sequence& sequence : text->change()) sequence.tokens.resize(tokens, "more");
    Document reversed = document;
    for (Sequence& sequence : reversed.input.sequences.change()) std::ranges::reverse(sequence.tokens);
    for (Sequence& sequence : reversed.input.memory.change())
      std::rotate(sequence.tokens.begin(), sequence.tokens.begin() + 1, sequence.tokens.end());
    const auto a = run<double>(document), b = run<double>(reversed);
    double off = 0;
    for (std::int64_t s = 0; s < a[Stage::Output]->shape()[0]; ++s) {
      const auto x = a[Stage::Output]->matrix(s), y = b[Stage::Output]->matrix(s);
      off = std::max(off, (x - y.colwise().reverse()).cwiseAbs().maxCoeff());
    }
    INFO(place("permuted", i));
    REQUIRE(off < 1e-10);
  }
}

TEST_CASE("One product for queries, keys and values gives the bits of three") {
  const Stages fuse{Stage::Fuse};
  for (std::uint64_t i = 0; i < 400; ++i) {
    samples::Random random(seeds::of_case("fused", i));
    Document document =
        random.coin() ? samples::any_text_document(random) : samples::any_vectors_document(random);
    document.layer().weights.fused = false;
    document.input.cached = 0;  // with a cache products have other sizes, and rounding depends on the size
    document.layer().masking.additive = nullptr;
    document.layer().interventions = {};
    const Trace three = run(document);
    document.layer().weights.fused = true;
    INFO(place("fused", i));
    REQUIRE(first_difference(three, run(document), fuse) == "");
  }
  for (const int width : {64, 192, 320, 768}) {
    for (const std::int64_t tokens : {1, 2, 7, 65, 130}) {
      samples::Random random(5);
      Document document = samples::text_document(random, {tokens}, 4, width);
      const Trace three = run(document);
      document.layer().weights.fused = true;
      INFO("width " << width << ", " << tokens << " tokens");
      CHECK(first_difference(three, run(document), fuse) == "");
    }
  }
}

TEST_CASE("No setting makes a number depend on the threads") {
  for (std::uint64_t i = 0; i < 12; ++i) {
    samples::Random random(seeds::of_case("threads", i));
    Document document = samples::text_document(random, {150, 90}, 4, 32);
    samples::randomise_positions(random, document);
    samples::randomise_settings(random, document);
    document.loss.kind = Loss::Kind::Sum;
    const ResultPtr one = Pipeline(make_cpu_backend(1)).run(document);
    const ResultPtr many = Pipeline(make_cpu_backend(static_cast<int>(random.between(2, 6)))).run(document);
    INFO(place("threads", i));
    CHECK(first_difference(one->layer().trace, many->layer().trace) == "");
    CHECK(same_bits((*one->layer().gradients)[Parameter::WKey], (*many->layer().gradients)[Parameter::WKey]));
    CHECK(same_bits(one->layer().gradients->x, many->layer().gradients->x));
  }
}

TEST_CASE("Dropout keeps the expectation and, for a seed, its pattern") {
  samples::Random random(6);
  Document document = samples::text_document(random, {40, 30}, 4, 32);
  document.layer().dropout = {.rate = 0.3f, .seed = 1};
  const Trace first = run(document);
  const Tensor& weights = *first[Stage::Softmax];
  const auto cells = static_cast<std::size_t>(weights.size());
  std::vector<double> mean(cells);
  double kept = 0;
  constexpr int seeds_tried = 100;
  for (int seed = 1; seed <= seeds_tried; ++seed) {
    document.layer().dropout.seed = static_cast<std::uint64_t>(seed);
    const Trace trace = run(document);
    for (std::size_t i = 0; i < cells; ++i) {
      const float now = trace[Stage::Drop]->values()[i];
      mean[i] += static_cast<double>(now) / seeds_tried;
      const bool keeps_it = keeps(document.layer().dropout, static_cast<std::int64_t>(i));
      kept += keeps_it;
      if (now != (keeps_it ? weights.values()[i] * static_cast<float>(1 / (1 - 0.3f)) : 0.0f)) FAIL(i);
    }
  }
  const double all = static_cast<double>(cells) * seeds_tried, spread = std::sqrt(0.3 * 0.7 / all);
  CHECK(std::abs(kept / all - 0.7) < 5 * spread);
  double off = 0, total = 0, variance = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const auto weight = static_cast<double>(weights.values()[i]);
    off += mean[i] - weight;
    total += weight;
    variance += weight * weight * 0.3 / 0.7 / seeds_tried;
  }
  CHECK(total > 100);
  CHECK(std::abs(off) < 5 * std::sqrt(variance));

  document.layer().dropout.seed = 1;
  Document other = document;  // other weights, the same places
  other.layer().weights[Parameter::WQuery] = random.tensor({32, 32}, 0.2);
  other.layer().linear = true;
  const Trace second = run(other);
  bool same = true;
  for (std::size_t i = 0; i < cells; ++i)
    same = same && (first[Stage::Drop]->values()[i] == 0) == (second[Stage::Drop]->values()[i] == 0);
  CHECK(same);
  document.layer().dropout.rate = 0;
  const Trace off_now = run(document);
  CHECK(off_now[Stage::Drop] == off_now[Stage::Softmax]);
}

TEST_CASE("Linear attention by weights is linear attention in O(n)") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    samples::Random random(seeds::of_case("linear", i));
    const std::int64_t n = random.between(1, 12), kv_heads = random.between(1, 2), heads = 2 * kv_heads;
    Document document =
        samples::given_document(random.tensor({2, heads, n, 3}), random.tensor({2, kv_heads, n, 3}),
                                random.tensor({2, kv_heads, n, 4}));
    document.layer().linear = true;
    document.layer().masking.causal = random.coin();
    const Given& given = document.input.given();
    oracle::Problem p;
    p.batch = 2;
    p.heads = static_cast<std::size_t>(heads);
    p.kv_heads = static_cast<std::size_t>(kv_heads);
    p.queries = p.keys = static_cast<std::size_t>(n);
    p.d_k = 3;
    p.d_v = 4;
    p.q = compare::in_double(*given.query);
    p.k = compare::in_double(*given.key);
    p.v = compare::in_double(*given.value);
    p.mask.causal = document.layer().masking.causal;
    INFO(place("linear", i));
    REQUIRE(compare::difference(*run<double>(document)[Stage::Mix], oracle::linear_recurrent(p), 1e-12) ==
            "");
  }
}

}  // namespace attnscope::engine_properties_test

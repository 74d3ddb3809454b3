// Head intervention: the patterns that replace a head's, their effect on output, measures and gradients, and
// the edits. The oracle and finite differences cover it for all settings in stages_test.cpp and
// gradients_test.cpp.
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/compare.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/engine/pipeline.hpp"
#include "core/random_documents.hpp"
#include "core/text/tokenize.hpp"
#include "core/weights/make_weights.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::intervention_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Kind = Intervention::Kind;
using Rows = std::vector<std::vector<float>>;

ResultPtr compute(const Document& document) { return Pipeline(make_cpu_backend(1)).run(document); }

/// Four queries and keys of two heads.
Document square() {
  samples::Random random(3);
  return samples::given_document(random.tensor({1, 2, 4, 4}), random.tensor({1, 2, 4, 4}),
                                 random.tensor({1, 2, 4, 4}));
}

/// The pattern that replaces head 0 of the first sequence.
Rows pattern(Document document, Kind kind) {
  const ResultPtr result = compute(edit::intervention(std::move(document), 0, kind));
  const auto matrix = result->layer().trace[Stage::Intervention]->matrix(0, 0);
  Rows rows;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    rows.emplace_back(matrix.row(i).data(), matrix.row(i).data() + matrix.cols());
  return rows;
}

Document sentence(const std::string& text) {
  Document document;
  document.input.sequences = {{text, tokenize(text)}};
  return with_weights(document);
}

/// [batch][queries][keys] of a head, from a result.
TensorPtr weights_of(const Result& result, std::int64_t head) {
  const Tensor& weights = *result.layer().trace[weights_stage(result.document)];
  const Shape& shape = weights.shape();
  auto cut = std::make_shared<Tensor>(Shape{shape[0], shape[2], shape[3]});
  for (std::int64_t b = 0; b < shape[0]; ++b) cut->matrix(b) = weights.matrix(b, head);
  return cut;
}

/// The output, or the heads side by side with given Q, K and V.
template <class T>
const TensorOf<T>& output_of(const TraceOf<T>& trace) {
  return trace[Stage::Output] ? *trace[Stage::Output] : *trace[Stage::Concat];
}

TensorPtr with_value(const TensorPtr& tensor, float value) {
  auto copy = std::make_shared<Tensor>(*tensor);
  copy->values().front() = value;
  return copy;
}

}  // namespace

TEST_CASE("Replaced patterns look as they are described", "[surgery]") {
  Document document = square();
  const float half = 0.5f, third = 1.0f / 3, fourth = 0.25f;
  CHECK(pattern(document, Kind::Mute) == Rows(4, std::vector<float>(4)));
  CHECK(pattern(document, Kind::Uniform) == Rows(4, std::vector<float>(4, fourth)));
  CHECK(pattern(document, Kind::Identity) == Rows{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}});
  CHECK(pattern(document, Kind::FirstToken) == Rows(4, {1, 0, 0, 0}));
  CHECK(pattern(document, Kind::PreviousToken) ==
        Rows{{fourth, fourth, fourth, fourth}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});

  document.layer().masking.causal = true;
  CHECK(pattern(document, Kind::Uniform) ==
        Rows{{1, 0, 0, 0}, {half, half, 0, 0}, {third, third, third, 0}, {fourth, fourth, fourth, fourth}});
  document.layer().masking.window.left = 0;  // the key before is hidden: the row is spread over the seen keys
  CHECK(pattern(document, Kind::PreviousToken) == pattern(document, Kind::Identity));
  document.layer().masking.window.left = 1;
  CHECK(pattern(document, Kind::FirstToken) ==
        Rows{{1, 0, 0, 0}, {1, 0, 0, 0}, {0, half, half, 0}, {0, 0, half, half}});

  auto additive = std::make_shared<Tensor>(Shape{1, 1, 4, 4});
  additive->matrix(0, 0).row(2).setConstant(-std::numeric_limits<float>::infinity());
  document.layer().masking = {};
  document.layer().masking.additive = additive;
  document.layer().masking.hidden = Masking::Hidden::MinusBillion;  // softmax would be uniform there
  for (const Kind kind : {Kind::Uniform, Kind::Identity, Kind::FirstToken, Kind::PreviousToken})
    CHECK(pattern(document, kind)[2] == std::vector<float>(4));
}

TEST_CASE("The mean of a head's rows stands in each of them, whatever the mask hides", "[surgery]") {
  Document document = square();
  document.layer().masking.causal = true;
  const Rows own = pattern(document, Kind::None), mean = pattern(document, Kind::Mean);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      CHECK(std::abs(mean[i][j] - (own[0][j] + own[1][j] + own[2][j] + own[3][j]) / 4) < 1e-7f);
}

TEST_CASE("Patterns know a cache, other keys and keys of no token", "[surgery]") {
  samples::Random random(4);
  Document document = square();
  document.layer().add_zero_attn = true;
  const float fifth = 0.2f;
  CHECK(pattern(document, Kind::Uniform) == Rows(4, std::vector<float>(5, fifth)));
  CHECK(pattern(document, Kind::Identity)[3] == std::vector<float>{0, 0, 0, 1, 0});
  document.input.change<Given>().past_key = document.input.change<Given>().past_value =
      random.tensor({1, 2, 2, 4});
  CHECK(pattern(document, Kind::Identity)[0] == std::vector<float>{0, 0, 1, 0, 0, 0, 0});
  CHECK(pattern(document, Kind::PreviousToken)[0] == std::vector<float>{0, 1, 0, 0, 0, 0, 0});
  // More queries than keys: the last ones have no key of their own, and the zero key is none.
  Document cross = samples::given_document(random.tensor({1, 1, 3, 2}), random.tensor({1, 1, 2, 2}),
                                           random.tensor({1, 1, 2, 2}));
  cross.layer().add_zero_attn = true;
  CHECK(pattern(cross, Kind::Identity)[1] == std::vector<float>{0, 1, 0});
  CHECK(pattern(cross, Kind::Identity)[2] == std::vector<float>(3, 1.0f / 3));
}

TEST_CASE("Without surgery the weights are shared, and the other heads keep theirs", "[surgery]") {
  Document document = square();
  const ResultPtr plain = compute(document);
  CHECK(plain->layer().trace[Stage::Intervention] == plain->layer().trace[Stage::Softmax]);
  CHECK(plain->layer().measures.output_change.empty());
  document.layer().interventions = std::vector<Intervention>(2);
  CHECK(compute(document)->layer().trace[Stage::Intervention] != nullptr);
  CHECK(compute(document)->layer().measures.output_change.empty());
  const ResultPtr muted = compute(edit::mute(document, 0));
  CHECK(*muted->layer().trace[Stage::Softmax] == *plain->layer().trace[Stage::Softmax]);  // still available
  CHECK(muted->layer().trace[Stage::Intervention]->matrix(0, 0).isZero(0));
  CHECK(muted->layer().trace[Stage::Intervention]->matrix(0, 1) ==
        plain->layer().trace[Stage::Softmax]->matrix(0, 1));
  CHECK(muted->layer().trace[Stage::Mix]->matrix(0, 0).isZero(0));
  document.layer().linear = true;
  CHECK(compute(document)->layer().trace[Stage::Intervention] != nullptr);
  CHECK(weights_stage(document) == Stage::Linear);
  CHECK(weights_stage(edit::mute(document, 0)) == Stage::Intervention);
}

TEST_CASE("The change of the output is that of two runs", "[surgery]") {
  ThreadPool caller_only(1);
  const Work work{caller_only, {}};
  int compared = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    INFO("ATTNSCOPE_SEED=" << seeds::of_run() << ", case " << i << " of surgery");
    samples::Random random(seeds::of_case("surgery", i));
    Document document = samples::any_document(random);
    document.layer().softmax = SoftmaxKind::Stable;
    document.layer().empty_row = EmptyRow::Zeros;  // NaN of another head is no change
    samples::randomise_interventions(random, document);
    if (!has_intervention(document)) continue;
    const Trace trace = run_stages(work, document, sources_of<float>(document));
    const std::vector<OutputChange> found = measure(work, document, trace).output_change;
    // LSH buckets may fall on the other side in double; scores do not see intervention.
    const Document bare = edit::restore_heads(document);
    const Trace without = run_stages(work, bare, sources_of<float>(bare));
    const Tensor &y = output_of(trace), &y0 = output_of(without);
    REQUIRE(std::ssize(found) == y.shape()[0] * y.shape()[1]);
    std::vector<double> expected, numbers;
    for (std::int64_t b = 0; b < y.shape()[0]; ++b)
      for (std::int64_t q = 0; q < y.shape()[1]; ++q) {
        const auto with_row = y.matrix(b).row(q).cast<double>(), row = y0.matrix(b).row(q).cast<double>();
        expected.insert(expected.end(), {(with_row - row).norm(), row.norm()});
        const OutputChange& change = found[static_cast<std::size_t>(b * y.shape()[1] + q)];
        numbers.insert(numbers.end(), {change.change, change.without});
      }
    REQUIRE(compare::difference(std::span<const double>(numbers), expected, 2e-6) == "");
    ++compared;
  }
  CHECK(compared > 400);
}

TEST_CASE("A frozen pattern of its own changes nothing until something else does", "[surgery]") {
  Document document = sentence("the cat sat on the mat");
  document.layer().masking.causal = true;
  const ResultPtr before = compute(document);
  document = edit::freeze(document, 3, weights_of(*before, 3));
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr frozen = pipeline.run(document);
  CHECK(*frozen->layer().trace[Stage::Output] == *before->layer().trace[Stage::Output]);
  for (const OutputChange& row : frozen->layer().measures.output_change) CHECK(row.change == 0);
  document.layer().scaling.kind = Scaling::Kind::Off;
  const ResultPtr sharp = pipeline.run(document);
  CHECK(sharp->layer().trace[Stage::Intervention]->matrix(0, 3) ==
        before->layer().trace[Stage::Softmax]->matrix(0, 3));
  CHECK(sharp->layer().trace[Stage::Softmax]->matrix(0, 3) !=
        before->layer().trace[Stage::Softmax]->matrix(0, 3));
  CHECK(sharp->layer().measures.output_change[5].change > 1e-3);
  // Stages after the weights affect the output's change, and no other measure.
  auto w = std::make_shared<Tensor>(*document.layer().weights[Parameter::WOutput]);
  w->matrix() *= 2;
  document.layer().weights[Parameter::WOutput] = w;
  const ResultPtr doubled = pipeline.run(document);
  CHECK(std::abs(doubled->layer().measures.output_change[5].change -
                 2 * sharp->layer().measures.output_change[5].change) < 1e-6);
  CHECK(doubled->layer().trace[Stage::Intervention] == sharp->layer().trace[Stage::Intervention]);
}

TEST_CASE("What is measured is the pattern that takes part", "[surgery]") {
  Document document = edit::intervention(sentence("a b c d"), 2, Kind::Uniform);
  document = edit::mute(document, 4);
  document.layer().masking.causal = true;
  const ResultPtr result = compute(document);
  const Measures& m = result->layer().measures;
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(std::abs(m.row(0, 2, i).entropy - std::log(static_cast<double>(i + 1))) < 1e-6);
    CHECK((i == 0 ? std::isnan(m.row(0, 2, i).jacobian) : m.row(0, 2, i).jacobian == 0));
    CHECK(std::isnan(m.row(0, 4, i).entropy));  // not the measures of one key: it has none
    CHECK(m.row(0, 4, i).largest == 0);
    CHECK(m.row(0, 4, i).strongest == -1);
    CHECK(m.row(0, 4, i).effective == 0);
    CHECK(std::isnan(m.row(0, 4, i).normalised));
    CHECK(m.row(0, 4, i).allowed == i + 1);
  }
  CHECK(m.head(0, 2).is_uniform);
  CHECK_FALSE(m.head(0, 4).one_key);
  CHECK_FALSE(m.head(0, 4).is_uniform);
  CHECK(m.head(0, 4).not_finite == 0);
  CHECK(m.head(0, 4).received == std::vector<double>(4));
}

TEST_CASE("Scores of a replaced head get no gradient, its values and W_O do", "[surgery]") {
  for (const bool linear : {false, true}) {
    Document document = edit::intervention(sentence("a b c d"), 2, Kind::PreviousToken);
    document.layer().linear = linear;
    document.loss.kind = Loss::Kind::MeanSquared;
    const ResultPtr result = compute(document);
    const auto columns = [](const TensorPtr& w, std::int64_t h) { return w->matrix().middleCols(h * 8, 8); };
    const Gradients& g = *result->layer().gradients;
    CHECK(columns(g[Parameter::WQuery], 2).isZero(0));
    CHECK(columns(g[Parameter::WKey], 2).isZero(0));
    CHECK(g.scores->matrix(0, 2).isZero(0));
    CHECK_FALSE(g.weights->matrix(0, 2).isZero(0));
    CHECK_FALSE(columns(g[Parameter::WValue], 2).isZero(1e-6f));
    CHECK_FALSE(g[Parameter::WOutput]->matrix().middleRows(2 * 8, 8).isZero(1e-6f));
    CHECK_FALSE(columns(g[Parameter::WQuery], 3).isZero(1e-9f));
  }
}

TEST_CASE("Mute and solo are switches", "[surgery]") {
  const Document document = sentence("a b c");
  Document muted = edit::mute(document, 1);
  REQUIRE(muted.layer().interventions.size() == 8);
  CHECK(muted.layer().interventions[1].kind == Kind::Mute);
  CHECK(edit::mute(muted, 1) == document);  // none: stored as empty
  CHECK(edit::mute(document, 8) == document);
  CHECK(edit::mute(document, -1) == document);

  muted = edit::intervention(muted, 2, Kind::Uniform);
  Document solo = edit::solo(muted, 2);  // the head's own intervention stays
  CHECK(edit::is_soloed(solo, 2));
  CHECK_FALSE(edit::is_soloed(solo, 1));
  CHECK(solo.layer().interventions[2].kind == Kind::Uniform);
  for (const std::size_t h : {0, 1, 3, 7}) CHECK(solo.layer().interventions[h].kind == Kind::Mute);
  solo = edit::solo(solo, 1);  // another head: a muted head is restored
  CHECK(edit::is_soloed(solo, 1));
  CHECK(solo.layer().interventions[1].kind == Kind::None);
  CHECK(solo.layer().interventions[2].kind == Kind::Mute);
  CHECK(edit::solo(solo, 1) == document);
  CHECK(edit::restore_heads(solo) == document);
  CHECK(edit::intervention(solo, 0, Kind::None).layer().interventions[0].kind == Kind::None);

  Document one = document;
  one = edit::heads(one, 1);
  CHECK(edit::solo(one, 0) == one);  // there is no other head
  CHECK_FALSE(edit::is_soloed(edit::mute(one, 0), 0));
}

TEST_CASE("Surgery follows the heads and the tokens as far as it fits", "[surgery]") {
  Document document = edit::mute(sentence("a b c"), 1);
  document = edit::intervention(document, 6, Kind::Uniform);
  document = edit::freeze(document, 2, weights_of(*compute(document), 2));
  check(document);
  const auto kinds = [](const Document& d) {
    std::vector<Kind> all;
    for (const Intervention& head : d.layer().interventions) all.push_back(head.kind);
    return all;
  };
  CHECK(kinds(edit::heads(document, 4)) == std::vector{Kind::None, Kind::Mute, Kind::Frozen, Kind::None});
  CHECK(edit::heads(document, 16).layer().interventions.size() == 16);
  CHECK(edit::heads(document, 1).layer().interventions.empty());
  CHECK(edit::d_model(document, 32).layer().interventions == document.layer().interventions);

  std::vector<Kind> thawed = kinds(document);
  thawed[2] = Kind::None;
  CHECK(edit::text(document, 0, "x y z").layer().interventions ==
        document.layer().interventions);  // as many tokens: the pattern fits
  CHECK(kinds(edit::text(document, 0, "a b c d")) == thawed);
  CHECK(kinds(edit::texts(document, {"a b c", "d e f"})) == thawed);
  CHECK(kinds(edit::cached(document, 1)) == thawed);
  CHECK(kinds(edit::memory(document, "x y")) == thawed);
  CHECK(kinds(edit::bias_k(document, true)) == thawed);
  CHECK(kinds(edit::add_zero_attn(document, true)) == thawed);
  Document padded = document;
  padded.input.padded_length = 5;
  CHECK(kinds(edit::cached(padded, 0)) == thawed);
  for (const Document& after : {edit::text(document, 0, "a b c d"), edit::texts(document, {"a b c", "d e f"}),
                                edit::cached(document, 1), edit::memory(document, "x y"),
                                edit::bias_k(document, true), edit::add_zero_attn(document, true),
                                edit::heads(document, 4), edit::heads(document, 16), edit::cached(padded, 0)})
    CHECK_NOTHROW(check(after));

  Document given = square();
  given = edit::freeze(given, 1, weights_of(*compute(given), 1));
  CHECK(kinds(edit::add_zero_attn(given, true)).empty());
  CHECK(edit::solo(given, 1).layer().interventions.size() == 2);  // heads of the tensors, not of the Document
}

TEST_CASE("Surgery that cannot be computed is refused in a sentence", "[surgery]") {
  Document document = sentence("a b c");
  const TensorPtr weights = weights_of(*compute(document), 0);
  const auto message = [](const Document& d) { return test::message_of<Error>([&] { check(d); }); };
  document.layer().interventions = std::vector<Intervention>(3);
  CHECK(message(document) == "Interventions are listed for 3 heads; there are 8.");
  document.layer().interventions = std::vector<Intervention>(8);
  document.layer().interventions[5].kind = Kind::Frozen;
  CHECK(message(document) ==
        "The frozen pattern of head 5 is missing; it must be [batch, queries, keys] = [1, 3, 3].");
  document.layer().interventions[5].frozen = std::make_shared<const Tensor>(Shape{1, 3, 4});
  CHECK(message(document) ==
        "The frozen pattern of head 5 has shape [1, 3, 4]; it must be [batch, queries, keys] = [1, 3, 3].");
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), -0.25f, 1.5f}) {
    const std::string refused =
        test::message_of<Error>([&] { edit::freeze(sentence("a b c"), 5, with_value(weights, bad)); });
    CHECK_THAT(refused, ContainsSubstring("pattern of head 5 holds 1 number that is no weight"));
    CHECK(test::is_sentence(refused));
  }
  CHECK_NOTHROW(edit::freeze(sentence("a b c"), 5, with_value(weights, 1)));
}

TEST_CASE("A head that overflowed can be muted away", "[surgery]") {
  Document document = sentence("a b c d");
  document.layer().softmax = SoftmaxKind::Naive;
  document.layer().scaling = {Scaling::Kind::Factor, 1e6f};
  const ResultPtr before = compute(document);
  REQUIRE(before->layer().measures.head(0, 0).not_finite > 0);
  for (int h = 0; h < 8; ++h) document = edit::mute(document, h);
  const ResultPtr after = compute(document);
  CHECK(after->layer().trace[Stage::Output]->matrix(0).allFinite());
  CHECK(after->layer().measures.head(0, 0).not_finite == 0);
  CHECK(std::isnan(after->layer().measures.output_change[0].without));  // without the intervention it is NaN
}

}  // namespace attnscope::intervention_test

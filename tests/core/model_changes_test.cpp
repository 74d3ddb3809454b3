// Changes inside a running model: every kind against a naive decoder in double with the same change by hand.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/attention/intervention.hpp"
#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/models/apply_changes.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_changes_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using small_models::some_ids;
using Kind = HeadChange::Kind;
constexpr int n = 12;

struct Opened {
  test::TemporaryDirectory directory;
  oracle::GptWeights weights = small_models::gpt_weights();
  ThreadPool pool{2};
  Work work{pool, {}};
  ModelPtr model;
  std::vector<int> ids;
  ModelInput input;

  Opened() {
    small_models::write_gpt(directory / "gpt", weights);
    model = open_model(directory / "gpt");
    input.ids = some_ids(n, small_models::gpt_tokens);
    ids.assign(input.ids.begin(), input.ids.end());
  }
};

double worst_logit(const ModelRun& run, const oracle::GptRun& expected) {
  double worst = 0;
  for (std::int64_t i = 0; i < run.logits.rows(); ++i)
    for (std::int64_t k = 0; k < run.logits.width; ++k)
      worst = std::max(worst,
                       std::abs(static_cast<double>(run.logits.row(i)[k]) -
                                expected.logits[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)]));
  return worst;
}

void put_pattern(Kind kind, oracle::GptRows& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    oracle::GptRow& row = weights[i];
    std::ranges::fill(row, 0.0);
    if (kind == Kind::Uniform || (kind == Kind::PreviousToken && i == 0))
      for (std::size_t j = 0; j <= i; ++j) row[j] = 1.0 / static_cast<double>(i + 1);
    else
      row[kind == Kind::PreviousToken ? i - 1 : kind == Kind::Identity ? i : 0] = 1;
  }
}

}  // namespace

TEST_CASE("a pattern inside a model is the pattern of a layer's intervention of that kind", "[models]") {
  AttentionProblem p;
  p.queries = p.keys = 6;
  p.causal = true;
  p.left = 3;
  for (const auto& [change, layer] : changes_in_layer) {
    if (!changes_pattern(change) || change == Kind::Frozen) continue;
    CAPTURE(static_cast<int>(change));
    for (std::int64_t i = 0; i < 6; ++i) {
      std::vector<float> row(6, 9.f), expected(6);
      fill_pattern_row({.kind = change}, p, i, row);
      const std::int64_t key = named_key(layer, i), first = std::max<std::int64_t>(0, i - 3);
      const bool sees = key >= first && key <= i;
      for (std::int64_t j = first; j <= i; ++j)
        expected[static_cast<std::size_t>(j)] =
            sees ? (j == key ? 1.f : 0.f) : 1 / static_cast<float>(i - first + 1);
      CHECK(row == expected);
    }
  }
  for (int kind = 0; kind < static_cast<int>(Kind::Replaced); ++kind)
    CHECK(std::ranges::count(changes_in_layer, static_cast<Kind>(kind), &ChangeInLayer::change) == 1);
}

TEST_CASE("a head's pattern is replaced, and everything after it follows", "[models][changes]") {
  Opened o;
  for (const Kind kind : {Kind::Uniform, Kind::PreviousToken, Kind::Identity, Kind::FirstToken}) {
    CAPTURE(static_cast<int>(kind));
    oracle::GptHooks hooks;
    hooks.pattern = [&](int block, int head, oracle::GptRows& weights) {
      if (block == 1 && head == 2) put_pattern(kind, weights);
    };
    const oracle::GptRun expected = oracle::run_gpt(o.weights, o.ids, hooks);
    RunRequest request{.entropy = true, .received = true, .picture_side = 8};
    request.changes.heads = {{.block = 1, .head = 2, .kind = kind}};
    const ModelRun run = run_model(*o.model, o.input, request, o.work);
    CHECK(worst_logit(run, expected) < 1e-5);
    const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, 2, o.work);
    const Tensor behind = head_weights(*o.model, run, AttentionOf::Decoder, 2, 0, o.work);
    const HeadPictures& pictures = run.decoder.attention[1].pictures;
    REQUIRE(pictures.cells == PooledCells{2, 2});  // 6 × 6 of 12 × 12
    for (std::size_t i = 0; i < n / 2; ++i)
      for (std::size_t j = 0; j < n / 2; ++j) {
        double sum = 0, largest = 0;
        for (std::size_t cell = 0; cell < 4; ++cell) {
          const double w = expected.weights[1][2][2 * i + cell / 2][2 * j + cell % 2];
          sum += w;
          largest = std::max(largest, w);
        }
        const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
        CHECK(std::abs(static_cast<double>(pictures.mean.matrix(2)(row, column)) - sum / 4) < 1e-6);
        CHECK(std::abs(static_cast<double>(pictures.largest.matrix(2)(row, column)) - largest) < 1e-6);
      }
    for (std::size_t i = 0; i < n; ++i) {
      double entropy = 0, received = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double w = expected.weights[1][2][i][j];
        CHECK(std::abs(static_cast<double>(
                           weights.matrix()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) -
                       w) < 1e-6);
        CHECK(std::abs(static_cast<double>(
                           behind.matrix()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) -
                       expected.weights[2][0][i][j]) < 1e-5);
        if (w > 0) entropy -= w * std::log(w);
        received += expected.weights[1][2][j][i];
      }
      const auto at = static_cast<Eigen::Index>(i);
      CHECK(std::abs(static_cast<double>(run.decoder.attention[1].entropy.matrix()(2, at)) - entropy) < 1e-5);
      CHECK(std::abs(static_cast<double>(run.decoder.attention[1].received.matrix()(2, at)) - received) <
            1e-5);
    }
  }
}

TEST_CASE("a head's output is zeroed, averaged or patched, everywhere or in some rows", "[models][changes]") {
  Opened o;
  const oracle::GptRun plain = oracle::run_gpt(o.weights, o.ids);
  std::vector<int> others(o.ids.rbegin(), o.ids.rend());
  const oracle::GptRun other = oracle::run_gpt(o.weights, others);
  ModelInput other_input;
  other_input.ids.assign(others.begin(), others.end());
  const ModelRun other_run = run_model(*o.model, other_input, {}, o.work);
  const Tensor outputs = head_outputs(*o.model, other_run, AttentionOf::Decoder, 1, {}, o.work);
  const auto patch = std::make_shared<const Tensor>(
      Shape{n, 4}, std::vector<float>(outputs.matrix(3).data(), outputs.matrix(3).data() + n * 4));
  for (const Kind kind : {Kind::Zero, Kind::Mean, Kind::Replaced}) {
    for (const std::vector<std::int64_t>& rows :
         {std::vector<std::int64_t>{}, std::vector<std::int64_t>{2, 7}}) {
      CAPTURE(static_cast<int>(kind), rows.size());
      oracle::GptHooks hooks;
      hooks.output = [&](int block, int head, oracle::GptRows& output) {
        if (block != 1 || head != 3) return;
        oracle::GptRow mean(4, 0.0);
        for (const oracle::GptRow& row : output)
          for (std::size_t c = 0; c < 4; ++c) mean[c] += row[c] / n;
        for (std::size_t i = 0; i < n; ++i) {
          if (!rows.empty() && std::ranges::find(rows, static_cast<std::int64_t>(i)) == rows.end()) continue;
          output[i] = kind == Kind::Zero   ? oracle::GptRow(4, 0.0)
                      : kind == Kind::Mean ? mean
                                           : other.outputs[1][3][i];
        }
      };
      RunRequest request;
      request.changes.heads = {{.block = 1, .head = 3, .kind = kind, .rows = rows}};
      if (kind == Kind::Replaced) request.changes.heads[0].tensor = patch;
      const ModelRun run = run_model(*o.model, o.input, request, o.work);
      const oracle::GptRun expected = oracle::run_gpt(o.weights, o.ids, hooks);
      CHECK(worst_logit(run, expected) < 1e-5);
      // A row that is computed again alone equals the run's.
      const Tensor again =
          head_outputs(*o.model, run, AttentionOf::Decoder, 1, {.begin = 7, .end = 8}, o.work);
      for (std::size_t c = 0; c < 4; ++c)
        CHECK(std::abs(static_cast<double>(again.matrix(3)(0, static_cast<Eigen::Index>(c))) -
                       expected.outputs[1][3][7][c]) < 1e-5);
      // Its own weights are still there.
      const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, 3, o.work);
      CHECK(std::abs(static_cast<double>(weights.matrix()(5, 1)) - plain.weights[1][3][5][1]) < 1e-5);
    }
  }
}

TEST_CASE("a pattern of another run is frozen", "[models][changes]") {
  Opened o;
  std::vector<int> others(o.ids.rbegin(), o.ids.rend());
  ModelInput other_input;
  other_input.ids.assign(others.begin(), others.end());
  const ModelRun other_run = run_model(*o.model, other_input, {}, o.work);
  const oracle::GptRun other = oracle::run_gpt(o.weights, others);
  oracle::GptHooks hooks;
  hooks.pattern = [&](int block, int head, oracle::GptRows& weights) {
    if (block == 0 && head == 1) weights = other.weights[0][1];
  };
  RunRequest request;
  request.changes.heads = {{.block = 0,
                            .head = 1,
                            .kind = Kind::Frozen,
                            .tensor = std::make_shared<const Tensor>(
                                head_weights(*o.model, other_run, AttentionOf::Decoder, 0, 1, o.work))}};
  CHECK(worst_logit(run_model(*o.model, o.input, request, o.work), oracle::run_gpt(o.weights, o.ids, hooks)) <
        1e-5);
  o.input.ids.push_back(1);
  CHECK_THROWS_WITH(run_model(*o.model, o.input, request, o.work),
                    ContainsSubstring("frozen pattern of head 0.1 has shape [12, 12]"));
}

TEST_CASE("attention, MLP, scale, mask and temperature of a block are switched", "[models][changes]") {
  Opened o;
  struct Case {
    std::string name;
    BlockChange change;
    std::function<void(oracle::GptHooks&)> hook;
  };
  const auto at_one = [](int block) { return block == 1; };
  const std::vector<Case> cases{
      {"attention", {.block = 1, .attention_off = true}, [&](auto& h) { h.no_attention = at_one; }},
      {"mlp", {.block = 1, .mlp_off = true}, [&](auto& h) { h.no_mlp = at_one; }},
      {"mask", {.block = 1, .mask_off = true}, [&](auto& h) { h.no_mask = at_one; }},
      {"scale", {.block = 1, .scale = 1}, [](auto& h) { h.scale = [](int b) { return b == 1 ? 1 : 0.5; }; }},
      {"temperature",
       {.block = 1, .temperature = 3},
       [](auto& h) { h.temperature = [](int b) { return b == 1 ? 3.0 : 1.0; }; }},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    oracle::GptHooks hooks;
    one.hook(hooks);
    RunRequest request;
    request.changes.blocks = {one.change};
    const ModelRun run = run_model(*o.model, o.input, request, o.work);
    const oracle::GptRun expected = oracle::run_gpt(o.weights, o.ids, hooks);
    CHECK(worst_logit(run, expected) < 2e-5);
    const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, 0, o.work);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        CHECK(std::abs(static_cast<double>(
                           weights.matrix()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) -
                       expected.weights[1][0][i][j]) < 1e-5);
  }
}

TEST_CASE("tokens follow changes that look back only", "[models][changes]") {
  Opened o;
  RunRequest request;
  request.changes.heads = {{.block = 0, .head = 0, .kind = Kind::Uniform}, {.block = 1, .head = 1}};
  request.changes.blocks = {{.block = 2, .temperature = 0.5}};
  const ModelRun all = run_model(*o.model, o.input, request, o.work);
  ModelInput begin;
  begin.ids.assign(o.input.ids.begin(), o.input.ids.begin() + 5);
  const ModelRun grown = run_more(*o.model, run_model(*o.model, begin, request, o.work),
                                  std::span(o.input.ids).subspan(5), request, o.work);
  CHECK(grown.logits == all.logits);
  const auto refused = [&](const ModelChanges& changes, const std::string& what) {
    request.changes = changes;
    CHECK_THROWS_WITH(run_more(*o.model, run_model(*o.model, begin, request, o.work),
                               std::span(o.input.ids).subspan(5), request, o.work),
                      ContainsSubstring("may look at all of the text: " + what + "; run the whole text"));
  };
  refused({.heads = {{.block = 0, .head = 0, .kind = Kind::Mean}}}, "the mean of head 0.0");
  refused({.blocks = {{.block = 1, .temperature = 2}, {.block = 2, .mask_off = true}}},
          "layer 2 without its mask");
  LayerSpec own = attention_only(o.model->spec.decoder->blocks[1]);
  own.linear = true;
  refused({.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(own)}}},
          "layer 1 with settings of its own");
  own.linear = own.masking.causal = false;
  refused({.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(own)}}},
          "layer 1 with settings of its own");
  // What is swept and causal goes on like the model's own.
  own.masking.causal = true;
  own.masking.window.left = 2;
  own.positions = Positions::Alibi;
  own.soft_cap = 3;
  request.changes = {.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(own)}}};
  const ModelRun whole = run_model(*o.model, o.input, request, o.work);
  CHECK(whole.logits != all.logits);
  CHECK(run_more(*o.model, run_model(*o.model, begin, request, o.work), std::span(o.input.ids).subspan(5),
                 request, o.work)
            .logits == whole.logits);
}

TEST_CASE("changes that a model cannot have are refused in words", "[models][changes]") {
  Opened o;
  const auto refused = [&](ModelChanges changes, const std::string& words) {
    CAPTURE(words);
    RunRequest request;
    request.changes = std::move(changes);
    CHECK_THROWS_WITH(run_model(*o.model, o.input, request, o.work), ContainsSubstring(words));
  };
  refused({.heads = {{.block = 3}}}, "There is no head 3.0; the model has layers 0 to 2 with heads 0 to 3.");
  refused({.heads = {{.of = AttentionOf::Encoder}}}, "A change is one of an encoder; GPT-2 has none.");
  refused({.heads = {{.kind = Kind::Frozen}}}, "The change of head 0.0 brings no matrix.");
  refused({.heads = {{.kind = Kind::Uniform, .rows = {1}}}}, "holds in all rows");
  refused({.blocks = {{.block = -1}}}, "There is no layer -1");
  refused({.blocks = {{.temperature = 0}}}, "The temperature of layer 0 is 0");
}

}  // namespace attnscope::model_changes_test

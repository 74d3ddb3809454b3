// Activations under TransformerLens' names: against a naive decoder in double, and in the other families by
// their relations to each other.
#include "core/readouts/hook_tensors.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/readouts/unembed.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::hook_tensors_test {
namespace {

using Catch::Matchers::ContainsSubstring;
constexpr int n = 9;

struct Hooks {
  test::TemporaryDirectory directory;
  ThreadPool pool{2};
  Work work{pool, {}};
  ModelPtr model;
  ModelRun run;
  std::map<std::string, Tensor> all;

  void take(const std::string& family, const ModelChanges& changes = {}, HookBlocks blocks = {}) {
    const std::filesystem::path folder = directory / family;
    int tokens = small_models::other_tokens;
    if (family == "gpt2") {
      small_models::write_gpt(folder, small_models::gpt_weights());
      tokens = small_models::gpt_tokens;
    } else {
      small_models::write_other(folder, family);
    }
    model = open_model(folder);
    ModelInput input;
    input.ids = small_models::some_ids(n, tokens);
    RunRequest request;
    request.changes = changes;
    run = run_model(*model, input, request, work);
    hook_tensors(
        *model, run, blocks,
        [&](const std::string& name, Tensor values) { CHECK(all.emplace(name, std::move(values)).second); },
        work);
  }
  const Tensor& at(const std::string& name) const {
    INFO(name);
    const auto found = all.find(name);
    REQUIRE(found != all.end());
    return found->second;
  }
  const Tensor& in(int block, const std::string& name) const {
    return at(fmt::format("blocks.{}.{}", block, name));
  }
  /// [pos][head][d].
  double number(const Tensor& t, std::int64_t i, std::int64_t h, std::int64_t c) const {
    return static_cast<double>(t.data()[(i * t.shape()[1] + h) * t.shape()[2] + c]);
  }
};

double worst(const Tensor& found, const oracle::GptRows& expected) {
  REQUIRE(found.shape() == Shape{std::ssize(expected), std::ssize(expected[0])});
  double most = 0;
  for (std::int64_t i = 0; i < found.shape()[0]; ++i)
    for (std::int64_t c = 0; c < found.shape()[1]; ++c)
      most = std::max(most, std::abs(static_cast<double>(found.matrix()(i, c)) -
                                     expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)]));
  return most;
}

double worst_sum(const Tensor& sum, const Tensor& a, const Tensor& b) {
  REQUIRE(sum.shape() == a.shape());
  REQUIRE(sum.shape() == b.shape());
  double most = 0;
  for (std::int64_t i = 0; i < sum.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(sum.data()[i]) - static_cast<double>(a.data()[i]) -
                                   static_cast<double>(b.data()[i])));
  return most;
}

}  // namespace

TEST_CASE("TransformerLens' names hold what a naive decoder computes", "[readouts][hooks]") {
  Hooks hooks;
  hooks.take("gpt2");
  const oracle::GptWeights weights = small_models::gpt_weights();
  const oracle::GptRun expected =
      oracle::run_gpt(weights, {hooks.run.input.ids.begin(), hooks.run.input.ids.end()});
  // float32 against doubles, of numbers up to about 10
  constexpr double near = 2e-5;
  oracle::GptRows tokens, positions;
  for (std::size_t i = 0; i < n; ++i) {
    tokens.push_back(weights.tokens[static_cast<std::size_t>(hooks.run.input.ids[i])]);
    positions.push_back(weights.positions[i]);
  }
  CHECK(worst(hooks.at("hook_embed"), tokens) < 1e-6);
  CHECK(worst(hooks.at("hook_pos_embed"), positions) < 1e-6);
  CHECK(worst(hooks.at("ln_final.hook_normalized"), expected.normed) < near);
  for (int b = 0; b < small_models::gpt_blocks; ++b) {
    const auto at = static_cast<std::size_t>(b);
    CHECK(worst(hooks.in(b, "hook_resid_pre"), expected.hidden[at]) < near);
    CHECK(worst(hooks.in(b, "hook_resid_mid"), expected.middle[at]) < near);
    CHECK(worst(hooks.in(b, "hook_resid_post"), expected.hidden[at + 1]) < near);
    oracle::GptRows attention = expected.middle[at], mlp = expected.hidden[at + 1];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < attention[i].size(); ++c) {
        attention[i][c] -= expected.hidden[at][i][c];
        mlp[i][c] -= expected.middle[at][i][c];
      }
    CHECK(worst(hooks.in(b, "hook_attn_out"), attention) < near);
    CHECK(worst(hooks.in(b, "hook_mlp_out"), mlp) < near);
    for (int h = 0; h < small_models::gpt_heads; ++h) {
      const auto head = static_cast<std::size_t>(h);
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::int64_t>(i);
        for (std::size_t c = 0; c < 4; ++c) {
          const auto column = static_cast<std::int64_t>(c);
          const auto close = [&](const char* name, double is) {
            return std::abs(hooks.number(hooks.in(b, std::string("attn.") + name), row, h, column) - is) <
                   near;
          };
          CHECK(close("hook_q", expected.queries[at][head][i][c]));
          CHECK(close("hook_k", expected.keys[at][head][i][c]));
          CHECK(close("hook_v", expected.values[at][head][i][c]));
          CHECK(close("hook_z", expected.outputs[at][head][i][c]));
        }
        for (std::size_t j = 0; j < n; ++j) {
          double score = 0;
          for (std::size_t c = 0; c < 4; ++c)
            score += expected.queries[at][head][i][c] * expected.keys[at][head][j][c] / 2;
          const float found =
              hooks.in(b, "attn.hook_attn_scores").matrix(h)(row, static_cast<std::int64_t>(j));
          if (j > i)
            CHECK((std::isinf(found) && found < 0));
          else
            CHECK(std::abs(static_cast<double>(found) - score) < near);
          CHECK(std::abs(static_cast<double>(
                             hooks.in(b, "attn.hook_pattern").matrix(h)(row, static_cast<std::int64_t>(j))) -
                         expected.weights[at][head][i][j]) < 1e-5);
        }
      }
    }
  }
  CHECK(hooks.all.size() == 3 + 11 * static_cast<std::size_t>(small_models::gpt_blocks));
}

TEST_CASE("TransformerLens' names of every family fit each other", "[readouts][hooks]") {
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    Hooks hooks;
    hooks.take(family);
    const StackSpec& stack = *hooks.model->spec.decoder;
    const bool parallel = stack.arrangement() == Arrangement::Parallel;
    for (int b = 0; b < static_cast<int>(stack.blocks.size()); ++b) {
      const LayerSpec& spec = stack.blocks[static_cast<std::size_t>(b)];
      const Tensor &pre = hooks.in(b, "hook_resid_pre"), &post = hooks.in(b, "hook_resid_post"),
                   &attention = hooks.in(b, "hook_attn_out"), &mlp = hooks.in(b, "hook_mlp_out");
      if (parallel) {
        CHECK_FALSE(hooks.all.contains(fmt::format("blocks.{}.hook_resid_mid", b)));
        Tensor both = attention;
        for (std::int64_t i = 0; i < both.size(); ++i) both.data()[i] += mlp.data()[i];
        CHECK(worst_sum(post, pre, both) < 1e-5);
      } else {
        CHECK(worst_sum(hooks.in(b, "hook_resid_mid"), pre, attention) < 1e-5);
        CHECK(worst_sum(post, hooks.in(b, "hook_resid_mid"), mlp) < 1e-5);
      }
      const bool rotary = is_rotary(spec.positions);
      const Tensor &q = hooks.in(b, rotary ? "attn.hook_rot_q" : "attn.hook_q"),
                   &k = hooks.in(b, rotary ? "attn.hook_rot_k" : "attn.hook_k"),
                   &v = hooks.in(b, "attn.hook_v"), &z = hooks.in(b, "attn.hook_z"),
                   &scores = hooks.in(b, "attn.hook_attn_scores"),
                   &pattern = hooks.in(b, "attn.hook_pattern");
      CHECK(q.shape() == Shape{n, spec.heads, spec.d_k});
      CHECK(k.shape() == Shape{n, spec.kv_heads, spec.d_k});
      CHECK(hooks.in(b, "attn.hook_k").shape() == k.shape());
      if (rotary &&
          spec.qk_norm.kind ==
              QkNorm::Kind::None)  // the first position is not rotated, and no rotation changes a norm
        for (std::int64_t h = 0; h < spec.heads; ++h)
          for (std::int64_t i = 0; i < n; ++i) {
            double before = 0, behind = 0;
            for (std::int64_t c = 0; c < spec.d_k; ++c) {
              const double x = hooks.number(hooks.in(b, "attn.hook_q"), i, h, c),
                           y = hooks.number(q, i, h, c);
              if (i == 0) CHECK(std::abs(x - y) < 1e-6);
              before += x * x;
              behind += y * y;
            }
            CHECK(std::abs(before - behind) < 1e-4 * (1 + before));
          }
      for (std::int64_t h = 0; h < spec.heads; ++h) {
        const std::int64_t group = h * spec.kv_heads / spec.heads;
        for (std::int64_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            const auto score = static_cast<double>(scores.matrix(h)(i, j));
            sum += std::exp(score);
            if (j > i) CHECK(std::isinf(score));
            if (std::isinf(score) || spec.positions == Positions::Alibi) continue;
            double dot = 0;
            for (std::int64_t c = 0; c < spec.d_k; ++c)
              dot += hooks.number(q, i, h, c) * hooks.number(k, j, group, c);
            dot *= scale_of(spec);
            if (const auto cap = static_cast<double>(spec.soft_cap); cap > 0)
              dot = cap * std::tanh(dot / cap);
            CHECK(std::abs(dot - score) < 1e-4 * (1 + std::abs(score)));
          }
          for (std::int64_t j = 0; j < n; ++j)
            CHECK(std::abs(std::exp(static_cast<double>(scores.matrix(h)(i, j))) / sum -
                           static_cast<double>(pattern.matrix(h)(i, j))) < 1e-5);
          for (std::int64_t c = 0; c < spec.d_k; ++c) {
            double mixed = 0;
            for (std::int64_t j = 0; j < n; ++j)
              mixed += static_cast<double>(pattern.matrix(h)(i, j)) * hooks.number(v, j, group, c);
            CHECK(std::abs(mixed - hooks.number(z, i, h, c)) < 1e-4);
          }
        }
      }
    }
    const Tensor& last = hooks.at("ln_final.hook_normalized");
    CHECK(last.shape() == Shape{n, hooks.model->spec.d_model});
  }
}

TEST_CASE("changes of a run are in its TransformerLens tensors", "[readouts][hooks]") {
  Hooks hooks;
  ModelChanges changes;
  changes.heads.push_back({.of = AttentionOf::Decoder, .block = 1, .head = 2});
  changes.heads.push_back(
      {.of = AttentionOf::Decoder, .block = 1, .head = 0, .kind = HeadChange::Kind::Identity});
  changes.blocks.push_back({.of = AttentionOf::Decoder, .block = 2, .mlp_off = true, .temperature = 2});
  hooks.take("gpt2", changes, {.first = 1, .last = 2});
  CHECK_FALSE(hooks.all.contains("blocks.0.hook_resid_pre"));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t c = 0; c < 4; ++c) CHECK(hooks.number(hooks.in(1, "attn.hook_z"), i, 2, c) == 0);
    CHECK(hooks.in(1, "attn.hook_pattern").matrix(0)(i, i) == 1);
  }
  for (const float x : hooks.in(2, "hook_mlp_out").values()) CHECK(x == 0);
  CHECK(worst_sum(hooks.in(1, "hook_resid_post"), hooks.in(1, "hook_resid_mid"),
                  hooks.in(1, "hook_mlp_out")) < 1e-5);
  for (std::int64_t i = 0; i < n; ++i) {  // the temperature is in the scores
    double sum = 0;
    for (std::int64_t j = 0; j <= i; ++j)
      sum += std::exp(static_cast<double>(hooks.in(2, "attn.hook_attn_scores").matrix(3)(i, j)));
    for (std::int64_t j = 0; j <= i; ++j)
      CHECK(
          std::abs(std::exp(static_cast<double>(hooks.in(2, "attn.hook_attn_scores").matrix(3)(i, j))) / sum -
                   static_cast<double>(hooks.in(2, "attn.hook_pattern").matrix(3)(i, j))) < 1e-5);
  }
}

TEST_CASE("a block with settings of its own gives its pattern, and no scores that would not lead to it",
          "[hook_tensors]") {
  LayerSpec layer;
  layer.positions = Positions::Alibi;
  layer.masking.causal = layer.linear = true;
  const ModelChanges changes{
      .blocks = {{.block = 0, .attention = SharedValue<LayerSpec>(attention_only(layer))}}};
  Hooks hooks;
  hooks.take("llama", changes);
  CHECK_FALSE(hooks.all.contains("blocks.0.attn.hook_attn_scores"));
  CHECK(hooks.all.contains("blocks.1.attn.hook_attn_scores"));
  const Tensor weights = head_weights(*hooks.model, hooks.run, AttentionOf::Decoder, 0, 1, hooks.work);
  CHECK(std::as_const(hooks.in(0, "attn.hook_pattern")).matrix(1) == weights.matrix());
}

}  // namespace attnscope::hook_tensors_test

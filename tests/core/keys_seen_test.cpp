// Which keys the queries of a run see, and the entropies of its heads, against loops over all keys and
// against a naive decoder in double.
#include "core/models/keys_seen.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/document/attention_settings.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/staged_attention.hpp"
#include "core/read_gpt.hpp"

namespace attnscope::keys_seen_test {
namespace {

using small_models::ReadGpt;
constexpr int n = ReadGpt::length;

struct Rule {
  bool causal, mask_off, made_causal;
  int window;
};

/// By the settings and changes of a block.
bool sees(const Rule& rule, int query, int key) {
  if (rule.made_causal && key > query) return false;
  if (rule.mask_off) return true;
  if (rule.causal && key > query) return false;
  if (rule.window == 0) return true;
  return query - key < rule.window && (rule.causal || key - query < rule.window);
}

/// −Σ w ln w / ln(keys) over rows that see two keys or more.
double naive_entropy(const std::vector<std::vector<double>>& weights, const std::vector<int>& allowed) {
  double sum = 0, rows = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (allowed[i] < 2) continue;
    double entropy = 0;
    for (const double w : weights[i])
      if (w > 0) entropy -= w * std::log(w);
    sum += entropy / std::log(static_cast<double>(allowed[i]));
    ++rows;
  }
  return sum / rows;
}

}  // namespace

TEST_CASE("the keys that a block's queries see are those of its causal rule, its window and its changes",
          "[models]") {
  for (const bool causal : {false, true})
    for (const bool mask_off : {false, true})
      for (const bool made_causal : {false, true})
        for (const int window : {0, 1, 3, 20}) {
          const Rule rule{causal, mask_off, made_causal, window};
          CAPTURE(causal, mask_off, made_causal, window);
          ModelSpec spec;
          spec.decoder.emplace();
          spec.decoder->blocks.resize(2);
          spec.decoder->blocks[1].masking.window.left = window - 1;
          set_causal(*spec.decoder, causal);
          ModelRun run;
          run.decoder.hidden.push_back({.width = 2, .values = std::vector<float>(2 * 8)});
          run.changes.blocks = {{.block = 1, .mask_off = mask_off, .causal = made_causal}};
          const KeysSeen seen = keys_seen(spec, run, AttentionOf::Decoder, 1);
          CHECK(seen.keys == 8);
          CHECK(rows_of(run, AttentionOf::Decoder) == 8);
          for (int query = 0; query < 8; ++query)
            for (int key = 0; key < 8; ++key)
              CHECK((key >= seen.first(query) && key < seen.last(query)) == sees(rule, query, key));
        }
}

TEST_CASE("the keys that are seen are those that the attention of a run is computed with", "[models]") {
  const ReadGpt o;
  ModelRun run = o.run;
  for (const bool mask_off : {false, true}) {
    run.changes.blocks = {{.block = 1, .mask_off = mask_off}};
    const KeysSeen seen = keys_seen(o.model->spec, run, AttentionOf::Decoder, 1);
    const BlockProblem made = problem_of(*o.model, run, AttentionOf::Decoder, 1);
    for (std::int64_t i = 0; i < n; ++i)
      CHECK(seen.last(i) - seen.first(i) == allowed_keys(made.problem, 0, i));
  }
}

TEST_CASE("normalised entropies are those of naive doubles, hidden tokens or not", "[models]") {
  const ReadGpt o;
  RunRequest request;
  request.entropy = true;
  const ModelRun run = run_model(*o.model, o.input, request, o.work);
  std::vector<int> allowed(n);
  for (int i = 0; i < n; ++i) allowed[static_cast<std::size_t>(i)] = i + 1;
  for (std::size_t block = 0; block < o.expected.weights.size(); ++block) {
    const auto found = normalised_entropies(*o.model, run, AttentionOf::Decoder, static_cast<int>(block));
    REQUIRE(found.size() == o.expected.weights[block].size());
    for (std::size_t h = 0; h < found.size(); ++h) {
      REQUIRE(found[h].has_value());
      CHECK(std::abs(*found[h] - naive_entropy(o.expected.weights[block][h], allowed)) < 1e-5);
    }
  }
  // Without the request there is none.
  for (const auto& head : normalised_entropies(*o.model, o.run, AttentionOf::Decoder, 0))
    CHECK_FALSE(head.has_value());

  ModelInput hidden = o.input;
  hidden.mask.assign(n, 1);
  hidden.mask[2] = hidden.mask[5] = 0;
  const ModelRun masked = run_model(*o.model, hidden, request, o.work);
  int seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    seen += hidden.mask[i];
    allowed[i] = seen;
  }
  const auto found = normalised_entropies(*o.model, masked, AttentionOf::Decoder, 1);
  for (std::int64_t h = 0; h < std::ssize(found); ++h) {
    const Tensor weights = head_weights(*o.model, masked, AttentionOf::Decoder, 1, h, o.work);
    std::vector<std::vector<double>> rows(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        rows[static_cast<std::size_t>(i)].push_back(static_cast<double>(weights.matrix()(i, j)));
    CHECK(std::abs(found[static_cast<std::size_t>(h)].value() - naive_entropy(rows, allowed)) < 1e-5);
  }
}

TEST_CASE("a block with a mask of its own: its keys and entropies are those of that mask, head by head",
          "[models][changes]") {
  const ReadGpt o;
  LayerSpec settings = attention_only(o.model->spec.decoder->blocks[1]);
  settings.masking.causal = false;
  settings.masking.window = {1, 2};
  const auto run_with = [&](const LayerSpec& layer) {
    RunRequest request;
    request.entropy = true;
    request.changes.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(layer)}};
    return run_model(*o.model, o.input, request, o.work);
  };
  const auto check_entropies = [&](const ModelRun& run, const auto& is_open) {
    const auto found = normalised_entropies(*o.model, run, AttentionOf::Decoder, 1);
    for (std::int64_t h = 0; h < std::ssize(found); ++h) {
      CAPTURE(h);
      const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, h, o.work);
      std::vector<std::vector<double>> rows(n);
      std::vector<int> allowed(n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          rows[static_cast<std::size_t>(i)].push_back(static_cast<double>(weights.matrix()(i, j)));
          const bool open = is_open(h) || (j >= i - 1 && j <= i + 2);
          allowed[static_cast<std::size_t>(i)] += open ? 1 : 0;
          if (!open) CHECK(weights.matrix()(i, j) == 0.f);
        }
      CHECK(std::abs(found[static_cast<std::size_t>(h)].value() - naive_entropy(rows, allowed)) < 1e-5);
    }
  };

  const ModelRun all = run_with(settings);
  const KeysSeen seen = keys_seen(o.model->spec, all, AttentionOf::Decoder, 1);
  CHECK(seen.left == 1);
  CHECK(seen.right == 2);
  CHECK(seen.keys == n);
  check_entropies(all, [](std::int64_t) { return false; });

  // The other heads see all keys, so the band of the block is open.
  settings.masking.heads = {0};
  const ModelRun one = run_with(settings);
  const KeysSeen open = keys_seen(o.model->spec, one, AttentionOf::Decoder, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    CHECK(open.first(i) == 0);
    CHECK(open.last(i) == n);
  }
  check_entropies(one, [](std::int64_t h) { return h > 0; });
}

TEST_CASE("a block's own mask is told cell by cell and head by head, and pooled for its pictures",
          "[models][changes]") {
  const ReadGpt o;
  constexpr std::int64_t heads = small_models::gpt_heads;
  LayerSpec settings = attention_only(o.model->spec.decoder->blocks[1]);
  settings.masking.sparsity.kind = Sparsity::Kind::Strided;
  settings.masking.sparsity.stride = 4;
  settings.masking.heads = {0};
  auto painted = std::make_shared<Tensor>(Shape{1, heads, n, n});
  painted->matrix(0, 1).topLeftCorner(4, 4).setConstant(-std::numeric_limits<float>::infinity());
  settings.masking.additive = painted;
  const auto sees = [](std::int64_t h, std::int64_t i, std::int64_t j) {
    if (h == 0) return j <= i && (i - j) % 4 == 0;
    return h != 1 || i >= 4 || j >= 4;
  };
  for (const int side : {64, 6, 3}) {
    CAPTURE(side);
    RunRequest request;
    request.picture_side = side;
    request.changes.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(settings)}};
    const ModelRun run = run_model(*o.model, o.input, request, o.work);
    const HeadMask mask(o.model->spec, run, AttentionOf::Decoder, 1);
    CHECK_FALSE(mask.is_same_for_heads());
    const HeadPictures& pictures = run.decoder.attention[1].pictures;
    for (std::int64_t h = 0; h < heads; ++h) {
      CAPTURE(h);
      const Tensor weights = head_weights(*o.model, run, AttentionOf::Decoder, 1, h, o.work);
      std::vector<std::uint8_t> row(n);
      for (std::int64_t i = 0; i < n; ++i) {
        mask.see(h, i, row);
        std::int64_t allowed = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          CHECK(row[static_cast<std::size_t>(j)] == (sees(h, i, j) ? 1 : 0));
          CHECK((weights.matrix()(i, j) != 0) == sees(h, i, j));
          allowed += sees(h, i, j) ? 1 : 0;
        }
        CHECK(mask.allowed_keys(h, i) == allowed);
      }
      const auto means = pictures.mean.matrix(h);
      row.resize(static_cast<std::size_t>(means.cols()));
      for (std::int64_t i = 0; i < means.rows(); ++i) {
        mask.see_cells(h, i, row);
        for (std::int64_t j = 0; j < means.cols(); ++j)
          CHECK(row[static_cast<std::size_t>(j)] == (means(i, j) != 0 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("keys that the input's mask hides are hidden in every block, in cells as well", "[models]") {
  const ReadGpt o;
  ModelInput input = o.input;
  input.mask.assign(n, 1);
  input.mask[2] = input.mask[3] = 0;
  RunRequest request;
  request.picture_side = 8;  // of two rows and keys each
  const ModelRun run = run_model(*o.model, input, request, o.work);
  const HeadMask mask(o.model->spec, run, AttentionOf::Decoder, 2);
  CHECK(mask.is_same_for_heads());
  std::vector<std::uint8_t> row(n);
  for (std::int64_t i = 0; i < n; ++i) {
    mask.see(3, i, row);
    for (std::int64_t j = 0; j < n; ++j)
      CHECK(row[static_cast<std::size_t>(j)] == (j <= i && j / 2 != 1 ? 1 : 0));
    CHECK(mask.allowed_keys(3, i) == std::min<std::int64_t>(i + 1, 2) + std::max<std::int64_t>(0, i - 3));
  }
  row.resize(6);
  for (std::int64_t i = 0; i < 6; ++i) {
    mask.see_cells(3, i, row);
    for (std::int64_t j = 0; j < 6; ++j)
      CHECK(row[static_cast<std::size_t>(j)] == (j <= i && j != 1 ? 1 : 0));
  }
}

TEST_CASE("a hidden key that has a weight is seen, one that has NaN is not", "[models]") {
  std::vector<std::uint8_t> seen{0, 0, 0, 1};
  add_leaks(std::vector<float>{0, 0.5f, NAN, 0}, seen);
  CHECK(seen == std::vector<std::uint8_t>{0, 1, 0, 1});
}

}  // namespace attnscope::keys_seen_test

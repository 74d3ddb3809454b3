// Logit lens, splits of logits and scores over the parts of the residual stream, and contributions: against a
// naive decoder in double, and as sums in the other families.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/layer_documents.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/read_gpt.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/logit_split.hpp"
#include "core/readouts/part_groups.hpp"
#include "core/readouts/score_split.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::readouts_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using oracle::GptRow;
constexpr int n = small_models::ReadGpt::length;
constexpr std::size_t d = small_models::gpt_width, d_k = 4;

using Opened = small_models::ReadGpt;

GptRow minus(const GptRow& a, const GptRow& b) {
  GptRow c = a;
  for (std::size_t i = 0; i < c.size(); ++i) c[i] -= b[i];
  return c;
}

/// The parts of the stream that enters a block, in the order of parts_of_stream().
std::vector<GptRow> naive_parts(const Opened& o, std::size_t row, std::size_t blocks) {
  std::vector<GptRow> parts{o.weights.tokens[static_cast<std::size_t>(o.input.ids[row])],
                            o.weights.positions[row]};
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t h = 0; h < small_models::gpt_heads; ++h) {
      GptRow part(d, 0.0);
      for (std::size_t c = 0; c < d_k; ++c)
        for (std::size_t k = 0; k < d; ++k)
          part[k] += o.expected.outputs[b][h][row][c] * o.weights.blocks[b].out[h * d_k + c][k];
      parts.push_back(part);
    }
    parts.push_back(o.weights.blocks[b].out_bias);
    parts.push_back(minus(o.expected.hidden[b + 1][row], o.expected.middle[b][row]));
  }
  return parts;
}

struct NaiveNorm {
  double mean = 0, inverse = 0;
  explicit NaiveNorm(const GptRow& x) {
    for (const double value : x) mean += value / static_cast<double>(x.size());
    double squares = 0;
    for (const double value : x) squares += (value - mean) * (value - mean) / static_cast<double>(x.size());
    inverse = 1 / std::sqrt(squares + 1e-5);
  }
};

/// Parts of a query (first = 0) or key (first = d) of a head: those of the stream, centring, the norm's bias,
/// the map's bias.
std::vector<GptRow> naive_head_parts(const Opened& o, std::size_t block, std::size_t head, std::size_t row,
                                     std::size_t first) {
  const oracle::GptBlock& weights = o.weights.blocks[block];
  const NaiveNorm norm(o.expected.hidden[block][row]);
  const auto mapped = [&](const GptRow& x) {
    GptRow y(d_k, 0.0);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t c = 0; c < d_k; ++c) y[c] += x[i] * weights.qkv[i][first + head * d_k + c];
    return y;
  };
  const auto scaled = [&](GptRow x, double factor) {
    for (std::size_t i = 0; i < d; ++i) x[i] *= factor * weights.norm1[i];
    return x;
  };
  std::vector<GptRow> parts;
  for (const GptRow& part : naive_parts(o, row, block)) parts.push_back(mapped(scaled(part, norm.inverse)));
  parts.push_back(mapped(scaled(GptRow(d, 1.0), -norm.mean * norm.inverse)));
  parts.push_back(mapped(weights.bias1));
  const auto bias = weights.qkv_bias.begin() + static_cast<std::ptrdiff_t>(first + head * d_k);
  parts.emplace_back(bias, bias + d_k);
  return parts;
}

double product(const GptRow& a, const GptRow& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void check_logit_sum(const Model& model, const ModelRun& run, const Work& work) {
  const std::int64_t row = run.logits.rows() - 2;
  for (const std::int64_t token : {3, 7}) {
    const LogitSplit split = split_logit(model, run, row, token, std::nullopt, work);
    double sum = 0, largest = 0;
    for (const double value : split.values) {
      sum += value;
      largest = std::max(largest, std::abs(value));
    }
    CAPTURE(sum, split.logit, largest);
    CHECK(std::abs(sum - split.logit) < 1e-4 * std::max(std::abs(split.logit), 0.01 * largest));
    const double cap = model.spec.logit_cap;
    const double shown = cap == 0 ? sum : cap * std::tanh(sum / cap);
    CHECK(std::abs(shown - static_cast<double>(run.logits.row(row)[token])) <
          1e-4 * std::max(1.0, std::abs(shown)));
    const LogitSplit apart = split_logit(model, run, row, token, 5, work);
    CHECK(std::abs(apart.logit - (split.logit - split_logit(model, run, row, 5, std::nullopt, work).logit)) <
          1e-5);
  }
}

void check_score_sums(const Model& model, const ModelRun& run, AttentionOf of, const Work& work) {
  const StackView stack = stack_of(model, run, of);
  const std::size_t block = stack.spec.blocks.size() - 1;
  const std::int64_t query = stack.run.hidden[0].rows() - 1;
  for (std::int64_t head = 0; head < stack.spec.blocks[block].heads; ++head) {
    for (const bool over_mean : {false, true}) {
      const ScoreSplit split = split_score(model, run, {of, block, head, query, query - 1, over_mean}, work);
      CAPTURE(block, head, over_mean, split.score, split.cells.matrix().sum());
      CHECK(std::abs(split.cells.matrix().sum() - split.score) < 1e-5 * std::max(1.0, std::abs(split.score)));
    }
  }
}

}  // namespace

TEST_CASE("the logit lens behind every block and between attention and MLP", "[readouts][lens]") {
  Opened o;
  const std::vector<LensPlace> places = lens_places(o.model->spec);
  REQUIRE(places.size() == 1 + 2 * small_models::gpt_blocks);
  for (const LensPlace& place : places) {
    const Tensor logits = lens_logits(*o.model, o.run, place, 2, n, o.work);
    REQUIRE(logits.shape() == Shape{n - 2, small_models::gpt_tokens});
    for (std::size_t i = 2; i < n; ++i) {
      const auto block = static_cast<std::size_t>(std::max(place.block, 0));
      const GptRow& stream = place.behind_attention ? o.expected.middle[block][i]
                             : place.block < 0      ? o.expected.hidden[0][i]
                                                    : o.expected.hidden[block + 1][i];
      const GptRow expected = oracle::gpt_logits(o.weights, stream);
      for (std::size_t k = 0; k < expected.size(); ++k)
        CHECK(std::abs(static_cast<double>(
                           logits.matrix()(static_cast<Eigen::Index>(i - 2), static_cast<Eigen::Index>(k))) -
                       expected[k]) < 1e-5);
    }
  }
  // After the last block the lens has the same bits as the model's prediction.
  const Tensor last = lens_logits(*o.model, o.run, places.back(), 0, n, o.work);
  CHECK(std::ranges::equal(last.values(), o.run.logits.values));
}

TEST_CASE("a logit is the sum of what was written into the stream", "[readouts][attribution]") {
  Opened o;
  constexpr std::size_t row = 6;
  const LogitSplit split = split_logit(*o.model, o.run, row, 9, 4, o.work);
  const std::vector<GptRow> parts = naive_parts(o, row, small_models::gpt_blocks);
  const NaiveNorm norm(o.expected.hidden.back()[row]);
  GptRow direction = minus(o.weights.tokens[9], o.weights.tokens[4]);
  std::vector<double> expected;
  const double of_bias = product(direction, o.weights.norm_bias);
  for (std::size_t c = 0; c < d; ++c) direction[c] *= o.weights.norm[c] * norm.inverse;
  for (const GptRow& part : parts) expected.push_back(product(direction, part));
  expected.push_back(-norm.mean * product(direction, GptRow(d, 1.0)));
  expected.push_back(of_bias);
  REQUIRE(split.values.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(name_of(split.parts[i]));
    CHECK(std::abs(split.values[i] - expected[i]) < 1e-5);
  }
  CHECK(std::abs(split.logit - (o.expected.logits[row][9] - o.expected.logits[row][4])) < 1e-5);
  CHECK(std::abs(split.norm_scale - norm.inverse) < 1e-5);
  CHECK(name_of(split.parts[2 + 6 + 3]) == "head 1.3");
  check_logit_sum(*o.model, o.run, o.work);
  // A change of the run changes the parts.
  const ModelRun without = run_model(
      *o.model, o.input,
      {.changes = {.heads = {{.block = 1, .head = 3}}, .blocks = {{.block = 0, .attention_off = true}}}},
      o.work);
  CHECK(split_logit(*o.model, without, row, 9, 4, o.work).values[2 + 6 + 3] == 0);
  check_logit_sum(*o.model, without, o.work);
}

TEST_CASE("a score is the sum over parts of the query and of the key", "[readouts][why]") {
  Opened o;
  constexpr std::size_t block = 2, head = 1, query = 8, key = 5;
  const std::vector<GptRow> q = naive_head_parts(o, block, head, query, 0);
  std::vector<GptRow> k = naive_head_parts(o, block, head, key, d);
  for (const bool over_mean : {false, true}) {
    const ScoreSplit split =
        split_score(*o.model, o.run, {AttentionOf::Decoder, block, head, query, key, over_mean}, o.work);
    if (over_mean)
      for (std::size_t j = 0; j <= query; ++j) {
        const std::vector<GptRow> other = naive_head_parts(o, block, head, j, d);
        for (std::size_t p = 0; p < k.size(); ++p)
          for (std::size_t c = 0; c < d_k; ++c) k[p][c] -= other[p][c] / (query + 1);
      }
    REQUIRE(split.cells.shape() == Shape{std::ssize(q), std::ssize(k)});
    double sum = 0;
    for (std::size_t a = 0; a < q.size(); ++a)
      for (std::size_t b = 0; b < k.size(); ++b) {
        const double cell = product(q[a], k[b]) / std::sqrt(d_k);
        sum += cell;
        CHECK(std::abs(split.cells.matrix()(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) -
                       cell) < 1e-5);
      }
    CHECK(std::abs(split.score - sum) < 1e-5 * std::max(1.0, std::abs(sum)));
  }
  CHECK_THROWS_WITH(split_score(*o.model, o.run, {AttentionOf::Decoder, 1, 0, 3, 4}, o.work),
                    "Query 3 may not see key 4: the mask hides it.");
  CHECK_THROWS_AS(split_score(*o.model, o.run, {AttentionOf::Decoder, 3, 0, 3, 2}, o.work), Error);
  CHECK_THROWS_AS(split_score(*o.model, o.run, {AttentionOf::Encoder, 0, 0, 3, 2}, o.work), Error);
}

TEST_CASE("the largest parts and the rest add up to the score", "[readouts][why]") {
  Opened o;
  const ScoreSplit split = split_score(*o.model, o.run, {AttentionOf::Decoder, 2, 1, 8, 5, true}, o.work);
  CHECK(std::abs(split.raw - split.mean - split.score) < 1e-12);
  CHECK(split.allowed == 9);
  const std::vector<double> by_query = query_sums(split), by_key = key_sums(split);
  for (const std::size_t most : {4, 6, 10, 1000}) {
    CAPTURE(most);
    const std::vector<PartGroup> queries = group_parts(split.query_parts, by_query, most),
                                 keys = group_parts(split.key_parts, by_key, most);
    CHECK(queries.size() <= most);
    CHECK(keys.size() <= most);
    CHECK(queries[0].members == std::vector<std::size_t>{0});
    std::vector<std::size_t> members;
    double smallest = INFINITY, largest_other = 0;
    for (const PartGroup& group : queries) {
      double sum = 0;
      for (const std::size_t member : group.members) {
        sum += by_query[member];
        members.push_back(member);
        if (group.kind != PartGroup::Kind::Single)
          largest_other = std::max(largest_other, std::abs(by_query[member]));
        else if (member != 0)
          smallest = std::min(smallest, std::abs(by_query[member]));
      }
      CHECK(std::abs(group.sum - sum) < 1e-12);
    }
    CHECK(largest_other <= smallest);
    std::ranges::sort(members);
    CHECK(std::ranges::adjacent_find(members) == members.end());
    for (std::size_t i = 0; i < by_query.size(); ++i)
      CHECK(std::ranges::binary_search(members, i) == (by_query[i] != 0));
    const TensorOf<double> cells = grouped_cells(split, queries, keys);
    CHECK(std::abs(cells.matrix().sum() - split.cells.matrix().sum()) < 1e-9);
    for (std::size_t a = 0; a < queries.size(); ++a)
      CHECK(std::abs(cells.matrix().row(static_cast<Eigen::Index>(a)).sum() - queries[a].sum) < 1e-9);
  }
}

TEST_CASE("a logit less the mean of all logits", "[readouts][attribution]") {
  Opened o;
  const MeanLogit mean = mean_logit(*o.model, o.work);
  double sum = 0;
  for (const float logit : std::span(o.run.logits.row(7), small_models::gpt_tokens))
    sum += static_cast<double>(logit);
  const LogitSplit split = split_logit(*o.model, o.run, 7, 3, std::nullopt, o.work, &mean);
  CHECK(std::abs(split.logit -
                 (static_cast<double>(o.run.logits.row(7)[3]) - sum / small_models::gpt_tokens)) < 1e-5);
  double parts = 0;
  for (const double value : split.values) parts += value;
  CHECK(std::abs(parts - split.logit) < 1e-4 * std::max(1.0, std::abs(split.logit)));
}

TEST_CASE("splits sum up in every family", "[readouts][attribution][why]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    small_models::write_other(directory / family, family);
    const ModelPtr model = open_model(directory / family);
    ModelInput input;
    input.ids = small_models::some_ids(n, small_models::other_tokens);
    const ModelRun run = run_model(*model, input, {}, work);
    check_logit_sum(*model, run, work);
    check_score_sums(*model, run, AttentionOf::Decoder, work);
    // The last block with settings of its own.
    LayerSpec layer = attention_only(model->spec.decoder->blocks.back());
    layer.positions = is_rotary(layer.positions) ? Positions::Alibi : Positions::RopeHalf;
    layer.qk_norm.kind = QkNorm::Kind::RootMeanSquare;
    layer.soft_cap = 4;
    const int last_block = static_cast<int>(model->spec.decoder->blocks.size()) - 1;
    const ModelChanges own{.blocks = {{.block = last_block, .attention = SharedValue<LayerSpec>(layer)}}};
    check_score_sums(*model, run_model(*model, input, {.changes = own}, work), AttentionOf::Decoder, work);
    const std::vector<LensPlace> places = lens_places(model->spec);
    const Tensor last = lens_logits(*model, run, places.back(), 0, n, work);
    CHECK(std::ranges::equal(last.values(), run.logits.values));
  }
}

TEST_CASE("splits sum up in the committed models of further families", "[readouts][attribution][why]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  // Granite multiplies what blocks add; OLMo 2 and EXAONE norm it; OLMo 2 norms all heads at once.
  for (const std::string name :
       {"granite", "olmo2", "olmo3", "exaone4", "cohere2", "glm4", "phi3_longrope", "gpt_neo", "gptj",
        "falcon_7b", "falcon_40b", "stablelm_parallel", "nemotron", "mixtral", "qwen2_moe", "gpt_oss"}) {
    CAPTURE(name);
    const ModelPtr model = open_model(layer_documents::goldens / name);
    ModelInput input;
    input.ids = {5, 9, 4, 16, 9, 7, 12};
    const ModelRun run = run_model(*model, input, {}, work);
    check_logit_sum(*model, run, work);
    check_score_sums(*model, run, AttentionOf::Decoder, work);
  }
}

TEST_CASE("scores of a block whose rotary positions are its own, where the input's tokens are not its rows",
          "[readouts][why]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const std::string name : {"t5_gated", "vit_classify"}) {
    CAPTURE(name);
    const ModelPtr model = open_model(layer_documents::goldens / name);
    const AttentionOf of = output_attention(model->spec);
    ModelInput input;
    if (const auto& image = model->spec.image) {
      input.image = Tensor(Shape{image->channels, image->height, image->width});
      for (std::int64_t i = 0; i < input.image.size(); ++i)
        input.image.data()[i] = static_cast<float>(std::sin(static_cast<double>(i)));
    } else {
      input.ids = {5, 9};
      input.decoder_ids = {0, 7, 3, 2, 7};
    }
    const std::vector<LayerSpec>& blocks = model->spec.stack(of).blocks;
    LayerSpec layer = attention_only(blocks.back());
    layer.positions = Positions::RopeHalf;
    const BlockChange own{
        .of = of, .block = static_cast<int>(blocks.size()) - 1, .attention = SharedValue<LayerSpec>(layer)};
    check_score_sums(*model, run_model(*model, input, {.changes = {.blocks = {own}}}, work), of, work);
  }
}

TEST_CASE("splits of the tiny models", "[readouts][attribution][why]") {
  const std::filesystem::path models = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const auto& folder : std::filesystem::directory_iterator(models)) {
    const std::string name = folder.path().filename();
    const bool whole =
        exists(folder.path() / "model.safetensors") || exists(folder.path() / "model.safetensors.index.json");
    if (name == "vit" || !whole) continue;
    CAPTURE(name);
    const ModelPtr model = open_model(folder.path());
    ModelInput input;
    input.ids = {5, 17, 33, 20, 17, 33, 9, 60};
    if (model->spec.encoder && model->spec.decoder) input.decoder_ids = {0, 7, 30, 12, 7};
    const ModelRun run = run_model(*model, input, {}, work);
    const AttentionOf of = output_attention(model->spec);
    if (stack_of(*model, run, of).spec.arrangement() == Arrangement::PostNorm) {
      CHECK_THROWS_WITH(split_score(*model, run, {of, 1, 0, 3, 2}, work), ContainsSubstring("post-norm"));
      continue;
    }
    check_logit_sum(*model, run, work);
    check_score_sums(*model, run, of, work);
  }
}

TEST_CASE("what a key adds through a head", "[readouts]") {
  Opened o;
  const std::vector<double> found =
      contribution_norms(*o.model, o.run, AttentionOf::Decoder, 1, 2, 7, o.work);
  const Tensor all = contributions(*o.model, o.run, AttentionOf::Decoder, 1, 2, o.work);
  for (std::size_t j = 0; j < n; ++j) {
    double squares = 0;
    for (std::size_t k = 0; k < d; ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < d_k; ++c)
        sum += o.expected.values[1][2][j][c] * o.weights.blocks[1].out[2 * d_k + c][k];
      squares += sum * sum;
    }
    CHECK(std::abs(found[j] - o.expected.weights[1][2][7][j] * std::sqrt(squares)) < 1e-5);
    for (std::size_t i = 0; i < n; ++i) {
      const auto cell =
          static_cast<double>(all.matrix()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
      CHECK(std::abs(cell - o.expected.weights[1][2][i][j] * std::sqrt(squares)) < 1e-5);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<double>& row = o.expected.weights[1][2][i];
    const auto key = static_cast<std::size_t>(
        strongest_key(*o.model, o.run, AttentionOf::Decoder, 1, 2, static_cast<std::int64_t>(i), o.work));
    CHECK(row[key] > *std::ranges::max_element(row) - 1e-5);
  }
}

}  // namespace attnscope::readouts_test

// The strongest path to a score: every step is the largest sum of the split, and every head is shown at the
// key with its largest contribution.
#include "core/readouts/strongest_path.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/document/attention_settings.hpp"
#include "core/models/opened/block_tensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/read_gpt.hpp"
#include "core/readouts/contribution.hpp"
#include "core/readouts/part_groups.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::strongest_path_test {
namespace {

using Catch::Matchers::ContainsSubstring;

struct Best {
  StreamPart part;
  double adds = 0;
};

/// The head with the largest sum above 0, by a search over all heads.
std::optional<Best> best_of(const ScoreSplit& split, bool query) {
  const auto& parts = query ? split.query_parts : split.key_parts;
  std::optional<Best> best;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < (query ? split.key_parts : split.query_parts).size(); ++j) {
      const auto a = static_cast<Eigen::Index>(query ? i : j), b = static_cast<Eigen::Index>(query ? j : i);
      sum += split.cells.matrix()(a, b);
    }
    if (parts[i].kind == StreamPart::Kind::Head && sum > 0 && (!best || sum > best->adds))
      best = Best{parts[i], sum};
  }
  return best;
}

}  // namespace

TEST_CASE("the strongest path takes the largest step each time", "[readouts][why]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(9, small_models::gpt_tokens);
  const ModelRun run = run_model(*model, input, {}, work);
  int links = 0;
  for (std::int64_t head = 0; head < 4; ++head) {
    for (const bool over_mean : {true, false}) {
      CAPTURE(head, over_mean);
      const ScoreQuestion asked{AttentionOf::Decoder, 2, head, 8, 5, over_mean};
      const ScoreSplit split = split_score(*model, run, asked, work);
      const std::vector<PathHead> path = strongest_path(*model, run, asked, split, work);
      REQUIRE_FALSE(path.empty());
      CHECK(path[0].into == -1);
      CHECK(path[0].block == 2);
      CHECK(path[0].key == 5);
      CHECK(path[0].score == split.score);
      for (const bool query : {true, false}) {
        const std::optional<Best> best = best_of(split, query);
        const auto found = std::ranges::find_if(
            path, [&](const PathHead& at) { return at.into == 0 && at.through_query == query; });
        REQUIRE((found != path.end()) == best.has_value());
        if (!best) continue;
        CHECK(found->block == best->part.block);
        CHECK(found->head == best->part.head);
        CHECK(std::abs(found->adds - best->adds) < 1e-9);
        CHECK(found->query == (query ? 8 : 5));
        const ScoreSplit next = split_score(*model, run,
                                            {AttentionOf::Decoder, static_cast<std::size_t>(found->block),
                                             found->head, found->query, found->key, over_mean},
                                            work);
        CHECK(std::abs(found->score - next.score) < 1e-9);
        const std::optional<Best> q = best_of(next, true), k = best_of(next, false);
        const auto behind =
            std::ranges::find_if(path, [&](const PathHead& at) { return at.into == found - path.begin(); });
        REQUIRE((behind != path.end()) == (q || k));
        if (behind == path.end()) continue;
        CHECK(std::abs(behind->adds - std::max(q ? q->adds : 0, k ? k->adds : 0)) < 1e-9);
        CHECK(std::isnan(behind->score));
        ++links;
      }
      for (const PathHead& at : path) {
        const auto block = static_cast<std::size_t>(at.block);
        const Tensor weights = head_weight_rows(*model, run, AttentionOf::Decoder, block, at.head,
                                                {at.query, at.query + 1}, work);
        CHECK(at.weight == static_cast<double>(weights.matrix()(0, at.key)));
        if (at.into < 0) continue;
        const std::vector<double> adds =
            contribution_norms(*model, run, AttentionOf::Decoder, block, at.head, at.query, work);
        CHECK(adds[static_cast<std::size_t>(at.key)] == std::ranges::max(adds));
      }
    }
  }
  CHECK(links > 4);

  // The first block has no earlier heads.
  const ScoreQuestion first{AttentionOf::Decoder, 0, 1, 8, 5, true};
  CHECK(strongest_path(*model, run, first, split_score(*model, run, first, work), work).size() == 1);
}

TEST_CASE("the strongest path ends at a head whose block has settings of its own", "[readouts][why]") {
  const test::TemporaryDirectory directory;
  ThreadPool pool(1);
  const Work work{pool, {}};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ModelInput input;
  input.ids = small_models::some_ids(9, small_models::gpt_tokens);
  LayerSpec settings = attention_only(model->spec.decoder->blocks[1]);
  settings.softmax = SoftmaxKind::Naive;
  RunRequest request;
  request.changes.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(settings)}};
  const ModelRun run = run_model(*model, input, request, work);
  int ends = 0;
  for (std::int64_t cell = 0; cell < 4 * 8; ++cell) {
    const ScoreQuestion asked{AttentionOf::Decoder, 2, cell / 8, 8, cell % 8, true};
    const std::vector<PathHead> path =
        strongest_path(*model, run, asked, split_score(*model, run, asked, work), work);
    REQUIRE_FALSE(path.empty());
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i].into != 0) continue;
      const bool is_split = path[i].block != 1;
      CHECK(std::isnan(path[i].score) != is_split);
      CHECK(path[i].weight > 0);
      if (is_split) continue;
      CHECK(std::ranges::count(path, static_cast<int>(i), &PathHead::into) == 0);
      ++ends;
    }
  }
  CHECK(ends > 0);
}

TEST_CASE("a score that is not split says which setting of its layer is why", "[readouts][why]") {
  small_models::ReadGpt o;
  const auto refusal = [&](const auto& set) -> std::string {
    LayerSpec layer = attention_only(o.model->spec.decoder->blocks[1]);
    set(layer);
    const ModelChanges own{.blocks = {{.block = 1, .attention = SharedValue<LayerSpec>(layer)}}};
    const ModelRun run = run_model(*o.model, o.input, {.changes = own}, o.work);
    split_score(*o.model, run, {AttentionOf::Decoder, 0, 0, 3, 2}, o.work);  // another layer
    try {
      split_score(*o.model, run, {AttentionOf::Decoder, 1, 0, 3, 2}, o.work);
    } catch (const Error& refused) {
      return refused.what();
    }
    return "";
  };
  const auto staged = ContainsSubstring("Layer 1 has settings that are computed stage by stage");
  CHECK_THAT(refusal([](LayerSpec& layer) { layer.linear = true; }), staged);
  CHECK_THAT(refusal([](LayerSpec& layer) { layer.softmax = SoftmaxKind::Naive; }), staged);
  CHECK_THAT(refusal([](LayerSpec& layer) { layer.masking.mistake = MaskMistake::DiagonalToo; }), staged);
  CHECK_THAT(refusal([](LayerSpec& layer) { layer.qk_norm.kind = QkNorm::Kind::Layer; }),
             ContainsSubstring("The norm of the queries and keys of layer 1 subtracts their mean"));
  // Settings that differ from the model's and are swept.
  CHECK(refusal([](LayerSpec& layer) { layer.qk_norm.kind = QkNorm::Kind::RootMeanSquare; }) == "");
  CHECK(refusal([](LayerSpec& layer) { layer.soft_cap = 4; }) == "");
  CHECK(refusal([](LayerSpec& layer) { layer.masking.window.left = 2; }) == "");
}

}  // namespace attnscope::strongest_path_test

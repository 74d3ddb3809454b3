// Edited texts that reuse a run give the same bits as a whole run.
#include "core/models/run_again.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::run_again_test {
namespace {

using Ids = std::vector<std::int64_t>;

/// A few tokens inserted, removed or changed somewhere.
Ids edited(Ids ids, int vocabulary, std::mt19937& chance) {
  constexpr std::size_t longest = 14;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(chance()) % n; };
  const auto token = [&] { return static_cast<std::int64_t>(below(static_cast<std::size_t>(vocabulary))); };
  const std::size_t at = below(ids.size() + 1);
  const auto place = ids.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(4)) {
    case 0: ids.insert(place, 1 + below(4), token()); break;
    case 1:
      ids.erase(place, ids.begin() + static_cast<std::ptrdiff_t>(std::min(ids.size(), at + 1 + below(4))));
      break;
    case 2:
      if (at < ids.size()) ids[at] = token();
      break;
    default: ids.push_back(token());
  }
  if (ids.empty()) ids.push_back(token());
  ids.resize(std::min(ids.size(), longest));
  return ids;
}

/// Attention received is a sum in another order where tokens were only appended.
bool is_same(const ModelRun& a, const ModelRun& b) {
  if (a.input.ids != b.input.ids || a.logits != b.logits || a.decoder.hidden != b.decoder.hidden ||
      a.decoder.normed != b.decoder.normed)
    return false;
  for (std::size_t i = 0; i < b.decoder.attention.size(); ++i) {
    const AttentionRun &x = a.decoder.attention[i], &y = b.decoder.attention[i];
    if (x.queries != y.queries || x.entropy != y.entropy || x.pictures.cells != y.pictures.cells ||
        x.pictures.mean != y.pictures.mean || x.pictures.largest != y.pictures.largest)
      return false;
    if (((x.received.matrix() - y.received.matrix()).array().abs() > 1e-5f).any()) return false;
  }
  return true;
}

void edit_and_run(const ModelPtr& model, const RunRequest& request, int edits, unsigned seed) {
  ThreadPool pool(2), one(1);
  std::mt19937 chance(seed);
  const int vocabulary = model->spec.vocabulary;
  ModelInput input;
  input.ids = {1, 2, 3};
  ModelRun run = run_model(*model, input, request, Work{pool, {}});
  for (int i = 0; i < edits; ++i) {
    const Ids before = input.ids;
    input.ids = edited(input.ids, vocabulary, chance);
    run = run_again(*model, std::move(run), input, request, Work{pool, {}});
    const ModelRun all = run_model(*model, input, request, Work{one, {}});
    CAPTURE(i, before, input.ids);
    REQUIRE(is_same(run, all));
  }
}

}  // namespace

TEST_CASE("a thousand random edits give the bits of running all", "[models]") {
  const test::TemporaryDirectory directory;
  const RunRequest request{.entropy = true, .received = true, .picture_side = 4};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  edit_and_run(open_model(directory / "gpt"), request, 250, 1);
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    small_models::write_other(directory / family, family);
    edit_and_run(open_model(directory / family), request, 150, 2);
  }
}

TEST_CASE("edits are run with what is changed inside the model, and all of it where rows look ahead",
          "[models]") {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  RunRequest request{.logits = LogitRows::Last, .entropy = true, .received = true, .picture_side = 4};
  request.changes.heads = {{.block = 0, .head = 1, .kind = HeadChange::Kind::PreviousToken},
                           {.block = 1, .head = 0, .kind = HeadChange::Kind::Zero}};
  request.changes.blocks = {{.block = 2, .temperature = 0.5}};
  edit_and_run(model, request, 60, 3);
  request.changes.heads.push_back({.block = 1, .head = 2, .kind = HeadChange::Kind::Mean});
  edit_and_run(model, request, 20, 4);
}

namespace {

/// Adds a change of any kind to some block, or removes one.
void change(ModelChanges& changes, const Model& model, std::mt19937& chance) {
  const auto below = [&](std::size_t n) { return static_cast<int>(chance() % n); };
  std::vector<AttentionOf> places;
  if (model.spec.encoder) places.push_back(AttentionOf::Encoder);
  if (model.spec.decoder) places.push_back(AttentionOf::Decoder);
  if (model.spec.decoder && model.spec.decoder->cross) places.push_back(AttentionOf::Cross);
  const AttentionOf of = places[static_cast<std::size_t>(below(places.size()))];
  const StackSpec& stack = model.spec.stack(of);
  const int block = below(stack.blocks.size());
  using Kind = HeadChange::Kind;
  constexpr Kind kinds[]{Kind::Zero, Kind::Mean, Kind::Uniform, Kind::Identity};
  switch (below(4)) {
    case 0:
      changes.heads.push_back({.of = of, .block = block, .head = below(4), .kind = kinds[below(4)]});
      break;
    case 1:
      changes.blocks.push_back({.of = of,
                                .block = block,
                                .attention_off = below(3) == 0,
                                .mlp_off = of != AttentionOf::Cross && below(3) == 0,
                                .mask_off = below(2) == 0,
                                .scale = below(2) == 0 ? std::optional(0.5) : std::nullopt,
                                .temperature = below(2) == 0 ? 1 : 2.5});
      break;
    case 2:
      if (!changes.heads.empty()) changes.heads.erase(changes.heads.begin() + below(changes.heads.size()));
      break;
    default:
      if (!changes.blocks.empty())
        changes.blocks.erase(changes.blocks.begin() + below(changes.blocks.size()));
  }
}

bool is_same_attention(const std::vector<AttentionRun>& a, const std::vector<AttentionRun>& b) {
  return std::ranges::equal(a, b, [](const AttentionRun& x, const AttentionRun& y) {
    return x.queries == y.queries && x.keys == y.keys && x.entropy == y.entropy && x.received == y.received &&
           x.pictures.cells == y.pictures.cells && x.pictures.mean == y.pictures.mean &&
           x.pictures.largest == y.pictures.largest;
  });
}

bool is_same_stack(const StackRun& a, const StackRun& b) {
  return a.hidden == b.hidden && a.normed == b.normed && is_same_attention(a.attention, b.attention) &&
         is_same_attention(a.cross, b.cross);
}

void change_and_run(const ModelPtr& model, const ModelInput& input, int rounds, unsigned seed) {
  ThreadPool pool(2), one(1);
  std::mt19937 chance(seed);
  RunRequest request{.entropy = true, .received = true, .picture_side = 4};
  ModelRun run = run_model(*model, input, request, Work{pool, {}});
  for (int i = 0; i < rounds; ++i) {
    change(request.changes, *model, chance);
    request.logits = chance() % 2 == 0 ? LogitRows::Last : LogitRows::All;
    if (chance() % 8 == 0) request.picture_side = request.picture_side == 4 ? 0 : 4;
    if (chance() % 8 == 0) request.received = !request.received;
    run = run_again(*model, std::move(run), input, request, Work{pool, {}});
    const ModelRun all = run_model(*model, input, request, Work{one, {}});
    CAPTURE(i);
    REQUIRE(run.logits == all.logits);
    REQUIRE(run.pooled == all.pooled);
    REQUIRE(run.changes == all.changes);
    REQUIRE(is_same_stack(run.encoder, all.encoder));
    REQUIRE(is_same_stack(run.decoder, all.decoder));
  }
}

}  // namespace

TEST_CASE("a run with other changes keeps the blocks before the first changed one, to the bit", "[models]") {
  const test::TemporaryDirectory directory;
  ModelInput input;
  input.ids = {1, 2, 3, 4, 2, 9, 1};
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  change_and_run(open_model(directory / "gpt"), input, 150, 5);
  for (const std::string& family : small_models::other_families) {
    CAPTURE(family);
    small_models::write_other(directory / family, family);
    change_and_run(open_model(directory / family), input, 60, 6);
  }
  const std::filesystem::path goldens = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models";
  input.mask = {1, 1, 1, 1, 1, 0, 0};
  change_and_run(open_model(goldens / "bert_classify"), input, 40, 7);
  input.decoder_ids = {0, 5, 7};
  change_and_run(open_model(goldens / "t5_gated"), input, 100, 8);
}

TEST_CASE("blocks before a change are not touched", "[models]") {
  const test::TemporaryDirectory directory;
  small_models::write_gpt(directory / "gpt", small_models::gpt_weights());
  const ModelPtr model = open_model(directory / "gpt");
  ThreadPool pool(2);
  const Work work{pool, {}};
  ModelInput input;
  input.ids = {1, 2, 3, 4};
  RunRequest request{.entropy = true};
  ModelRun run = run_model(*model, input, request, work);
  // Marks that only kept rows keep.
  for (KeptRows& rows : run.decoder.hidden) rows.values.back() = 77;
  request.changes.blocks = {{.block = 2, .scale = 1}};
  CHECK(blocks_alike(model->spec, AttentionOf::Decoder, {}, request.changes) == 2);
  run = run_again(*model, std::move(run), input, request, work);
  CHECK(run.decoder.hidden[2].values.back() == 77);
  CHECK(run.decoder.hidden[3].values.back() != 77);
  request.changes.heads = {{.block = 1, .head = 0}};
  run = run_again(*model, std::move(run), input, request, work);
  CHECK(run.decoder.hidden[1].values.back() == 77);
  CHECK(run.decoder.hidden[2].values.back() != 77);
  // The same changes again: all rows are kept.
  run.decoder.hidden[3].values.back() = 78;
  run = run_again(*model, std::move(run), input, request, work);
  CHECK(run.decoder.hidden[3].values.back() == 78);
  CHECK_THROWS_AS(run_again(*model, {}, {}, request, work), Error);
}

}  // namespace attnscope::run_again_test

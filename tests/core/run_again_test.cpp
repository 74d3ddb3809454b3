// Edited texts run again, against all of them at once: bit for bit.
#include "core/models/run_again.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::run_again_test {
namespace {

using Ids = std::vector<std::int64_t>;

/// A few tokens put in, taken out or changed somewhere.
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

/// Attention received is added to where tokens were only added: a sum in another order.
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

}  // namespace attnscope::run_again_test

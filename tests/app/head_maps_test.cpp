// Maps of a model's heads: made by a worker, with the head's numbers; the old map stays until the new one is
// ready.
#include "app/results/head_maps.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <catch2/catch_test_macros.hpp>

#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/readouts/contribution.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::head_maps_test {
namespace {

constexpr int n = 11;

struct Opened {
  test::TemporaryDirectory directory;
  SharedPool pool{2};
  Work work{*pool, {}};
  ModelPtr model;
  std::shared_ptr<const ModelRun> run;

  Opened() {
    write_letters_gpt(directory / "letters");
    model = open_model(directory / "letters");
    ModelInput input;
    for (int i = 0; i < n; ++i) input.ids.push_back(i * 3 % 7);
    run = std::make_shared<const ModelRun>(run_model(*model, input, {}, work));
  }
  HeadMapRequest of(std::int64_t head, CellValue value = CellValue::Weight) const {
    return {model, run, {AttentionOf::Decoder, 0, head}, value, n * n};
  }
};

}  // namespace

TEST_CASE("head maps: a worker makes them, to the bit the head's numbers", "[head_maps]") {
  const Opened o;
  HeadMaps maps(o.pool, 0);  // nothing is made while a frame waits
  CHECK(maps.get(HeadMaps::Place::Shown, o.of(1)) == nullptr);
  CHECK(maps.is_computing());
  CHECK(maps.finish());
  CHECK_FALSE(maps.is_computing());
  const HeadMapPtr weights = maps.get(HeadMaps::Place::Shown, o.of(1));
  REQUIRE(weights != nullptr);
  const Tensor expected = head_weights(*o.model, *o.run, AttentionOf::Decoder, 0, 1, o.work);
  CHECK(std::ranges::equal(weights->numbers.values(), expected.values()));
  CHECK(maps.get(HeadMaps::Place::Shown, o.of(1)) == weights);  // it is kept

  // Another head of the same run: the old map stays until the new one is ready.
  CHECK(maps.get(HeadMaps::Place::Shown, o.of(2)) == weights);
  maps.finish();
  CHECK(maps.get(HeadMaps::Place::Shown, o.of(2))->head.head == 2);

  // The old map of another value does not stay: its colours have another range.
  CHECK(maps.get(HeadMaps::Place::Shown, o.of(2, CellValue::Contribution)) == nullptr);
  maps.finish();
  const HeadMapPtr added = maps.get(HeadMaps::Place::Shown, o.of(2, CellValue::Contribution));
  REQUIRE(added != nullptr);
  const auto norms = value_norms(*o.model, *o.run, AttentionOf::Decoder, 0, 2, o.work);
  const Tensor second = head_weights(*o.model, *o.run, AttentionOf::Decoder, 0, 2, o.work);
  for (int j = 0; j < n; ++j)
    CHECK(added->numbers.matrix()(n - 1, j) ==
          second.matrix()(n - 1, j) * static_cast<float>(norms[static_cast<std::size_t>(j)]));
}

TEST_CASE("head maps: places do not disturb each other, and what is replaced is not made", "[head_maps]") {
  const Opened o;
  HeadMaps maps(o.pool, 0);
  for (const std::int64_t head : {0, 1, 2}) maps.get(HeadMaps::Place::Now, o.of(head));
  maps.get(HeadMaps::Place::Held, o.of(1));
  maps.finish();
  CHECK(maps.get(HeadMaps::Place::Now, o.of(2))->head.head == 2);
  CHECK(maps.get(HeadMaps::Place::Held, o.of(1))->head.head == 1);
  maps.get(HeadMaps::Place::Now, o.of(0));
  maps.get(HeadMaps::Place::Now, o.of(2));  // back before the new one was made: the kept map is the right one
  maps.finish();
  CHECK(maps.get(HeadMaps::Place::Now, o.of(2))->head.head == 2);
}

TEST_CASE("head maps: any number of threads makes the same bits, at once and by the worker", "[head_maps]") {
  const Opened o;
  const auto map_of = [&](const SharedPool& pool, std::int64_t at_once, CellValue value) {
    HeadMaps maps(pool, at_once);
    maps.get(HeadMaps::Place::Shown, o.of(1, value));
    maps.finish();
    return maps.get(HeadMaps::Place::Shown, o.of(1, value));
  };
  for (const CellValue value : {CellValue::Weight, CellValue::Contribution}) {
    const HeadMapPtr alone = map_of(1, 0, value);
    REQUIRE(alone != nullptr);
    for (const std::int64_t at_once : {std::int64_t{0}, HeadMaps::most_at_once}) {
      const HeadMapPtr shared = map_of(3, at_once, value);
      REQUIRE(shared != nullptr);
      CHECK(std::ranges::equal(shared->numbers.values(), alone->numbers.values()));
    }
  }
}

TEST_CASE(
    "head maps: contributions cost what W_O does as well, so that no frame waits for those of a large model",
    "[head_maps]") {
  const Opened o;
  const HeadMapRequest weights = o.of(1), added = o.of(1, CellValue::Contribution);
  const std::int64_t d_model = o.model->spec.d_model;
  const LayerSpec& attention = o.model->spec.decoder->blocks[0];
  CHECK(map_cost(weights) == n * n);
  CHECK(map_cost(added) == n * n + d_model * (attention.heads + attention.d_k) + n * attention.d_k);
  HeadMaps maps(o.pool, n * n);  // the weights are made while a frame waits, and nothing that is more work
  CHECK(maps.get(HeadMaps::Place::Shown, weights) != nullptr);
  CHECK(maps.get(HeadMaps::Place::Shown, added) == nullptr);
  CHECK(maps.is_computing());
  CHECK(maps.finish());
  CHECK(maps.get(HeadMaps::Place::Shown, added) != nullptr);
  HeadMaps patient(o.pool, map_cost(added));
  CHECK(patient.get(HeadMaps::Place::Shown, added) != nullptr);
}

TEST_CASE("head maps: the strongest key of a row is found once, small ones at once", "[head_maps]") {
  const Opened o;
  const Tensor weights = head_weights(*o.model, *o.run, AttentionOf::Decoder, 0, 1, o.work);
  Eigen::Index key = 0;
  weights.matrix().row(n - 1).maxCoeff(&key);
  HeadMaps maps(o.pool, 0), quick(o.pool);
  maps.seek(o.of(1), n - 1);
  CHECK_FALSE(maps.found());
  CHECK(maps.is_computing());
  maps.finish();
  const std::optional<HeadMaps::Found> found = maps.found();
  REQUIRE(found);
  CHECK(found->cell == Cell{n - 1, key});
  CHECK_FALSE(maps.found());
  quick.seek(o.of(1), n - 1);
  CHECK(quick.found()->cell == Cell{n - 1, key});
  REQUIRE(quick.get(HeadMaps::Place::Shown, o.of(1)) != nullptr);
  CHECK_FALSE(quick.is_computing());
}

}  // namespace attnscope::head_maps_test

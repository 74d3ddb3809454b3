// Long Documents: level by level the result becomes that of one sweep of all rows, the pipeline keeps
// unchanged stages, and the engine publishes finer and finer results until a newer Document is submitted.
#include <cmath>
#include <limits>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/engine/live_engine.hpp"
#include "core/engine/tiles.hpp"
#include "core/samples.hpp"

namespace attnscope::survey_test {

namespace {

/// Q, K and V of a length whose scores cannot be kept: no power of two, and more values than key dimensions.
Document long_document(std::int64_t queries = 2111, std::int64_t keys = 2111, std::int64_t batch = 1) {
  samples::Random random(5);
  Document document;
  document.layer().positions = Positions::None;
  document.input.change<Given>().query = random.tensor({batch, 8, queries, 4}, 2);
  document.input.change<Given>().key = random.tensor({batch, 4, keys, 4});
  document.input.change<Given>().value = random.tensor({batch, 4, keys, 6});
  document.layer().masking.causal = queries == keys;
  return document;
}

ResultPtr complete(Pipeline& pipeline, const Document& document) {
  ResultPtr result = pipeline.run(document);
  while (pipeline.can_refine()) result = pipeline.refine();
  return result;
}

/// One row of weights by definition, and the row of the output; [keys] and [d_v].
struct NaiveRow {
  std::vector<double> weights, output;
  double log_sum_exp = 0, entropy = 0;
};
NaiveRow naive_row(const Document& document, std::int64_t h, std::int64_t i) {
  const Given& given = document.input.given();
  const std::int64_t keys = given.key->shape()[2], d = given.key->shape()[3], d_v = given.value->shape()[3];
  const std::int64_t kv = h / (given.query->shape()[1] / given.key->shape()[1]);
  NaiveRow row;
  double sum = 0;
  for (std::int64_t j = 0; j < keys; ++j) {
    double score = 0;
    for (std::int64_t c = 0; c < d; ++c)
      score += static_cast<double>(given.query->matrix(0, h)(i, c)) *
               static_cast<double>(given.key->matrix(0, kv)(j, c));
    score /= std::sqrt(static_cast<double>(d));
    row.weights.push_back(document.layer().masking.causal && j > i ? 0 : std::exp(score));
    sum += row.weights.back();
  }
  row.log_sum_exp = std::log(sum);
  row.output.assign(static_cast<std::size_t>(d_v), 0);
  for (std::int64_t j = 0; j < keys; ++j) {
    double& w = row.weights[static_cast<std::size_t>(j)];
    w /= sum;
    if (w > 0) row.entropy -= w * std::log(w);
    for (std::int64_t c = 0; c < d_v; ++c)
      row.output[static_cast<std::size_t>(c)] += w * static_cast<double>(given.value->matrix(0, kv)(j, c));
  }
  return row;
}

bool near(float a, double b, double tolerance) { return std::abs(static_cast<double>(a) - b) <= tolerance; }

}  // namespace

TEST_CASE("A long Document's levels add up to what one sweep of all rows gives") {
  const Document document = long_document();
  Pipeline pipeline(make_cpu_backend(2));
  ResultPtr result = pipeline.run(document);
  REQUIRE(result->layer().is_long());
  CHECK_FALSE(result->layer().is_complete());
  CHECK(result->layer().surveys[0]->known.output.size() == 0);
  CHECK_FALSE(result->layer().trace[Stage::Softmax]);
  CHECK_FALSE(result->layer().trace[Stage::Mix]);
  const auto backend = make_cpu_backend(1);
  std::int64_t step = result->layer().surveys[0]->known.rows.step;
  CHECK(step == 8);
  while (pipeline.can_refine()) {
    result = pipeline.refine();
    step /= 2;
    const Survey& survey = *result->layer().surveys[0];
    REQUIRE(survey.known.rows.step == step);
    const SweepRequest request{.output = true,
                               .received = true,
                               .strongest = true,
                               .picture = PooledCells{survey.cell / step, survey.cell},
                               .rows = {0, 2111, step}};
    const Sweep at_once = backend->sweep(survey.problem(), request, {}, nullptr);
    CHECK(survey.known.log_sum_exp == at_once.log_sum_exp);
    CHECK(survey.known.entropy == at_once.entropy);
    CHECK(survey.known.largest == at_once.largest);
    CHECK(survey.known.strongest == at_once.strongest);
    CHECK(survey.known.output == at_once.output);
    CHECK(survey.known.max == at_once.max);
    REQUIRE(survey.known.mean.shape() == at_once.mean.shape());
    double worst = 0, received = 0;
    for (std::int64_t i = 0; i < at_once.mean.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(survey.known.mean.data()[i]) -
                                       static_cast<double>(at_once.mean.data()[i])));
    for (std::int64_t i = 0; i < at_once.received.size(); ++i)
      received = std::max(received, std::abs(static_cast<double>(survey.known.received.data()[i]) -
                                             static_cast<double>(at_once.received.data()[i])));
    CHECK(worst < 1e-6);
    CHECK(received < 1e-4);  // sums of up to 2111 weights, added in another order
  }
  CHECK(result->layer().surveys[0]->cell == 4);
  CHECK(result->layer().trace[Stage::Mix]->shape() == Shape{1, 8, 2111, 6});
  CHECK(result->layer().trace[Stage::Concat]->shape() == Shape{1, 2111, 48});
}

TEST_CASE("A long Document's numbers are those of the book") {
  const Document document = long_document();
  Pipeline pipeline(make_cpu_backend(2));
  const ResultPtr result = complete(pipeline, document);
  const Sweep& known = result->layer().surveys[0]->known;
  for (const std::int64_t h : {0, 3, 7}) {
    for (const std::int64_t i : {0, 1, 1000, 2110}) {
      INFO("head " << h << ", query " << i);
      const NaiveRow row = naive_row(document, h, i);
      CHECK(std::abs(known.log_sum_exp.matrix()(h, i) - row.log_sum_exp) < 1e-5);
      CHECK(near(known.entropy.matrix()(h, i), row.entropy, 1e-5));
      for (std::int64_t c = 0; c < 6; ++c)
        CHECK(near(result->layer().trace[Stage::Mix]->matrix(0, h)(i, c),
                   row.output[static_cast<std::size_t>(c)], 1e-5));
    }
  }
}

TEST_CASE("The pipeline goes from long to short and back, and keeps what did not change") {
  Pipeline pipeline(make_cpu_backend(2));
  Document document = long_document();
  const ResultPtr first = complete(pipeline, document);
  document.title = "another title";
  const ResultPtr titled = pipeline.run(document);
  CHECK(titled->layer().surveys[0] == first->layer().surveys[0]);
  CHECK_FALSE(pipeline.can_refine());
  document.layer().scaling.kind = Scaling::Kind::Off;
  const ResultPtr unscaled = pipeline.run(document);
  CHECK(unscaled->layer().trace[Stage::RotateQuery] == first->layer().trace[Stage::RotateQuery]);
  CHECK(unscaled->layer().surveys[0] != first->layer().surveys[0]);
  CHECK_FALSE(unscaled->layer().trace[Stage::Mix]);
  CHECK(pipeline.can_refine());
  const ResultPtr brief = pipeline.run(long_document(100, 100));
  CHECK_FALSE(brief->layer().is_long());
  CHECK(brief->layer().trace[Stage::Softmax]);
  CHECK_FALSE(brief->layer().measures.rows.empty());
  CHECK_FALSE(pipeline.can_refine());
  const ResultPtr again = complete(pipeline, long_document());
  CHECK(again->layer().surveys[0]->known.output == first->layer().surveys[0]->known.output);
}

TEST_CASE("The engine refines what is shown as far as it is told to, and what is held to the end") {
  LiveEngine engine(make_cpu_backend(2));
  engine.refine_to(4);
  engine.submit(long_document());
  engine.wait_idle();
  const ResultPtr coarse = engine.latest();
  REQUIRE(coarse->error.empty());
  CHECK(coarse->layer().surveys[0]->known.rows.step == 4);
  CHECK(coarse->layer().surveys[0]->known.received.size() > 0);
  CHECK_FALSE(coarse->is_complete());
  engine.submit(long_document(), Lane::Held);
  engine.wait_idle();
  CHECK(engine.latest(Lane::Held)->is_complete());
  engine.refine_to(1);
  engine.submit(long_document(2200, 2200));
  engine.wait_idle();
  CHECK(engine.latest()->is_complete());
}

TEST_CASE("Few queries over many keys, and a batch, are long too") {
  Pipeline pipeline(make_cpu_backend(2));
  const ResultPtr wide = complete(pipeline, long_document(3, 1'500'000));
  REQUIRE(wide->layer().is_complete());
  CHECK(wide->layer().surveys[0]->known.max.shape() == Shape{8, 1, 733});
  const ResultPtr batch = complete(pipeline, long_document(1500, 1500, 2));
  REQUIRE(batch->layer().surveys.size() == 2);
  CHECK(batch->layer().trace[Stage::Mix]->shape() == Shape{2, 8, 1500, 6});
  const auto& mix = *batch->layer().trace[Stage::Mix];
  CHECK(std::equal(batch->layer().surveys[1]->known.output.values().begin(),
                   batch->layer().surveys[1]->known.output.values().end(),
                   mix.values().begin() + mix.size() / 2));
}

TEST_CASE("Many heads of few tokens are long too, and their picture has a cell for every key") {
  samples::Random random(9);
  Document document;
  document.layer().positions = Positions::None;
  document.input.numbers =
      Given{random.tensor({1, 64, 800, 4}), random.tensor({1, 64, 800, 4}), random.tensor({1, 64, 800, 4})};
  Pipeline pipeline(make_cpu_backend(2));
  const ResultPtr result = complete(pipeline, document);
  const Survey& survey = *result->layer().surveys.at(0);
  CHECK(survey.cell == 1);
  REQUIRE(survey.known.largest_cells().shape() == Shape{64, 800, 800});
  const NaiveRow row = naive_row(document, 63, 799);
  for (const std::int64_t key : {0, 400, 799})
    CHECK(near(survey.known.largest_cells().matrix(63)(799, key), row.weights[static_cast<std::size_t>(key)],
               1e-6));
}

TEST_CASE("What cannot be streamed is refused in a sentence and the last result stays") {
  LiveEngine engine(make_cpu_backend(2));
  Document document = long_document();
  engine.submit(document);
  engine.wait_idle();
  REQUIRE(engine.latest_good());
  document.layer().linear = true;
  engine.submit(document);
  engine.wait_idle();
  CHECK(engine.latest()->error ==
        "This is too long to keep every score. Linear attention has no softmax to stream.");
  CHECK(engine.latest_good()->layer().is_long());
  // Marks for every score would take as much memory as the scores.
  document = long_document();
  for (const auto& change : {+[](Document& d) { d.layer().masking.sparsity.kind = Sparsity::Kind::Strided; },
                             +[](Document& d) { d.layer().masking.mistake = MaskMistake::DiagonalToo; },
                             +[](Document& d) { d.layer().add_zero_attn = true; }}) {
    Document changed = document;
    change(changed);
    engine.submit(changed);
    engine.wait_idle();
    CHECK(engine.latest()->error.find("need a mark for every score") != std::string::npos);
    CHECK(engine.latest_good()->layer().is_long());
  }
}

TEST_CASE("The engine publishes a long Document from coarse to fine, and lets it go for a newer one") {
  std::atomic<int> published{0};
  std::atomic<std::uint64_t> completed{0};  // the last ticket of a whole result
  LiveEngine* seen = nullptr;
  LiveEngine engine(make_cpu_backend(2), [&] {
    ++published;
    if (const ResultPtr now = seen->latest(); now->layer().is_complete()) completed = now->ticket;
  });
  seen = &engine;
  const std::uint64_t ticket = engine.submit(long_document());
  engine.wait_idle();
  CHECK(engine.latest()->ticket == ticket);
  CHECK(engine.latest()->layer().is_complete());
  CHECK(engine.latest()->refinement == 3);
  CHECK(published >= 3);
  // A long Document that would take far too long is abandoned for the next one.
  const Document longer = long_document(12'000, 12'000), next = long_document(64, 64);
  engine.submit(longer);
  while (engine.latest()->ticket == ticket) std::this_thread::yield();
  CHECK(completed == ticket);
  engine.submit(next);
  engine.wait_idle();
  CHECK_FALSE(engine.latest()->layer().is_long());
  CHECK((completed == ticket || completed == engine.latest()->ticket));  // never that of the long one
}

TEST_CASE("Cancelling a refinement leaves what is known and says nothing") {
  LiveEngine engine(make_cpu_backend(2));
  engine.submit(long_document(12'000, 12'000));
  while (!engine.latest()) std::this_thread::yield();
  engine.cancel();
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->layer().is_long());
  CHECK_FALSE(engine.latest()->layer().is_complete());
}

TEST_CASE("Lengths beyond this machine's memory are told with both numbers") {
  samples::Random random(1);
  Document document = samples::text_document(random, {3}, 2, 8);
  document.input.padded_length = std::numeric_limits<int>::max();
  std::string told;
  try {
    check_any_length(document);
  } catch (const Error& error) {
    told = error.what();
  }
  CHECK(told.find("would take") != std::string::npos);
  CHECK(told.find("this machine has") != std::string::npos);
}

TEST_CASE("Tiles and rows of a survey are the exact weights, pooled") {
  const Document document = long_document();
  Pipeline pipeline(make_cpu_backend(2));
  const ResultPtr result = complete(pipeline, document);
  const Survey& survey = *result->layer().surveys[0];
  ThreadPool pool(2);
  const Work work{pool, {}};
  const TilePlace place{.head = 5, .level = 2, .down = 4, .across = 1};  // ends before its last rows
  const WeightTile tile = make_tile(survey, place, nullptr, work);
  CHECK(tile.step == 1);
  const std::int64_t rows = (2111 - place.first_query() + 3) / 4;
  REQUIRE(tile.max.shape() == Shape{rows, TilePlace::side});
  REQUIRE(tile.mean.shape() == tile.max.shape());
  std::int64_t wrong = 0;
  for (std::int64_t y = 0; y < rows; ++y) {
    std::vector<double> most(TilePlace::side), sum(TilePlace::side);
    std::int64_t queries = 0;
    for (std::int64_t i = place.first_query() + 4 * y;
         i < std::min<std::int64_t>(2111, place.first_query() + 4 * (y + 1)); ++i, ++queries) {
      const NaiveRow row = naive_row(document, 5, i);
      for (std::size_t x = 0; x < most.size(); ++x)
        for (std::size_t j = 0; j < 4; ++j) {
          const double w = row.weights[static_cast<std::size_t>(place.first_key()) + 4 * x + j];
          most[x] = std::max(most[x], w);
          sum[x] += w;
        }
    }
    for (std::size_t x = 0; x < most.size(); ++x) {
      const auto at = static_cast<Eigen::Index>(x);
      wrong += !near(tile.max.matrix()(y, at), most[x], 1e-5);
      wrong += !near(tile.mean.matrix()(y, at), sum[x] / static_cast<double>(4 * queries), 1e-5);
    }
  }
  CHECK(wrong == 0);

  const WeightRow row = make_row(result->layer(), {.head = 5, .query = 1500}, work);
  const NaiveRow expected = naive_row(document, 5, 1500);
  REQUIRE(row.cells.weights.size() == 2111);
  for (std::size_t j = 0; j < 2111; ++j) wrong += !near(row.cells.weights[j], expected.weights[j], 1e-5);
  CHECK(wrong == 0);
  CHECK(std::abs(row.cells.measures.log_sum_exp - expected.log_sum_exp) < 1e-4);
  CHECK(std::abs(row.cells.measures.entropy - expected.entropy) < 1e-4);
  REQUIRE(row.strongest.size() == static_cast<std::size_t>(WeightRow::most_strongest));
  for (const std::int32_t key : row.strongest) {
    std::int64_t larger = 0;
    for (const float w : row.cells.weights) larger += w > row.cells.weights[static_cast<std::size_t>(key)];
    CHECK(larger < WeightRow::most_strongest);
  }
}

}  // namespace attnscope::survey_test

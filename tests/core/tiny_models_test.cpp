// Whole models against transformers: every hidden state, every weight of every head and the logits of the
// tiny models beside the checkout, at the tolerances of their reference.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_model.hpp"
#include "core/transformers_goldens.hpp"

namespace attnscope::tiny_models_test {
namespace {

namespace fs = std::filesystem;
using namespace transformers_goldens;

const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";

}  // namespace

TEST_CASE("every tiny model gives transformers' numbers", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  int seen = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(models)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    const std::string name = folder.path().filename();
    CAPTURE(name);
    const ModelPtr model = open_model(folder.path());
    const SafetensorsFile file(folder.path() / "goldens.safetensors");
    for (const std::string part : {"single.", "batch.", "left.", "pair."}) {
      const Golden golden(file, part);
      if (!golden.has("input_ids")) continue;
      CAPTURE(part);
      for (std::int64_t b = 0; b < golden.read("input_ids").shape()[0]; ++b) {
        CAPTURE(b);
        const ModelRun run = run_model(*model, input_of(golden, b), {}, work);
        // T5 does not divide scores by √d_k: half a unit in the last place of one of 30 is 1e-6 of a weight,
        // and queries, keys and their product have a few each.
        Checks({*model, run, golden, b, work}, name == "t5" ? 1e-5 : 5e-6).all();
        ++seen;
      }
    }
  }
  CHECK(seen >= 50);
}

TEST_CASE("the tiny vision model gives transformers' numbers, for pictures of other sizes too", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelPtr model = open_model(models / "vit");
  const SafetensorsFile file(models / "vit/goldens.safetensors");
  const auto picture = [&](const std::string& name, std::int64_t b) {
    const Tensor all = to_tensor<float>(*file.find(name), file.path());
    const Shape shape{all.shape()[1], all.shape()[2], all.shape()[3]};
    Tensor one(shape);
    std::copy_n(all.data() + b * shape.count(), shape.count(), one.data());
    return one;
  };
  const auto check = [&](const std::string& part, const std::string& pixels, std::int64_t b) {
    CAPTURE(part, b);
    ModelInput input;
    input.image = picture(pixels, b);
    const ModelRun run = run_model(*model, input, {}, work);
    const Golden golden(file, part);
    Checks({*model, run, golden, b, work}, 5e-6).all();
  };
  check("batch.", "pixel_values", 0);
  check("batch.", "pixel_values", 1);
  check("interp.", "pixel_values_24x32", 0);
}

TEST_CASE("tokens that follow give the bits of all tokens at once", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  const RunRequest request{.entropy = true, .picture_side = 16};
  for (const char* name : {"gpt2", "gpt2_layeridx", "llama", "llama3_rope", "mistral_window4", "qwen2",
                           "gpt_neox", "llama_bf16_sharded"}) {
    CAPTURE(name);
    const ModelPtr model = open_model(models / name);
    ThreadPool pool(2), one(1);
    const Work work{pool, {}};
    ModelInput input;
    for (std::int64_t i = 0; i < 40; ++i) input.ids.push_back(i * 37 % 397);
    const ModelRun all = run_model(*model, input, request, Work{one, {}});
    ModelInput begin = input;
    begin.ids.resize(11);
    ModelRun run = run_model(*model, begin, request, work);
    for (const auto& [from, to] :
         {std::pair{11, 12}, std::pair{12, 13}, std::pair{13, 39}, std::pair{39, 40}})
      run = run_more(*model, std::move(run), std::span(input.ids).subspan(from, to - from), request, work);
    CHECK(run.logits == all.logits);
    for (std::size_t block = 0; block < all.decoder.attention.size(); ++block) {
      CHECK(run.decoder.hidden[block] == all.decoder.hidden[block]);
      CHECK(run.decoder.attention[block].queries == all.decoder.attention[block].queries);
      CHECK(run.decoder.attention[block].entropy == all.decoder.attention[block].entropy);
      CHECK(run.decoder.attention[block].pictures.mean == all.decoder.attention[block].pictures.mean);
      CHECK(run.decoder.attention[block].pictures.largest == all.decoder.attention[block].pictures.largest);
    }
  }
}

TEST_CASE("pictures of long texts grow to the bits of all tokens at once", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  const RunRequest request{.logits = LogitRows::Last, .picture_side = 16};
  const ModelPtr model = open_model(models / "llama");
  ThreadPool pool(2);
  const Work work{pool, {}};
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 1100; ++i) ids.push_back(i * 37 % 397);
  ModelInput input;
  input.ids.assign(ids.begin(), ids.begin() + 500);
  ModelRun run = run_model(*model, input, request, work);
  for (const std::size_t to : {505u, 600u, 601u, 1020u, 1024u, 1030u, 1100u}) {
    CAPTURE(to);
    const std::size_t from = run.input.ids.size();
    run = run_more(*model, std::move(run), std::span(ids).subspan(from, to - from), request, work);
    input.ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(to));
    const ModelRun all = run_model(*model, input, request, work);
    CHECK(run.logits == all.logits);
    REQUIRE(run.logits.rows() == 1);
    for (std::size_t block = 0; block < all.decoder.attention.size(); ++block) {
      const HeadPictures &grown = run.decoder.attention[block].pictures,
                         &whole = all.decoder.attention[block].pictures;
      CHECK(grown.cells == whole.cells);
      CHECK(grown.mean == whole.mean);
      CHECK(grown.largest == whole.largest);
      CHECK(whole.mean.shape()[1] <= 16);
    }
  }
}

TEST_CASE("a decoder's cached steps equal transformers'", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelPtr model = open_model(models / "gpt2");
  const SafetensorsFile file(models / "gpt2/goldens.safetensors");
  const std::vector<std::int64_t> ids = Golden(file, "single.").wholes("input_ids", 0);
  ModelInput input;
  input.ids.assign(ids.begin(), ids.begin() + 5);
  ModelRun run = run_model(*model, input, {}, work);
  for (int step = 0; step < 3; ++step) {
    CAPTURE(step);
    run = run_more(*model, std::move(run), std::span(ids).subspan(static_cast<std::size_t>(5 + step), 1), {},
                   work);
    const Golden golden(file, fmt::format("cache_step{}.", step));
    const Tensor logits = golden.read("logits");
    for (Eigen::Index k = 0; k < logits.shape()[2]; ++k)
      CHECK(std::abs(run.logits.row(5 + step)[k] - logits.matrix(0)(0, k)) < 1e-4f);
    for (std::size_t block = 0; block < 2; ++block) {
      const Tensor expected = golden.read(fmt::format("attentions.{}", block));
      for (std::int64_t h = 0; h < 4; ++h) {
        const Tensor found = head_weights(*model, run, AttentionOf::Decoder, block, h, work);
        CHECK((found.matrix().row(5 + step) - expected.matrix(0, h).row(0)).cwiseAbs().maxCoeff() < 5e-6f);
      }
    }
  }
}

TEST_CASE("old names give the model of the new ones", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  for (const auto& [old, now] :
       {std::pair{"gpt2_legacy_names", "gpt2"}, std::pair{"llama3_rope_v4_config", "llama3_rope"}}) {
    CAPTURE(old);
    if (!exists(models / old / "model.safetensors")) continue;
    const ModelPtr a = open_model(models / old), b = open_model(models / now);
    ModelInput input;
    input.ids = {5, 17, 33, 200};
    CHECK(run_model(*a, input, {}, work).logits == run_model(*b, input, {}, work).logits);
    if (std::string(old) == "gpt2_legacy_names") CHECK(a->ignored.size() == 2);  // the stored masks
  }
}

TEST_CASE("an ablated head adds nothing, and what does not fit is refused", "[models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  ThreadPool pool(2);
  const Work work{pool, {}};
  const ModelPtr model = open_model(models / "llama");
  ModelInput input;
  input.ids = {5, 17, 33, 200};
  const ModelRun whole = run_model(*model, input, {}, work);
  const ModelRun without = run_model(*model, input, {.changes = {.heads = {{.block = 1, .head = 2}}}}, work);
  CHECK(whole.decoder.hidden[1] == without.decoder.hidden[1]);
  CHECK_FALSE(whole.decoder.hidden[2] == without.decoder.hidden[2]);
  input.ids = {5, 4'000};
  CHECK_THROWS_WITH(run_model(*model, input, {}, work),
                    "Token 1 has the number 4000; the model has tokens 0 to 399.");
  input.ids = {};
  CHECK_THROWS_AS(run_model(*model, input, {}, work), Error);
}

}  // namespace attnscope::tiny_models_test

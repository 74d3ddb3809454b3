// Families and heads that the models beside the checkout lack, against transformers: the committed goldens
// (see goldens/make_model_goldens.py).
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/files/formats/posix.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_model.hpp"
#include "core/transformers_goldens.hpp"
#include "support/other_head.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_goldens_test {
namespace {

namespace fs = std::filesystem;
using namespace transformers_goldens;
using Catch::Matchers::ContainsSubstring;
using test::OtherHead;
using test::replaced;
using test::write_with_head;

const fs::path models = fs::path(ATTNSCOPE_TESTS) / "goldens/models";

/// T5 does not divide its scores by √d_k: they are larger, and so are their rounding errors.
double weights_tolerance(const std::string& name) { return name == "t5_gated" ? 1e-4 : 5e-6; }

/// Tensors that AttnScope leaves out and names: ESM's head for contacts; and tables of frequencies and
/// sines, which follow from the positions.
std::vector<std::string> left_out(const std::string& name) {
  if (name == "esm")
    return {"esm.contact_head.regression.bias", "esm.contact_head.regression.weight",
            "esm.encoder.layer.*.attention.self.rotary_embeddings.inv_freq"};
  if (name == "roformer") return {"roformer.encoder.embed_positions.weight"};
  return {};
}

}  // namespace

TEST_CASE("families and heads give transformers' numbers, committed goldens", "[models]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  std::set<std::string> families;
  for (const fs::directory_entry& folder : fs::directory_iterator(models)) {
    const std::string name = folder.path().filename();
    CAPTURE(name);
    const ModelPtr model = open_model(folder.path());
    CHECK(model->ignored == left_out(name));
    families.insert(model->spec.family);
    const SafetensorsFile file(folder.path() / "goldens.safetensors");
    for (const std::string part : {"batch.", "left.", "short."}) {
      const Golden golden(file, part);
      const char* const input = golden.has("pixel_values") ? "pixel_values" : "input_ids";
      if (!golden.has(input)) continue;
      CAPTURE(part);
      for (std::int64_t b = 0; b < golden.read(input).shape()[0]; ++b) {
        CAPTURE(b);
        const ModelRun run = run_model(*model, input_of(golden, b), {}, work);
        Checks({*model, run, golden, b, work}, weights_tolerance(name)).all();
      }
    }
  }
  CHECK(families.size() >= 40);
}

TEST_CASE("a mask that hides a token between others is refused for ALiBi, which counts tokens", "[models]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const ModelPtr bloom = open_model(models / "bloom"), rotary = open_model(models / "gpt_neox_serial");
  const auto masked = [&](const ModelPtr& model, std::vector<std::uint8_t> mask) {
    ModelInput input;
    input.ids = {1, 2, 3, 4};
    input.mask = std::move(mask);
    return run_model(*model, std::move(input), {}, work);
  };
  CHECK_NOTHROW(masked(bloom, {0, 1, 1, 0}));
  CHECK_NOTHROW(masked(bloom, {0, 0, 0, 0}));
  CHECK_THROWS_WITH(masked(bloom, {1, 0, 1, 1}), ContainsSubstring("hides token 1 between others"));
  CHECK_NOTHROW(masked(rotary, {1, 0, 1, 1}));
}

TEST_CASE("decoders of every family go on as transformers with its cache, committed goldens", "[models]") {
  ThreadPool pool(2);
  const Work work{pool, {}};
  int seen = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(models)) {
    const SafetensorsFile file(folder.path() / "goldens.safetensors");
    const Golden cache(file, "cache.");
    if (!cache.has("logits")) continue;
    CAPTURE(folder.path().filename());
    const ModelPtr model = open_model(folder.path());
    const std::vector<std::int64_t> ids = Golden(file, "batch.").wholes("input_ids", 0);
    const Tensor expected = cache.read("logits");
    ModelInput input;
    input.ids.assign(ids.begin(), ids.begin() + 5);
    ModelRun run = run_model(*model, input, {}, work);
    for (std::int64_t i = 5; i < std::ssize(ids); ++i) {
      run =
          run_more(*model, std::move(run), std::span(ids).subspan(static_cast<std::size_t>(i), 1), {}, work);
      for (std::int64_t k = 0; k < expected.shape()[2]; ++k)
        CHECK(std::abs(run.logits.row(i)[k] - expected.matrix(0)(i - 5, k)) < 1e-4f);
    }
    ++seen;
  }
  CHECK(seen >= 30);
}

TEST_CASE("classes have the config's names, and a head that the files lack is told", "[models]") {
  const ModelPtr model = open_model(models / "bert_tokens");
  CHECK(model->spec.head.kind == HeadKind::TokenClass);
  CHECK(model->spec.head.classes == std::vector<std::string>{"sad", "so-so", "glad"});
  CHECK(model->missing.empty());
  const test::TemporaryDirectory directory;
  const auto opened_as = [&](const std::string& text, const std::string& with) {
    std::string config = read_whole(models / "bert_tokens/config.json", 1 << 20);
    config.replace(config.find(text), text.size(), with);
    std::ofstream(directory / "config.json") << config;
    fs::copy_file(models / "bert_tokens/model.safetensors", directory / "model.safetensors",
                  fs::copy_options::overwrite_existing);
    return open_model(directory.path());
  };
  const ModelPtr masked = opened_as("BertForTokenClassification", "BertForMaskedLM");
  CHECK_FALSE(masked->spec.has_logits());
  CHECK_THAT(masked->note,
             ContainsSubstring("is a \"BertForMaskedLM\", and its files lack "
                               "\"cls.predictions.transform.dense.weight\": it gives no logits"));
  CHECK(masked->missing == std::vector<std::string>{"cls.predictions.transform.dense.weight",
                                                    "cls.predictions.transform.dense.bias",
                                                    "cls.predictions.transform.LayerNorm.weight",
                                                    "cls.predictions.transform.LayerNorm.bias"});
  CHECK(opened_as("BertForTokenClassification", "BertForQuestionAnswering")->missing ==
        std::vector<std::string>{"qa_outputs.weight"});
  const ModelPtr alone = opened_as("BertForTokenClassification", "BertModel");
  CHECK(alone->missing.empty());
  CHECK(alone->note.empty());
  CHECK_THAT(opened_as("BertForTokenClassification", "BertForEmotions")->note,
             ContainsSubstring("is a \"BertForEmotions\", and what that ends in is not known here"));
  // Names are no reason to refuse weights.
  const auto names = [&](const std::string& first) {
    return opened_as("\"0\": \"sad\"", first)->spec.head.classes;
  };
  CHECK(names("\"7\": \"sad\"") == std::vector<std::string>{"LABEL_0", "so-so", "glad"});
  CHECK(names("\"0\": 5") == std::vector<std::string>{"5", "so-so", "glad"});
}

TEST_CASE("the next sentence and a choice have the logits of classes with their weights", "[models]") {
  ThreadPool pool(1);
  const Work work{pool, {}};
  const test::TemporaryDirectory directory;
  using Names = std::vector<std::string>;
  const std::vector<std::pair<OtherHead, Names>> cases{
      {{"bert_classify", "BertForSequenceClassification", "BertForNextSentencePrediction",
        "cls.seq_relationship", 2},
       {"IsNext", "NotNext"}},
      {{"bert_classify", "BertForSequenceClassification", "BertForMultipleChoice", "classifier", 1},
       {"choice"}},
      {{"distilbert_classify", "DistilBertForSequenceClassification", "DistilBertForMultipleChoice",
        "classifier", 1},
       {"choice"}}};
  for (const auto& [head, classes] : cases) {
    CAPTURE(head.architecture);
    write_with_head(directory.path(), head);
    const ModelPtr model = open_model(directory.path());
    CHECK(model->note.empty());
    CHECK(model->ignored.empty());
    REQUIRE(model->spec.has_logits());
    CHECK(model->spec.head.classes == classes);
    const SafetensorsFile file(models / head.golden / "goldens.safetensors");
    const Golden golden(file, "batch.");
    const Tensor expected = golden.read("logits");
    const ModelRun run = run_model(*model, input_of(golden, 1), {}, work);
    REQUIRE(run.logits.width == head.rows);
    for (std::int64_t k = 0; k < head.rows; ++k)
      CHECK(std::abs(run.logits.row(0)[k] - expected.matrix()(1, k)) < 1e-4f);
  }
}

TEST_CASE("what an architecture ends in besides its logits of tokens is told", "[models]") {
  const test::TemporaryDirectory directory;
  const auto note_of = [&](const std::string& golden, const std::string& old, const std::string& with) {
    fs::copy_file(models / golden / "model.safetensors", directory / "model.safetensors",
                  fs::copy_options::overwrite_existing);
    std::ofstream(directory / "config.json")
        << replaced(read_whole(models / golden / "config.json", 1 << 20), old, with);
    return open_model(directory.path())->note;
  };
  CHECK(note_of("bert_masked", "none", "none").empty());
  CHECK_THAT(note_of("bert_masked", "BertForMaskedLM", "BertForPreTraining"),
             ContainsSubstring("\"cls.seq_relationship\" is not computed: it gives the logits of tokens"));
  CHECK_THAT(note_of("vit_classify", "ViTForImageClassification", "ViTForMaskedImageModeling"),
             ContainsSubstring("is a \"ViTForMaskedImageModeling\", and what that ends in is not known"));
}

}  // namespace attnscope::model_goldens_test

// Exports of a model: every table and every tensor is read back and compared with the read-outs of the same
// text, called directly.
#include "app/exports/model_export.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/exports/model_tables.hpp"
#include "app/files_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/edits/model.hpp"
#include "core/readouts/hook_tensors.hpp"
#include "core/readouts/lens.hpp"
#include "core/readouts/patching.hpp"
#include "core/text/csv.hpp"
#include "support/csv_reader.hpp"
#include "support/program.hpp"

namespace attnscope::model_export_test {
namespace {

using namespace attnscope::test;

/// Chosen in the dialog, and read back.
CsvReader exported(Robot& robot, const TemporaryDirectory& directory, const std::string& table) {
  from_file_menu(robot, "Export CSV");
  click(robot, "Table of: " + table);
  robot.retype("##name", (directory / "table.csv").native());
  click(robot, "Export");
  robot.settle();
  INFO(robot.app().message());
  REQUIRE(robot.app().message().starts_with("Saved as"));
  const std::string bytes = bytes_of(directory / "table.csv");
  std::filesystem::remove(directory / "table.csv");
  return CsvReader(bytes);
}

bool is_near(double a, double b, double tolerance = 1e-5) { return std::abs(a - b) <= tolerance; }

}  // namespace

TEST_CASE("fields of a table are quoted where they must be, and numbers read back", "[export]") {
  CsvTable table({"a", "b,c"});
  table.text("say \"x\"").number(0.1f).end_row();
  table.text("two\nlines").number(1.0 / 3).end_row();
  table.number(std::nan("")).whole(-7).end_row();
  table.nothing(2).end_row();
  CHECK(table.str().starts_with("a,\"b,c\"\r\n\"say \"\"x\"\"\",0.1\r\n"));
  const CsvReader back(table.str());
  REQUIRE(back.rows() == 4);
  CHECK(back.at(0, "a") == "say \"x\"");
  CHECK(back.at(1, "a") == "two\nlines");
  CHECK(back.number(1, "b,c") == 1.0 / 3);
  CHECK(back.at(2, "a").empty());
  CHECK(back.at(2, "b,c") == "-7");
}

TEST_CASE("the table of heads has the scores, entropies and effects of all heads", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  const CsvReader table = exported(robot, directory, "Head scores");
  const ModelAlone alone(robot);
  const auto scores =
      head_scores(alone.model, alone.changed, AttentionOf::Decoder, alone.within.model->special, alone.work);
  const std::vector<AtlasEntry> atlas = ablation_atlas(alone.model, alone.clean, {}, nullptr, alone.work);
  REQUIRE(table.rows() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    const std::size_t block = i / 4, head = i % 4;
    CHECK(table.number(i, "layer") == static_cast<double>(block));
    CHECK(table.number(i, "head") == static_cast<double>(head));
    const PatternScore& first = scores[block][head][static_cast<std::size_t>(HeadScore::First)];
    CHECK(is_near(table.number(i, "first_token"), first.score));
    CHECK(is_near(table.number(i, "first_token_uniform"), first.uniform));
    const PatternScore& previous = scores[block][head][static_cast<std::size_t>(HeadScore::Previous)];
    CHECK(is_near(table.number(i, "previous_token"), previous.score));
    CHECK(table.at(i, "induction").empty());  // eight tokens are too few for its texts
    double sum = 0;
    const auto entropy = alone.changed.decoder.attention[block].entropy.matrix();
    for (std::int64_t row = 1; row < entropy.cols(); ++row)
      sum += static_cast<double>(entropy(static_cast<Eigen::Index>(head), row)) /
             std::log(static_cast<double>(row + 1));
    CHECK(is_near(table.number(i, "normalised_entropy"), sum / static_cast<double>(entropy.cols() - 1)));
    CHECK(is_near(table.number(i, "effect_logit"), atlas[i].effect.top_logit_change));
    CHECK(is_near(table.number(i, "effect_kl"), atlas[i].effect.divergence));
    CHECK(is_near(table.number(i, "effect_probability"), atlas[i].effect.top_probability_change));
    CHECK(table.number(i, "token_without_id") == static_cast<double>(atlas[i].effect.top_token));
  }
}

TEST_CASE("tables say of which model their numbers are, and what is changed inside", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  {
    const CsvReader heads = exported(robot, directory, "Head scores");
    CHECK(heads.at(0, "text_scores_of") == "model as it is");
    CHECK(heads.at(0, "effects_of") == "model as it is");
    CHECK(heads.at(0, "changes_inside") == "none");
  }
  robot.click("Divide by √dₖ");
  robot.settle();
  const ModelAlone alone(robot);
  REQUIRE(alone.within.changes.blocks.size() == 1);
  const std::string changes = edit::words_of_change(alone.within, 0).line();
  CHECK(changes.ends_with(" · ÷√dₖ off"));
  const CsvReader heads = exported(robot, directory, "Head scores");
  const auto scores =
      head_scores(alone.model, alone.changed, AttentionOf::Decoder, alone.within.model->special, alone.work);
  const std::vector<AtlasEntry> atlas = ablation_atlas(alone.model, alone.clean, {}, nullptr, alone.work);
  REQUIRE(heads.rows() == 12);
  for (std::size_t i = 0; i < heads.rows(); ++i) {
    CHECK(heads.at(i, "text_scores_of") == "changed model");
    CHECK(heads.at(i, "random_token_scores_of") == "model as it is");
    CHECK(heads.at(i, "effects_of") == "model as it is");
    CHECK(heads.at(i, "changes_inside") == changes);
    // As the header says: a score of the text follows the change, an effect does not.
    const PatternScore& first = scores[i / 4][i % 4][static_cast<std::size_t>(HeadScore::First)];
    CHECK(is_near(heads.number(i, "first_token"), first.score));
    CHECK(is_near(heads.number(i, "effect_kl"), atlas[i].effect.divergence));
  }
  const CsvReader lens = exported(robot, directory, "Lens");
  CHECK(lens.at(lens.rows() - 1, "numbers_of") == "changed model");
  CHECK(lens.at(lens.rows() - 1, "changes_inside") == changes);
  const CsvReader prediction = exported(robot, directory, "Prediction");
  CHECK(prediction.at(0, "before_of") == "model as it is");
  CHECK(prediction.at(0, "after_of") == "changed model");
  CHECK(prediction.at(0, "changes_inside") == changes);
  robot.key(ImGuiKey_A);
  robot.settle();
  const CsvReader effects = exported(robot, directory, "Effects");
  CHECK(effects.at(11, "numbers_of") == "model as it is");
  CHECK(effects.at(11, "changes_inside") == changes);
}

TEST_CASE("the table of the lens has its likeliest tokens at every place", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de");
  const CsvReader table = exported(robot, directory, "Lens");
  const ModelAlone alone(robot);
  const std::vector<LensPlace> places = lens_places(alone.model.spec);
  const std::int64_t rows = alone.last() + 1;
  REQUIRE(table.rows() == places.size() * static_cast<std::size_t>(rows));
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Tensor logits = lens_logits(alone.model, alone.changed, places[p], 0, rows, alone.work);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::size_t line = static_cast<std::size_t>(row) * places.size() + p;
      const std::span of_row(logits.data() + row * logits.shape()[1],
                             static_cast<std::size_t>(logits.shape()[1]));
      const std::vector<PredictedToken> top = likeliest(of_row, 5);
      CHECK(table.number(line, "row") == static_cast<double>(row));
      CHECK(table.at(line, "token") == alone.tokens.tokens.tokens[static_cast<std::size_t>(row)].text);
      CHECK(table.number(line, "token_1_id") == static_cast<double>(top[0].id));
      CHECK(table.at(line, "token_1") == prediction_label(*alone.within.model, top[0].id));
      CHECK(is_near(table.number(line, "probability_1"), std::exp(top[0].log_probability)));
      CHECK(is_near(table.number(line, "probability_5"), std::exp(top[4].log_probability)));
      CHECK(is_near(table.number(line, "logit_5"), top[4].logit));
    }
  }
  CHECK(table.at(0, "behind") == "embedding");
  CHECK(table.at(0, "layer").empty());
  CHECK(table.at(1, "behind") == "attention");
}

TEST_CASE("the table of the prediction has every token before and after a change", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.click("Divide by √dₖ");
  robot.settle();
  const CsvReader table = exported(robot, directory, "Prediction");
  const ModelAlone alone(robot);
  REQUIRE_FALSE(alone.within.changes.empty());
  REQUIRE(table.rows() == 8);
  const std::vector<double> before = log_softmax(alone.logits(alone.clean)),
                            after = log_softmax(alone.logits(alone.changed));
  double sum = 0, last = INFINITY;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto id = static_cast<std::size_t>(table.number(i, "id"));
    CHECK(is_near(table.number(i, "probability_before"), std::exp(before[id])));
    CHECK(is_near(table.number(i, "probability_after"), std::exp(after[id])));
    CHECK(is_near(table.number(i, "logit_after"), static_cast<double>(alone.logits(alone.changed)[id])));
    const auto of = static_cast<std::int64_t>(id);
    CHECK(table.number(i, "rank_before") == static_cast<double>(rank_of(alone.logits(alone.clean), of)));
    CHECK(table.number(i, "rank_after") == static_cast<double>(i + 1));
    CHECK(table.number(i, "logit_after") <= last);
    last = table.number(i, "logit_after");
    sum += table.number(i, "probability_after");
  }
  CHECK(is_near(sum, 1));
}

TEST_CASE("the atlas is written as its effects and its pruning curve", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.key(ImGuiKey_A);
  robot.settle();
  {
    from_file_menu(robot, "Export CSV");
    click(robot, "Table of: Pruning curve");
    robot.retype("##name", (directory / "none.csv").native());
    click(robot, "Export");
    robot.settle();
    CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("was not computed"));
    CHECK_FALSE(std::filesystem::exists(directory / "none.csv"));
    robot.key(ImGuiKey_Escape);
  }
  robot.click("Compute");
  robot.settle();
  const CsvReader effects = exported(robot, directory, "Effects");
  const CsvReader curve = exported(robot, directory, "Pruning curve");
  const ModelAlone alone(robot);
  const std::vector<AtlasEntry> atlas = ablation_atlas(alone.model, alone.clean, {}, nullptr, alone.work);
  const std::vector<AtlasEntry> expected =
      pruning_curve(alone.model, alone.clean, atlas, {}, nullptr, alone.work);
  REQUIRE(effects.rows() == atlas.size());
  REQUIRE(curve.rows() == expected.size());
  int random = 0;
  for (std::size_t i = 0; i < atlas.size(); ++i) {
    CHECK(is_near(effects.number(i, "effect_logit"), atlas[i].effect.top_logit_change));
    CHECK(is_near(effects.number(i, "effect_kl"), atlas[i].effect.divergence));
    CHECK(curve.number(i, "heads_zeroed") == static_cast<double>(i + 1));
    CHECK(curve.number(i, "layer") == expected[i].head.block);
    CHECK(curve.number(i, "head") == expected[i].head.head);
    CHECK(is_near(curve.number(i, "kl"), expected[i].effect.divergence));
    CHECK(is_near(curve.number(i, "logit_change"), expected[i].effect.top_logit_change));
    if (!curve.at(i, "random_kl").empty()) ++random;
  }
  CHECK(random > 1);
}

TEST_CASE("patching is written head by head and position by position", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_A, ImGuiMod_Shift);
  robot.settle();
  robot.retype("##Corrupted", "ab c dc a");
  robot.retype("##Answer", "c");
  robot.retype("##Other answer", "d");
  robot.settle();
  const CsvReader heads = exported(robot, directory, "Patched heads");
  const CsvReader cells = exported(robot, directory, "Patched positions");
  const ModelAlone alone(robot);
  ModelText other = alone.within.input;
  other.text = "ab c dc a";
  const ModelRun corrupted =
      run_model(alone.model, tokens_of(*alone.within.model, other).input, {}, alone.work);
  const PatchedPair pair{alone.model, alone.clean, corrupted, alone.last(), 2, 3};
  const double whole = answer_of(pair, alone.clean, alone.work) - answer_of(pair, corrupted, alone.work);
  std::vector<PatchPlace> places;
  for (const HeadPlace& head : all_heads(alone.model.spec)) places.push_back({head});
  const std::vector<double> exact = patch_effects(pair, places, nullptr, alone.work);
  const std::vector<double> estimates = direct_effects(pair, alone.work);
  REQUIRE(heads.rows() == exact.size());
  CHECK(heads.at(0, "numbers_of") == "model as it is");
  CHECK(cells.at(0, "changes_inside") == "none");
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(is_near(heads.number(i, "exact"), exact[i]));
    CHECK(is_near(heads.number(i, "exact_share"), exact[i] / whole, 1e-4));
    CHECK(is_near(heads.number(i, "estimate"), estimates[i]));
  }
  const auto rows = static_cast<std::size_t>(alone.last() + 1);
  REQUIRE(cells.rows() == exact.size() * rows);
  const auto first = static_cast<std::size_t>(first_patched_row(pair));
  const std::array<PatchPlace, 1> place{{{{1, 2}, static_cast<std::int64_t>(first)}}};
  const std::size_t line = 6 * rows + first;
  CHECK(is_near(cells.number(line, "exact"), patch_effects(pair, place, nullptr, alone.work)[0]));
  CHECK(cells.number(line - first, "exact") == 0);  // the texts are the same there
  CHECK(cells.at(line, "clean_token") == "e");
  CHECK(cells.at(line, "corrupted_token") == "c");
}

TEST_CASE("the parts of a score and of a logit are written, and add up to them", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "abc de ab");
  robot.click("Why?");
  robot.settle();
  const CsvReader score = exported(robot, directory, "Score parts");
  const CsvReader logit = exported(robot, directory, "Logit parts");
  const ModelAlone alone(robot);
  const ScoreQuestion asked{AttentionOf::Decoder,
                            static_cast<std::size_t>(alone.within.block),
                            robot.app().selection().head,
                            robot.app().selection().cell.query,
                            robot.app().selection().cell.key,
                            true};
  const ScoreSplit split = split_score(alone.model, alone.changed, asked, alone.work);
  REQUIRE(score.rows() == split.query_parts.size());
  REQUIRE(score.names().size() == split.key_parts.size() + 1);
  double sum = 0;
  for (std::size_t a = 0; a < score.rows(); ++a)
    for (std::size_t b = 1; b < score.names().size(); ++b) sum += std::stod(score.at(a, b));
  CHECK(is_near(sum, split.score));
  CHECK(score.at(0, "query_part") == name_of(split.query_parts[0]));
  CHECK(logit.at(0, "numbers_of") == "model as it is");
  CHECK(logit.at(0, "changes_inside") == "none");
  CHECK(std::stod(score.at(2, 3)) == split.cells.matrix()(2, 2));
  CHECK(logit.at(0, "layer").empty());  // the embedding has no layer and no head
  CHECK(logit.at(0, "head").empty());
  double adds = 0;
  for (std::size_t i = 0; i < logit.rows(); ++i) adds += logit.number(i, "adds");
  const WhyReading& why = *model_state_of(robot.app().view()).split.shown;
  CHECK(is_near(adds, why.logit.logit, 1e-4));
}

TEST_CASE("activations are written under the names of hook points", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  from_file_menu(robot, "Export tensors");
  CHECK(dialog_of(robot).name == "letters - activations.safetensors");
  click(robot, "Activations of: This layer");
  CHECK(dialog_of(robot).name == "letters - activations of layer 1.safetensors");
  click(robot, "Model numbers as: Table");
  CHECK(dialog_of(robot).name == "letters - head scores.csv");
  click(robot, "Model numbers as: Activations");
  click(robot, "Activations of: All layers");
  robot.retype("##name", (directory / "cache.safetensors").native());
  click(robot, "Export");
  robot.settle();
  REQUIRE(robot.app().message().starts_with("Saved as"));
  const SafetensorsFile file(directory / "cache.safetensors");
  const ModelAlone alone(robot);
  std::size_t count = 0;
  hook_tensors(
      alone.model, alone.changed, {},
      [&](const std::string& name, const Tensor& values) {
        ++count;
        const TensorEntry* const entry = file.find(name);
        REQUIRE(entry != nullptr);
        const Tensor read = to_tensor<float>(*entry, file.path());
        REQUIRE(read.shape() == values.shape());
        CHECK(std::ranges::equal(read.values(), values.values()));
      },
      alone.work);
  CHECK(file.tensors().size() == count + 2);  // and input_ids, logits
  CHECK(file.metadata().at("text") == "ab c de a");
  CHECK(file.metadata().at("changes") == "none");
}

TEST_CASE("an export goes on behind the window and can be stopped", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));  // the end of an export shows in a frame, however soon it comes
  type_text(robot, "ab c de ab c de ab c de ab c");
  robot.app().view().files->numbers = NumberFormat::Tensors;
  robot.app().files().saving.save(directory / "cache.safetensors");
  CHECK_FALSE(robot.app().settled());
  robot.app().files().saving.save(directory / "second.safetensors");
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("before this one goes on"));
  robot.app().view().files->exporting = FileOnItsWay{"cache.safetensors", 0.5};
  robot.app().files().saving.finish_export(true);
  robot.settle();
  CHECK(std::filesystem::exists(directory / "cache.safetensors"));
  CHECK_FALSE(std::filesystem::exists(directory / "second.safetensors"));
  CHECK_FALSE(robot.app().view().files->exporting);

  // A separate reading, so that it can be stopped before it begins.
  const auto reading = std::make_shared<ModelReading>();
  ModelExport stopped(reading, ExportedTable{ModelTable::Lens, {}}, directory / "stopped.csv");
  stopped.cancel();
  stopped.wait();
  std::string sentence;
  CHECK_FALSE(stopped.was_written(sentence));
  CHECK_FALSE(sentence.empty());
  CHECK_FALSE(std::filesystem::exists(directory / "stopped.csv"));
}

TEST_CASE("what a model does not have is refused in a sentence", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.app().files().saving.save(directory / "numbers.npy");
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("numbers.npy"));
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring(".safetensors"));
  robot.app().view().files->table = ModelTable::ScoreParts;
  robot.app().files().saving.save(directory / "parts.csv");
  robot.settle();
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("No score is split"));
  CHECK(directory.entries() == 1);  // the model
}

}  // namespace attnscope::model_export_test

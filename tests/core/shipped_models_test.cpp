// The claims about the models in assets/models: the Reader's answers and its attention, the others'
// abilities, and that their recipes make them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/models/opened/first_text.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_model.hpp"
#include "core/readouts/head_scores.hpp"
#include "core/tokenizers/tokenizer.hpp"
#include "core/training/files/export_model.hpp"
#include "core/training/files/recipe_json.hpp"
#include "core/training/files/training_run.hpp"
#include "core/training/kernels/kernels.hpp"
#include "core/training/tasks/grammar.hpp"
#include "support/sanitizers.hpp"

namespace attnscope::training::shipped_models_test {
namespace {

namespace fs = std::filesystem;
const fs::path shipped = fs::path(ATTNSCOPE_ASSETS) / "models";

/// A sentence through a model.
struct Read {
  OpenedModelPtr opened;
  ModelRun run;
  std::vector<std::string> words;
  ThreadPool pool{1};

  Read(const OpenedModelPtr& model, const std::string& sentence) : opened(model) {
    ModelText text;
    text.text = sentence;
    const ModelInput input = tokens_of(*model, text).input;
    for (const std::int64_t id : input.ids)
      words.push_back(*model->tokenizer->token(static_cast<tokenizers::Id>(id)));
    run = run_model(*model->model, input, {}, Work{pool, {}});
  }
  std::size_t place(std::string_view word) const {
    return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
  }
  std::string answer(std::size_t row) const {
    const float* const logits = run.logits.row(static_cast<std::int64_t>(row));
    const auto best = std::max_element(logits, logits + run.logits.width) - logits;
    return *opened->tokenizer->token(static_cast<tokenizers::Id>(best));
  }
  /// The largest weight that any head puts on a key.
  double best_head(std::size_t query, std::size_t key) {
    const bool encoder = opened->model->spec.encoder.has_value();
    const StackSpec& stack = encoder ? *opened->model->spec.encoder : *opened->model->spec.decoder;
    double best = 0;
    for (std::size_t layer = 0; layer < stack.blocks.size(); ++layer)
      for (int head = 0; head < stack.blocks[layer].heads; ++head) {
        const Tensor weights =
            head_weights(*opened->model, run, encoder ? AttentionOf::Encoder : AttentionOf::Decoder, layer,
                         head, Work{pool, {}});
        best = std::max(best, static_cast<double>(weights.matrix()(static_cast<Eigen::Index>(query),
                                                                   static_cast<Eigen::Index>(key))));
      }
    return best;
  }
};

struct Reference {
  std::string_view word, referent;
};
struct Sentence {
  std::string text;
  std::vector<Reference> references;
};

const std::vector<Sentence> nine{
    {"The cat sat on the mat.", {{"sat", "cat"}}},
    {"The river bank was steep and muddy.", {{"bank", "river"}, {"was", "bank"}}},
    {"Anna deposited cash at the bank.", {{"deposited", "anna"}, {"bank", "cash"}}},
    {"The animal did not cross the street because it was too tired.",
     {{"did", "animal"}, {"cross", "animal"}, {"it", "animal"}, {"was", "it"}}},
    {"The animal did not cross the street because it was too wide.",
     {{"did", "animal"}, {"cross", "animal"}, {"it", "street"}, {"was", "it"}}},
    {"Anna helped Tom because he was tired.", {{"helped", "anna"}, {"he", "tom"}, {"was", "he"}}},
    {"Anna called Tom because she was lonely.", {{"called", "anna"}, {"she", "anna"}, {"was", "she"}}},
    {"The dogs that the old cat chases are happy.", {{"chases", "cat"}, {"are", "dogs"}}},
    {"The girls near the boy lost their keys.", {{"lost", "girls"}, {"their", "girls"}}},
};

}  // namespace

TEST_CASE("the Reader answers nine sentences right, and for each referent one head looks there",
          "[training][shipped]") {
  const OpenedModelPtr reader = open_whole_model(shipped / "reader");
  for (const Sentence& sentence : nine) {
    Read read(reader, sentence.text);
    for (const Reference& reference : sentence.references) {
      INFO(sentence.text << " " << reference.word << " > " << reference.referent);
      const std::size_t query = read.place(reference.word), key = read.place(reference.referent);
      REQUIRE(query < read.words.size());
      REQUIRE(key < read.words.size());
      CHECK(read.answer(query) == reference.referent);
      const double best = read.best_head(query, key);
      CHECK(best >= 0.7);
    }
  }
}

TEST_CASE("the Reader knows a word that it does not know", "[training][shipped]") {
  const Read read(open_whole_model(shipped / "reader"), "The zebra slept because it was tired.");
  CHECK(read.words[2] == "<unk>");
  CHECK(read.answer(read.place("slept")) == "<unk>");
}

TEST_CASE("the shipped models begin with words that they know", "[training][shipped]") {
  for (const char* name : {"reader", "millbrook", "induction", "brackets"}) {
    CAPTURE(name);
    const OpenedModelPtr opened = open_whole_model(shipped / name);
    const std::string text = first_text(*opened).text;
    CAPTURE(text);
    const auto tokens = opened->tokenizer->encode(text).tokens;
    CHECK(tokens.size() >= 4);
    for (const auto& token : tokens)
      if (token.sequence == 0) CHECK(token.id != opened->tokenizer->special_ids().unk);
  }
}

TEST_CASE("the shipped models are small and say where they come from", "[training][shipped]") {
  std::uintmax_t bytes = 0;
  for (const char* name : {"reader", "millbrook", "induction", "brackets", "shapes"}) {
    INFO(name);
    const OpenedModelPtr model = open_whole_model(shipped / name);
    CHECK(model->model->missing.empty());
    const Recipe recipe = recipe_from_json(exported_fact(shipped / name, recipe_fact), name);
    CHECK(recipe == read_recipe(shipped / name / "recipe.json"));
    CHECK(recipe.task == name);
    CHECK(std::stoll(exported_fact(shipped / name, steps_fact)) <= recipe.steps);
    for (const fs::directory_entry& file : fs::directory_iterator(shipped / name)) bytes += file.file_size();
  }
  CHECK(bytes < 4'000'000);
}

TEST_CASE("Millbrook's next words agree with their subject across another noun", "[training][shipped]") {
  const OpenedModelPtr model = open_whole_model(shipped / "millbrook");
  for (const auto& [text, right, wrong] :
       {std::tuple("The dogs near the cat", "are", "is"), std::tuple("The dog near the cats", "is", "are"),
        std::tuple("The girl that the boys know", "is", "are")}) {
    INFO(text);
    const Read read(model, text);
    const auto last = static_cast<std::int64_t>(read.words.size()) - 1;
    const auto logit = [&](const char* word) {
      return read.run.logits.row(last)[model->tokenizer->id(word)];
    };
    CHECK(logit(right) > logit(wrong));
  }
}

TEST_CASE(
    "Millbrook's loss is near what the grammar's choices cost, and not below; what was read twice it copies",
    "[training][shipped]") {
  const OpenedModelPtr model = open_whole_model(shipped / "millbrook");
  const Recipe recipe = recipe_from_json(exported_fact(shipped / "millbrook", recipe_fact), "millbrook");
  const int n = recipe.network.length;
  ThreadPool pool(1);
  MillbrookRow row;
  double loss = 0, cost = 0;
  int repeated = 0, copied = 0;
  constexpr int rows = 60;
  for (std::uint64_t i = 0; i < rows; ++i) {
    Dice dice(99, 99, i);  // from a stream that it was not trained on
    row.write(dice, {data_of(recipe, "lists"), data_of(recipe, "cross")}, n + 1);
    ModelInput input;
    input.ids.assign(row.words().begin(), row.words().begin() + n);
    const ModelRun run = run_model(*model->model, input, {}, Work{pool, {}});
    for (int at = 0; at < n; ++at) {
      const float* const logits = run.logits.row(at);
      double sum = 0;
      for (std::int64_t c = 0; c < run.logits.width; ++c) sum += std::exp(static_cast<double>(logits[c]));
      loss += std::log(sum) - static_cast<double>(logits[row.words()[static_cast<std::size_t>(at) + 1]]);
      cost += row.costs()[static_cast<std::size_t>(at) + 1];
    }
    for (const int at : row.repeats()) {
      if (at > n) continue;
      const float* const logits = run.logits.row(at - 1);
      ++repeated;
      copied += std::max_element(logits, logits + run.logits.width) - logits ==
                row.words()[static_cast<std::size_t>(at)];
    }
  }
  CHECK(loss / (rows * n) > cost / (rows * n) - 0.01);
  CHECK(loss / (rows * n) < cost / (rows * n) + 0.1);
  CHECK(std::abs(find_task("millbrook")->floor(recipe) - 1.7) < 0.05);
  CHECK(repeated > 100);
  CHECK(copied > 0.9 * repeated);
}

TEST_CASE("the shipped induction model copies what came before", "[training][shipped]") {
  Read read(open_whole_model(shipped / "induction"), "t3 t14 t15 t9 t26 t5 t8 t3 t14 t15 t9 t26");
  for (std::size_t row = 9; row + 1 < read.words.size(); ++row)
    CHECK(read.answer(row) == read.words[row + 1]);
  const std::size_t row = 10, copied = 4;  // after the first t15 comes t9
  CHECK(read.best_head(row, copied) > 0.7);
}

TEST_CASE("few tokens and few positions are enough to find the shipped induction heads",
          "[training][shipped][scores]") {
  const OpenedModelPtr opened = open_whole_model(shipped / "induction");
  REQUIRE(opened->model->spec.vocabulary < BatterySettings{}.tokens);
  ThreadPool pool(1);
  const auto scores = battery_scores(*opened->model, opened->special, {}, {pool, {}});
  const auto largest = [&](std::size_t block) {
    double most = 0;
    for (const HeadScores& head : scores.at(block))
      most = std::max(most, head[static_cast<std::size_t>(HeadScore::Induction)].score);
    return most;
  };
  CHECK(scores[0][0][static_cast<std::size_t>(HeadScore::Induction)].rows >= 4 * least_battery);
  CHECK(largest(1) > 0.4);
  CHECK(largest(1) > 2 * largest(0));
}

TEST_CASE("the shipped brackets model closes what was opened", "[training][shipped]") {
  const OpenedModelPtr model = open_whole_model(shipped / "brackets");
  for (const auto& [text, right, wrong] :
       {std::tuple("([()]", ")", "]"), std::tuple("([[]", "]", ")"), std::tuple("[(())", "]", ")")}) {
    INFO(text);
    const Read read(model, text);
    const auto last = static_cast<std::int64_t>(read.words.size()) - 1;
    const auto logit = [&](const char* word) {
      return read.run.logits.row(last)[model->tokenizer->id(word)];
    };
    CHECK(logit(right) > logit(wrong));
  }
}

TEST_CASE("the shipped model of shapes names them, and its class token looks at them",
          "[training][shipped]") {
  const OpenedModelPtr model = open_whole_model(shipped / "shapes");
  ThreadPool pool(1);
  const Work work{pool, {}};
  for (const std::string name : {"square", "circle", "triangle", "cross"}) {
    INFO(name);
    ModelText text;
    text.image = fs::path(ATTNSCOPE_ASSETS) / "examples" / (name + ".png");
    const ModelInput input = tokens_of(*model, text).input;
    const ModelRun run = run_model(*model->model, input, {}, work);
    const float* const logits = run.logits.row(0);
    const auto best = static_cast<std::size_t>(std::max_element(logits, logits + 4) - logits);
    CHECK(model->model->spec.head.classes.at(best) == name);
    // Patches with a bright mean of their pixels; noise alone has none.
    const int side = 4, width = 16;
    std::vector<bool> is_on(16);
    for (std::size_t patch = 0; patch < is_on.size(); ++patch) {
      const auto row = static_cast<int>(patch) / 4 * side, column = static_cast<int>(patch) % 4 * side;
      float sum = 0;
      for (int y = row; y < row + side; ++y)
        for (int x = column; x < column + side; ++x) sum += input.image.data()[y * width + x];
      is_on[patch] = sum / 16 > 0.15f;
    }
    double most = 0;
    for (std::size_t layer = 0; layer < 2; ++layer)
      for (int head = 0; head < 4; ++head) {
        const Tensor weights = head_weights(*model->model, run, AttentionOf::Encoder, layer, head, work);
        double on = 0;
        for (std::size_t patch = 0; patch < is_on.size(); ++patch)
          if (is_on[patch]) on += static_cast<double>(weights.data()[patch + 1]);
        most = std::max(most, on);
      }
    const double chance = static_cast<double>(std::ranges::count(is_on, true)) / 17;
    CAPTURE(most, chance);
    CHECK(most > 0.85);
    CHECK(chance < 0.6);
  }
}

TEST_CASE("the recipe of the smallest shipped model makes it again, to the bit", "[training][shipped]") {
  if (test::under_address_sanitizer()) SKIP("a sanitized build may round a fused product otherwise");
  const std::string set = exported_fact(shipped / "induction", instruction_set_fact);
  if (kernels_named(set.c_str()) == nullptr) SKIP("this machine has no " + set);
  CHECK(verify_training(shipped / "induction", 2, {}).empty());
}

}  // namespace attnscope::training::shipped_models_test

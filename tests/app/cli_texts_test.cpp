// The commands over a file of texts, run as programs: `attnscope heads`, `patch` and `similar`.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files/formats/safetensors.hpp"
#include "support/csv_reader.hpp"
#include "support/letters_gpt.hpp"
#include "support/program.hpp"
#include "support/small_folders.hpp"

namespace attnscope::cli_texts_test {
namespace {

using namespace attnscope::test::commands;
using attnscope::test::CsvReader;

const std::vector<std::string> letter_texts{"ab cd a b", "a", "ab ab ab"};

/// The texts with an empty line after the first.
void write_letter_texts(const TemporaryDirectory& directory) {
  write_letters_gpt(directory / "m");
  directory.write("t.txt", letter_texts[0] + "\n\n" + letter_texts[1] + "\n" + letter_texts[2] + "\n");
}

Outcome done(const TemporaryDirectory& directory, const std::string& arguments) {
  Outcome outcome = run(directory, arguments);
  INFO(arguments << ": " << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome;
}

std::size_t row_of(const CsvReader& table, int layer, int head, const std::string& score) {
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.at(row, "layer") == std::to_string(layer) && table.at(row, "head") == std::to_string(head) &&
        table.at(row, "score") == score)
      return row;
  FAIL("no row " << layer << "." << head << " " << score);
  return 0;
}

/// Mean weight on the token before, from the attentions that `run` writes.
double previous_of(const TemporaryDirectory& directory, const std::string& text, int layer, int head) {
  done(directory, fmt::format("run m --text '{}' -o o.safetensors", text));
  const SafetensorsFile file(directory / "o.safetensors");
  const Tensor all = to_tensor<float>(*file.find(fmt::format("attentions.{}", layer)), file.path());
  const auto weights = all.matrix(0, head);
  double sum = 0;
  for (Eigen::Index i = 1; i < weights.rows(); ++i) sum += static_cast<double>(weights(i, i - 1));
  return sum / static_cast<double>(weights.rows() - 1);
}

}  // namespace

TEST_CASE("heads writes mean and spread over the texts of a file", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letter_texts(directory);
  const Outcome outcome = done(directory, "heads m --texts t.txt -o o.csv");
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "attnscope: Line 2 of \"t.txt\" is empty and left out.\n");
  const CsvReader table(bytes_of(directory / "o.csv"));
  CHECK(table.names() == std::vector<std::string>{"attention", "layer", "head", "score", "n", "mean", "sd",
                                                  "min", "max", "uniform", "without", "nan"});
  CHECK(table.rows() == 3 * 4 * 7);
  for (const int head : {0, 3}) {
    const double first = previous_of(directory, letter_texts[0], 1, head),
                 last = previous_of(directory, letter_texts[2], 1, head), mean = (first + last) / 2;
    const std::size_t row = row_of(table, 1, head, "previous_token");
    // "a" is one token and has no token before: it is counted apart.
    CHECK(table.at(row, "attention") == "decoder");
    CHECK(table.number(row, "n") == 2);
    CHECK(table.number(row, "without") == 1);
    CHECK(table.number(row, "nan") == 0);
    CHECK(std::abs(table.number(row, "mean") - mean) < 1e-6);
    CHECK(std::abs(table.number(row, "sd") - std::abs(first - last) / std::sqrt(2.0)) < 1e-6);
    CHECK(std::abs(table.number(row, "min") - std::min(first, last)) < 1e-6);
    CHECK(std::abs(table.number(row, "max") - std::max(first, last)) < 1e-6);
  }
}

TEST_CASE("heads says the same as JSON and on the standard output", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letter_texts(directory);
  done(directory, "heads m --texts t.txt -o o.csv");
  done(directory, "heads m --texts t.txt -o o.json");
  const CsvReader table(bytes_of(directory / "o.csv"));
  const auto report = nlohmann::json::parse(bytes_of(directory / "o.json"));
  CHECK(report.at("family") == "GPT-2");
  CHECK(report.at("left_out_lines") == std::vector<int>{2});
  REQUIRE(report.at("texts").size() == 3);
  CHECK(report["texts"][1].at("line") == 3);
  CHECK(report["texts"][1].at("text") == "a");
  CHECK(report["texts"][1].at("tokens") == 1);
  REQUIRE(report.at("heads").size() == 12);
  for (const auto& head : report["heads"])
    for (const auto& [score, spread] : head.at("scores").items()) {
      const std::size_t row = row_of(table, head.at("layer"), head.at("head"), score);
      CAPTURE(row, score);
      for (const char* name : {"mean", "sd", "min", "max", "uniform"}) {
        const auto& value = spread.at(name);
        const double in_csv = table.number(row, name);
        CHECK(value.is_null() == std::isnan(in_csv));
        if (!value.is_null()) CHECK(value.get<double>() == in_csv);
      }
      CHECK(spread.at("n") == table.number(row, "n"));
      CHECK(spread.at("without") == table.number(row, "without"));
    }
  const Outcome columns = done(directory, "heads m --texts t.txt");
  CHECK_THAT(columns.out, ContainsSubstring("3 texts") && ContainsSubstring("decoder 2.3") &&
                              ContainsSubstring("normalised_entropy") && ContainsSubstring("–"));
}

TEST_CASE("effects over one text are those of atlas", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "m");
  directory.write("t.txt", "ab cd a b\n");
  done(directory, "heads m --texts t.txt --effects --mean -o o.csv");
  done(directory, "atlas m --text 'ab cd a b' --mean -o a.csv");
  const CsvReader table(bytes_of(directory / "o.csv"));
  CHECK(table.rows() == 3 * 4 * 11);
  std::ifstream atlas(directory / "a.csv");
  std::string line;
  std::getline(atlas, line);
  int heads = 0;
  for (; std::getline(atlas, line); ++heads) {
    std::vector<std::string> fields(1);
    for (const char c : line)
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    REQUIRE(fields.size() == 7);
    const auto mean = [&](const char* score) {
      const std::size_t row = row_of(table, std::stoi(fields[0]), std::stoi(fields[1]), score);
      CHECK(table.at(row, "sd").empty());
      CHECK(table.at(row, "uniform").empty());
      return table.number(row, "mean");
    };
    CHECK(std::abs(mean("kl") - std::stod(fields[2])) < 1e-9);
    CHECK(std::abs(mean("top_logit_change") - std::stod(fields[3])) < 1e-9);
    CHECK(std::abs(mean("mean_kl") - std::stod(fields[5])) < 1e-9);
    CHECK(std::abs(mean("nll_change") - std::stod(fields[6])) < 1e-9);
  }
  CHECK(heads == 12);
  done(directory, "heads m --texts t.txt --effects --last -o o.csv");
  CHECK(CsvReader(bytes_of(directory / "o.csv")).rows() == 3 * 4 * 9);
}

TEST_CASE("heads scores both stacks of an encoder-decoder", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_small_t5(directory / "t5");
  directory.write("t.txt", "the cat sat\non the mat\n");
  done(directory, "heads t5 --texts t.txt --decoder-text 'die Katze' --effects --last -o o.csv");
  const CsvReader table(bytes_of(directory / "o.csv"));
  CHECK(table.rows() == 8 * 7 + 8 * 9);  // effects are of the decoder's heads
  CHECK(table.at(0, "attention") == "encoder");
  CHECK(table.at(table.rows() - 1, "attention") == "decoder");
}

TEST_CASE("what heads cannot do is said in a sentence", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letter_texts(directory);
  check_refusal(directory, "heads m -o o.csv", 2, "required");
  check_refusal(directory, "heads m --texts t.txt -o o.txt", 2, "a file that ends in .csv or .json");
  check_refusal(directory, "heads m --texts t.txt --last", 2, "--effects");
  check_refusal(directory, "heads m --texts none.txt", 1, "none.txt");
  check_refusal(directory, "heads m --texts t.txt --decoder-text a", 1, "encoder-decoders");
  directory.write("long.txt", "a\n" + std::string(33, 'c') + "\n");
  check_refusal(directory, "heads m --texts long.txt -o o.csv", 1, "Line 2 of \"long.txt\": The text has 33");
  directory.write("bad.txt", "a\n\xFF\n");
  check_refusal(directory, "heads m --texts bad.txt -o o.csv", 1, "Line 2 of \"bad.txt\" is not valid UTF-8");
  write_small_vit(directory / "vit");
  check_refusal(directory, "heads vit --texts t.txt -o o.csv", 1, "takes pictures");
  CHECK_FALSE(std::filesystem::exists(directory / "o.csv"));
}

TEST_CASE("patch writes mean and spread over pairs of what each gives alone", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "m");
  const std::vector<std::string> pairs{"ab cd a b\tab dc a b\tc\td", "a b\tb b", "ab c ab\tab d ab\td\ta"};
  directory.write("p.txt", pairs[0] + "\n\n" + pairs[1] + "\n" + pairs[2] + "\n");
  const Outcome outcome = done(directory, "patch m --pairs p.txt -o o.csv");
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "attnscope: Line 2 of \"p.txt\" is empty and left out.\n");
  const CsvReader table(bytes_of(directory / "o.csv"));
  CHECK(table.names() == std::vector<std::string>{"attention", "layer", "head", "score", "n", "mean", "sd",
                                                  "min", "max", "uniform", "without", "nan"});
  CHECK(table.rows() == 3 * 4 * 3);
  std::vector<CsvReader> singles;
  for (const std::string& pair : pairs) {
    directory.write("one.txt", pair + "\n");
    done(directory, "patch m --pairs one.txt -o one.csv");
    singles.emplace_back(bytes_of(directory / "one.csv"));
  }
  for (int layer = 0; layer < 3; ++layer)
    for (int head = 0; head < 4; ++head)
      for (const std::string score : {"effect", "share", "direct_effect"}) {
        CAPTURE(layer, head, score);
        std::vector<double> values;
        for (const CsvReader& single : singles) {
          const std::size_t row = row_of(single, layer, head, score);
          CHECK(single.number(row, "n") == 1);
          CHECK(single.at(row, "sd").empty());
          values.push_back(single.number(row, "mean"));
        }
        const double mean = (values[0] + values[1] + values[2]) / 3;
        double squares = 0, size = 1;
        for (const double value : values) {
          squares += (value - mean) * (value - mean);
          size = std::max(size, std::abs(value));
        }
        const std::size_t row = row_of(table, layer, head, score);
        CHECK(table.at(row, "attention") == "decoder");
        CHECK(table.number(row, "n") == 3);
        CHECK(table.number(row, "without") == 0);
        CHECK(table.number(row, "nan") == 0);
        CHECK(std::abs(table.number(row, "mean") - mean) < 1e-12 * size);
        CHECK(std::abs(table.number(row, "sd") - std::sqrt(squares / 2)) < 1e-12 * size);
        CHECK(table.number(row, "min") == std::ranges::min(values));
        CHECK(table.number(row, "max") == std::ranges::max(values));
      }
}

TEST_CASE("patch says the same as JSON and on the standard output", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "m");
  directory.write("p.txt", "ab cd a b\tab dc a b\tc\td\na b\tb b\n");
  done(directory, "patch m --pairs p.txt -o o.csv");
  done(directory, "patch m --pairs p.txt -o o.json");
  const CsvReader table(bytes_of(directory / "o.csv"));
  const auto report = nlohmann::json::parse(bytes_of(directory / "o.json"));
  CHECK(report.at("family") == "GPT-2");
  CHECK(report.at("left_out_lines").empty());
  REQUIRE(report.at("pairs").size() == 2);
  const auto& first = report["pairs"][0];
  CHECK(first.at("line") == 1);
  CHECK(first.at("corrupted") == "ab dc a b");
  CHECK(first.at("tokens") == 8);
  CHECK(first.at("answer").at("id") == 2);
  CHECK(first.at("answer").at("text") == "c");
  CHECK(first.at("other").at("id") == 3);
  const double sum =
      first.at("clean_answer").get<double>() + report["pairs"][1].at("clean_answer").get<double>();
  CHECK(std::abs(report.at("clean_answers").at("mean").get<double>() - sum / 2) < 1e-12);
  REQUIRE(report.at("heads").size() == 12);
  for (const auto& head : report["heads"])
    for (const auto& [score, spread] : head.at("scores").items()) {
      const std::size_t row = row_of(table, head.at("layer"), head.at("head"), score);
      CAPTURE(row, score);
      for (const char* name : {"n", "mean", "sd", "min", "max", "without", "nan"})
        CHECK(spread.at(name).get<double>() == table.number(row, name));
      CHECK(spread.at("uniform").is_null());
    }
  const Outcome columns = done(directory, "patch m --pairs p.txt");
  CHECK_THAT(columns.out, ContainsSubstring("2 pairs") && ContainsSubstring("decoder 2.3") &&
                              ContainsSubstring("direct_effect"));
  write_small_t5(directory / "t5");
  directory.write("w.txt", "the cat sat\tthe mat sat\n");
  done(directory, "patch t5 --pairs w.txt --decoder-text 'die Katze' -o o.csv");
  CHECK(CsvReader(bytes_of(directory / "o.csv")).rows() == 8 * 3);  // the decoder's heads
}

TEST_CASE("what patch cannot do is said in a sentence", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letter_texts(directory);
  directory.write("p.txt", "a b\tb b\n\na b\tabab b\n");
  check_refusal(directory, "patch m -o o.csv", 2, "required");
  check_refusal(directory, "patch m --pairs p.txt -o o.txt", 2, "a file that ends in .csv or .json");
  check_refusal(directory, "patch m --pairs none.txt", 1, "none.txt");
  check_refusal(directory, "patch m --pairs p.txt -o o.csv", 1,
                "Line 3 of \"p.txt\": The clean text has 3 tokens and the corrupted one 4");
  check_refusal(directory, "patch m --pairs t.txt -o o.csv", 1, "Line 1 of \"t.txt\": There is no tab in it");
  directory.write("q.txt", "a b\tb b\tcd\n");
  check_refusal(directory, "patch m --pairs q.txt -o o.csv", 1, "Line 1 of \"q.txt\": \"cd\" is");
  directory.write("q.txt", "a b\tb b\n");
  check_refusal(directory, "patch m --pairs q.txt --decoder-text a -o o.csv", 1, "encoder-decoders");
  write_small_vit(directory / "vit");
  check_refusal(directory, "patch vit --pairs q.txt -o o.csv", 1, "takes pictures");
  CHECK_FALSE(std::filesystem::exists(directory / "o.csv"));
}

TEST_CASE("similar writes the cosines of texts, pooled as modules.json says", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "b");
  std::filesystem::create_directories(directory / "b/1_Pooling");
  std::ofstream(directory / "b/1_Pooling/config.json")
      << R"({"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true})";
  std::ofstream(directory / "b/modules.json") << R"([
      {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
      {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])";
  const std::vector<std::string> texts{"the cat sat on the mat", "a dog ran", "a red car"};
  directory.write("t.txt", texts[0] + "\n\n" + texts[1] + "\n" + texts[2] + "\n");
  const Outcome outcome = done(directory, "similar b --texts t.txt -o o.csv");
  CHECK(outcome.err ==
        "attnscope: Pooling is mean, as modules.json says.\n"
        "attnscope: Line 2 of \"t.txt\" is empty and left out.\n");
  const CsvReader table(bytes_of(directory / "o.csv"));
  CHECK(table.names() == std::vector<std::string>{"line", "text", texts[0], texts[1], texts[2]});
  done(directory, "similar b --texts t.txt -o o.json");
  const auto report = nlohmann::json::parse(bytes_of(directory / "o.json"));
  CHECK(report.at("pooling") == std::vector<std::string>{"mean"});
  CHECK(report.at("pooling_from") == "modules.json");
  CHECK(report.at("normalised") == true);
  CHECK(report.at("pairs").at("n") == 3);
  // Means of the rows that `run` writes.
  std::vector<std::vector<double>> vectors;
  for (const std::string& text : texts) {
    done(directory, fmt::format("run b --text '{}' -o o.safetensors", text));
    const SafetensorsFile file(directory / "o.safetensors");
    const Tensor all = to_tensor<float>(*file.find("last_hidden_state"), file.path());
    const auto rows = all.matrix(0);
    std::vector<double>& mean = vectors.emplace_back(static_cast<std::size_t>(rows.cols()), 0.0);
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index c = 0; c < rows.cols(); ++c)
        mean[static_cast<std::size_t>(c)] +=
            static_cast<double>(rows(i, c)) / static_cast<double>(rows.rows());
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double ab = 0, aa = 0, bb = 0;
      for (std::size_t c = 0; c < vectors[i].size(); ++c) {
        ab += vectors[i][c] * vectors[j][c];
        aa += vectors[i][c] * vectors[i][c];
        bb += vectors[j][c] * vectors[j][c];
      }
      CHECK(std::abs(table.number(i, texts[j]) - ab / std::sqrt(aa * bb)) < 1e-6);
      CHECK(report.at("cosine")[i][j].get<double>() == table.number(i, texts[j]));
    }
  const Outcome columns = done(directory, "similar b --texts t.txt");
  CHECK_THAT(columns.out, ContainsSubstring("pooling mean as modules.json says") &&
                              ContainsSubstring("1.0000") && ContainsSubstring("\"a red car\"") &&
                              ContainsSubstring("all 3 pairs: mean"));
  CHECK_THAT(done(directory, "similar b --texts t.txt --pooling max").out,
             ContainsSubstring("pooling max as --pooling says"));
}

TEST_CASE("what similar cannot do is said in a sentence", "[cli][texts]") {
  const TemporaryDirectory directory;
  write_letter_texts(directory);
  check_refusal(directory, "similar m --texts t.txt", 1, "GPT-2, a decoder");
  check_refusal(directory, "similar m --texts t.txt", 1, "choose with --pooling one of cls, max, mean");
  CHECK(
      done(directory, "similar m --texts t.txt --pooling lasttoken").out.starts_with("m: cosine of 3 texts"));
  check_refusal(directory, "similar m --texts t.txt --pooling median", 2, "one of cls, max, mean");
  directory.write("one.txt", "ab\n");
  check_refusal(directory, "similar m --texts one.txt --pooling mean", 1, "at least two");
  write_small_bert(directory / "b");
  directory.write("w.txt", "the cat\na dog\n");
  check_refusal(directory, "similar b --texts w.txt", 1, "(BERT) says how one vector is made");
  std::filesystem::create_directories(directory / "b/1_Pooling");
  std::ofstream(directory / "b/1_Pooling/config.json") << R"({"embedding_dimension": 7})";
  const std::string modules = R"([{"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})";
  std::ofstream(directory / "b/modules.json") << modules << "]";
  check_refusal(directory, "similar b --texts w.txt", 1, "pools rows of 7 numbers");
  std::ofstream(directory / "b/modules.json")
      << modules << R"(, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])";
  check_refusal(directory, "similar b --texts w.txt -o o.csv", 1, "the module \"Dense\" is not understood");
  CHECK_FALSE(std::filesystem::exists(directory / "o.csv"));
  write_small_vit(directory / "vit");
  check_refusal(directory, "similar vit --texts w.txt --pooling mean", 1, "takes pictures");
}

}  // namespace attnscope::cli_texts_test

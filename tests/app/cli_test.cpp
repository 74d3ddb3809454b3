// The program run from a shell: exit codes, messages, and the numbers that `attend` writes.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/files/paths.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/program.hpp"

namespace attnscope::cli_test {

using namespace attnscope::test::commands;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Varied numbers without a random generator: the same on every run.
Tensor wavy(const Shape& shape, double step) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data()[i] = static_cast<float>(1.5 * std::sin(step * static_cast<double>(i + 1)));
  }
  return tensor;
}

struct Problem {
  Tensor query, key, value;  // [batch][heads][n][d]
  double scale = 1;
  bool causal = false;
  std::vector<double> mask;  // [queries][keys], added; empty = none
};

struct Answer {
  std::vector<double> output, weights, lse, entropy;
};

/// One row, straight from the definition, in float64.
void append_row(const Problem& p, std::int64_t head, std::int64_t kv_head, std::int64_t query,
                Answer& answer) {
  const std::int64_t queries = p.query.shape()[2], keys = p.key.shape()[2], d_k = p.key.shape()[3];
  const std::int64_t d_v = p.value.shape()[3];
  const auto at = [](const Tensor& tensor, std::int64_t index) {
    return static_cast<double>(tensor.data()[index]);
  };
  std::vector<double> weights;
  double largest = -infinity, sum = 0;
  for (std::int64_t k = 0; k < keys; ++k) {
    double score = 0;
    for (std::int64_t c = 0; c < d_k; ++c) {
      score += at(p.query, (head * queries + query) * d_k + c) * at(p.key, (kv_head * keys + k) * d_k + c);
    }
    score *= p.scale;
    if (!p.mask.empty()) score += p.mask[static_cast<std::size_t>(query * keys + k)];
    if (p.causal && k > query) score = -infinity;
    weights.push_back(score);
    largest = std::max(largest, score);
  }
  for (double& weight : weights) sum += weight = largest == -infinity ? 0 : std::exp(weight - largest);
  double entropy = 0;
  for (double& weight : weights) {
    if (sum > 0) weight /= sum;
    if (weight > 0) entropy -= weight * std::log(weight);
  }
  for (std::int64_t c = 0; c < d_v; ++c) {
    double mixed = 0;
    for (std::int64_t k = 0; k < keys; ++k) {
      mixed += weights[static_cast<std::size_t>(k)] * at(p.value, (kv_head * keys + k) * d_v + c);
    }
    answer.output.push_back(mixed);
  }
  answer.weights.insert(answer.weights.end(), weights.begin(), weights.end());
  answer.lse.push_back(sum > 0 ? largest + std::log(sum) : -infinity);
  answer.entropy.push_back(entropy);
}

Answer attention(const Problem& problem) {
  const Shape &q = problem.query.shape(), &k = problem.key.shape();
  Answer answer;
  for (std::int64_t b = 0; b < q[0]; ++b) {
    for (std::int64_t h = 0; h < q[1]; ++h) {
      const std::int64_t kv_head = b * k[1] + h / (q[1] / k[1]);
      for (std::int64_t row = 0; row < q[2]; ++row) append_row(problem, b * q[1] + h, kv_head, row, answer);
    }
  }
  return answer;
}

void write_problem(const std::filesystem::path& path, const Problem& problem, const Tensor* mask = nullptr) {
  std::vector<NamedTensor> tensors{{"Q", &problem.query}, {"K", &problem.key}, {"V", &problem.value}};
  if (mask != nullptr) tensors.push_back({"attn_mask", mask});
  write_safetensors(path, tensors);
}

/// float32 sums of a few dozen terms of size 1: 1e-5 leaves a factor of ten.
void check_close(const SafetensorsFile& file, const std::string& name, const Shape& shape,
                 std::span<const double> expected) {
  INFO(name);
  const TensorEntry* entry = file.find(name);
  REQUIRE(entry != nullptr);
  CHECK(entry->dtype == DType::F32);
  const Tensor found = to_tensor<float>(*entry, file.path());
  REQUIRE(found.shape() == shape);
  REQUIRE(found.size() == std::ssize(expected));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto value = static_cast<double>(found.values()[i]);
    INFO("element " << i << ": " << value << ", expected " << expected[i]);
    if (std::isfinite(expected[i])) {
      CHECK(std::abs(value - expected[i]) < 1e-5);
    } else {
      CHECK(value == expected[i]);
    }
  }
}

void check_answer(const std::filesystem::path& path, const Problem& problem) {
  const Answer answer = attention(problem);
  const Shape &q = problem.query.shape(), &v = problem.value.shape();
  const SafetensorsFile file(path);
  CHECK(file.tensors().size() == 4);
  check_close(file, "Y", {q[0], q[1], q[2], v[3]}, answer.output);
  check_close(file, "weights", {q[0], q[1], q[2], v[2]}, answer.weights);
  check_close(file, "lse", {q[0], q[1], q[2]}, answer.lse);
  check_close(file, "entropy", {q[0], q[1], q[2]}, answer.entropy);
}

Problem example() {
  return {wavy({2, 4, 5, 8}, 0.7),
          wavy({2, 2, 6, 8}, 1.1),
          wavy({2, 2, 6, 3}, 0.3),
          1 / std::sqrt(8.0),
          false,
          {}};
}

}  // namespace

TEST_CASE("help and version go to stdout", "[cli]") {
  const TemporaryDirectory directory;
  const Outcome help = run(directory, "--help");
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  CHECK_THAT(help.out,
             ContainsSubstring("FILE") && ContainsSubstring("render") && ContainsSubstring("attend"));
  CHECK_THAT(run(directory, "attend --help").out,
             ContainsSubstring("--causal") && ContainsSubstring("--scale"));
  CHECK_THAT(run(directory, "render --help").out,
             ContainsSubstring("--size") && ContainsSubstring("--theme"));
  const Outcome version = run(directory, "--version");
  CHECK(version.exit_code == 0);
  CHECK_THAT(version.out, Catch::Matchers::StartsWith("attnscope 0."));
}

TEST_CASE("bad usage exits with 2 and one sentence", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("a.txt", "a text");
  check_refusal(directory, "--frobnicate", 2, "--frobnicate");
  check_refusal(directory, "a.txt b.txt", 2, "b.txt");
  check_refusal(directory, "a.txt render -o b.png", 2, "combined");
  check_refusal(directory, "render a.txt", 2, "--out");
  check_refusal(directory, "render a.txt b.txt -o c.png", 2, "b.txt");
  check_refusal(directory, "render -o a.png --size 800", 2, "--size");
  check_refusal(directory, "render -o a.png --size 15x800", 2, "16384");
  check_refusal(directory, "render -o a.png --size 800x20000", 2, "20000");
  check_refusal(directory, "render -o a.png --size 800x600x3", 2, "800x600x3");
  check_refusal(directory, "render -o a.png --size 16384x16384", 2, "134 million pixels at most");
  check_refusal(directory, "render -o a.png --scale nan", 2, "0.5 to 4");
  check_refusal(directory, "render -o a.png --scale 5", 2, "--scale");
  check_refusal(directory, "render -o a.png --view lens", 2, "expected explore");
  check_refusal(directory, "render -o a.png --theme blue", 2, "dark, light or contrast");
  check_refusal(directory, "attend", 2, "IN");
  check_refusal(directory, "attend a.txt", 2, "--out");
  check_refusal(directory, "attend a.txt -o b --scale inf", 2, "finite");
  check_refusal(directory, "attend a.txt -o b --scale 1e99", 2, "finite");
  check_refusal(directory, "attend a.txt -o b --softcap 1e-46", 2, "--softcap");
  check_refusal(directory, "attend a.txt -o b --scale", 2, "--scale must be given once, with one value");
  check_refusal(directory, "attend a.txt -o b -o c", 2, "--out must be given once");
  check_refusal(directory, "attend a.txt -o b --scale '1\n2'", 2, "1\\u{a}2");
}

TEST_CASE("a dash is no file: what is no text does not go to the standard output", "[cli]") {
  const TemporaryDirectory directory;
  write_problem(directory / "good.safetensors", example());
  for (const char* line :
       {"attend good.safetensors -o -", "layer good.safetensors --heads 2 --out -",
        "rotate good.safetensors -o -", "run m --text a -o -", "watch s -o -", "train induction -o -",
        "lesson pages a.md -o -", "lesson quiz a.md -o -", "train induction -o m --log -"})
    check_refusal(directory, line, 2, "the standard output; \"./-\" is a file of that name");
  check_refusal(directory, "render -o -", 2, "a picture cannot go to the standard output");
  check_refusal(directory, "heads m --texts t -o -", 2, "a file that ends in .csv or .json");
  CHECK_FALSE(std::filesystem::exists(directory / "-"));
  REQUIRE(run(directory, "attend good.safetensors -o ./-").exit_code == 0);
  CHECK(std::filesystem::exists(directory / "-"));
  std::filesystem::remove(directory / "-");
  const Outcome lesson = run(directory, "lesson new -o -");
  CHECK(lesson.exit_code == 0);
  CHECK(lesson.out.starts_with("---\n"));
  CHECK(lesson.out.find("Written") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(directory / "-"));
}

TEST_CASE("bad input exits with 1 and one sentence that names it", "[cli]") {
  const TemporaryDirectory directory;
  directory.write("a.safetensors", "no tensors at all");
  check_refusal(directory, "attend missing.safetensors -o out.safetensors", 1,
                "\"missing.safetensors\": No such file");
  check_refusal(directory, "attend a.safetensors -o out.safetensors", 1, "not a safetensors file");
  check_refusal(directory, "attend . -o out.safetensors", 1, "directory");

  Problem problem = example();
  problem.key = wavy({2, 2, 6, 7}, 1);
  write_problem(directory / "d.safetensors", problem);
  check_refusal(directory, "attend d.safetensors -o out.safetensors", 1, "\"d.safetensors\"");
  problem.key = wavy({2, 6, 8}, 1);
  write_problem(directory / "rank.safetensors", problem);
  check_refusal(directory, "attend rank.safetensors -o out.safetensors", 1,
                "tensor \"K\" has shape [2, 6, 8]");
  const Tensor mask({3, 3});
  write_problem(directory / "mask.safetensors", example(), &mask);
  check_refusal(directory, "attend mask.safetensors -o out.safetensors", 1, "attn_mask");
  CHECK_FALSE(std::filesystem::exists(directory / "out.safetensors"));

  write_problem(directory / "good.safetensors", example());
  check_refusal(directory, "attend good.safetensors -o no/such/out.safetensors", 1,
                "no/such/out.safetensors");
}

TEST_CASE("attend computes attention", "[cli]") {
  const TemporaryDirectory directory;
  Problem problem = example();
  const auto attend = [&](const std::string& options, const Tensor* mask = nullptr) {
    write_problem(directory / "in.safetensors", problem, mask);
    const Outcome outcome = run(directory, "attend in.safetensors -o out.safetensors " + options);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(outcome.out.empty());
    check_answer(directory / "out.safetensors", problem);
  };
  SECTION("plainly") { attend(""); }
  SECTION("with a scale") {
    problem.scale = -0.25;
    attend("--scale -0.25");
  }
  SECTION("causally") {
    problem.causal = true;
    attend("--causal");
  }
  SECTION("with a mask of numbers, causally") {
    Tensor mask = wavy({5, 6}, 2.3);
    mask.data()[0] = mask.data()[7] = -std::numeric_limits<float>::infinity();  // row 0 sees nothing
    for (const float value : mask.values()) problem.mask.push_back(static_cast<double>(value));
    problem.causal = true;
    attend("--causal", &mask);
    const SafetensorsFile file(directory / "out.safetensors");
    CHECK(to_tensor<float>(*file.find("lse"), file.path()).data()[0] ==
          -std::numeric_limits<float>::infinity());
    CHECK(to_tensor<float>(*file.find("Y"), file.path()).data()[0] == 0);
  }
}

TEST_CASE("attend can replace its own input", "[cli]") {
  const TemporaryDirectory directory;
  const Problem problem = example();
  write_problem(directory / "same.safetensors", problem);
  CHECK(run(directory, "attend same.safetensors -o same.safetensors").exit_code == 0);
  check_answer(directory / "same.safetensors", problem);
}

TEST_CASE("attend caps the scores softly", "[cli]") {
  const TemporaryDirectory directory;
  write_problem(directory / "in.safetensors", example());
  const auto weights = [&](const std::string& cap) {
    REQUIRE(run(directory, "attend in.safetensors -o out.safetensors" + cap).exit_code == 0);
    const SafetensorsFile file(directory / "out.safetensors");
    return to_tensor<float>(*file.find("weights"), file.path());
  };
  const Tensor plain = weights(""), loose = weights(" --softcap 1e6"), tight = weights(" --softcap 1e-4");
  const auto keys = static_cast<float>(plain.shape()[3]);
  for (std::size_t i = 0; i < plain.values().size(); ++i) {
    CHECK(std::abs(loose.values()[i] - plain.values()[i]) < 1e-5f);
    CHECK(std::abs(tight.values()[i] - 1 / keys) < 1e-3f);  // all scores within 1e-4 of each other
  }
  check_refusal(directory, "attend in.safetensors -o out.safetensors --softcap -1", 2, "at least 0");
}

TEST_CASE("attend computes NaN and infinity instead of refusing them", "[cli]") {
  const TemporaryDirectory directory;
  Problem problem = example();
  problem.query.data()[0] = std::numeric_limits<float>::quiet_NaN();
  problem.query.data()[8] = std::numeric_limits<float>::infinity();
  write_problem(directory / "nan.safetensors", problem);
  const Outcome outcome = run(directory, "attend nan.safetensors -o out.safetensors");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err ==
        "attnscope: Q holds 1 NaN and 1 infinite value; they are computed as they are and marked.\n");
  const SafetensorsFile file(directory / "out.safetensors");
  const Tensor output = to_tensor<float>(*file.find("Y"), file.path());
  CHECK(std::isnan(output.data()[0]));
  CHECK(std::isfinite(output.data()[2 * 3]));  // the first two queries do not affect the third
}

TEST_CASE("what is printed onto a full disk is no success", "[cli]") {
  const TemporaryDirectory directory;
  write_problem(directory / "problem.safetensors", example());
  for (const std::string asked : {"--version", "--help", "train --list", "describe problem.safetensors"}) {
    check_refusal(directory, asked + " >/dev/full", 1, "Cannot write to the standard output: ");
    CHECK(run(directory, asked + " >/dev/null").exit_code == 0);
  }
}

TEST_CASE("describe says what a damaged session lost", "[cli]") {
  const TemporaryDirectory directory;
  const auto describe = [&](const char* settings) {
    std::ofstream(directory / "kept.json")
        << R"({"attnscope": 1, "session": 1, "text": ["the cat sat"], "view": {}, )" << settings << "}";
    return run(directory, "describe kept.json");
  };
  const Outcome whole = describe(R"("heads": 4)");
  CHECK(whole.exit_code == 0);
  CHECK(whole.err.empty());
  const Outcome damaged = describe(R"("heads": 4, "linaer": true)");
  CHECK(damaged.exit_code == 0);
  CHECK(damaged.out == whole.out);
  CHECK(damaged.err.find("is damaged and was opened as far as it is good. Lost: \"linaer\"") !=
        std::string::npos);
}

TEST_CASE("assets are looked for beside the program first, and missing ones are told of") {
  const std::vector<std::filesystem::path> places = assets_places();
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  REQUIRE(places.size() == 3);
  CHECK(places[0] == program.parent_path() / "assets");
  CHECK(places[1] == program.parent_path().parent_path() / "share" / "attnscope");
  CHECK(places[2] == ATTNSCOPE_ASSETS);
  CHECK(assets_directory() == ATTNSCOPE_ASSETS);
  const TemporaryDirectory directory;
  ::setenv("ATTNSCOPE_ASSETS", directory.path().c_str(), 1);
  CHECK(assets_places() == std::vector<std::filesystem::path>{directory.path()});
  check_refusal(directory, "render -o a.png", 1, "ATTNSCOPE_ASSETS");
  ::unsetenv("ATTNSCOPE_ASSETS");
}

}  // namespace attnscope::cli_test

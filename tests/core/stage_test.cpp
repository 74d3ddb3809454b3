// The table of stages: its columns against lists of the right values; and no code uses the order of the
// enumerators instead.
#include "core/document/stage.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/analysis/float64_error.hpp"

namespace attnscope::stage_test {
namespace {

template <class E>
concept Compared = requires(E a, E b) {
  a < b;
}
|| requires(E a, E b) { a > b; }
|| requires(E a, E b) { a <= b; }
|| requires(E a, E b) { a >= b; }
|| requires(E a, E b) { a <=> b; };
static_assert(Compared<StageKind> && !Compared<Stage>, "what a stage is, the table says");
static_assert(std::equality_comparable<Stage>);

/// Whether the compiler has a name for the number.
template <Stage stage>
constexpr bool is_named() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;  // "… = attnscope::Stage::Mix]" or "… (…Stage)22]"
  return text.find("Stage)") == text.npos;
}
static_assert(is_named<Stage::Embed>() && is_named<Stage::BlockOutput>());
static_assert(!is_named<static_cast<Stage>(stage_count)>(), "stage_count counts all enumerators");

const std::filesystem::path repository = std::filesystem::path(ATTNSCOPE_ASSETS).parent_path();

std::vector<std::filesystem::path> all_sources() {
  std::vector<std::filesystem::path> all;
  for (const char* room : {"app", "core", "gpu", "tests"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(repository / room)) {
      const std::filesystem::path extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp" || extension == ".cu") all.push_back(entry.path());
    }
  return all;
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::array<std::string_view, 5> comparisons{"<", ">", "<=", ">=", "<=>"};

/// Whether an enumerator is on either side of a comparison. The sources are formatted: operators have spaces
/// around them, brackets of templates have not.
bool compares_stages(std::string_view text) {
  constexpr std::string_view scope = "Stage::";
  for (std::size_t at = text.find(scope); at != text.npos; at = text.find(scope, at + 1)) {
    std::string_view before = text.substr(0, at);
    if (before.ends_with("attnscope::")) before.remove_suffix(std::string_view("attnscope::").size());
    std::size_t end = at + scope.size();
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string_view after = text.substr(end);
    for (const std::string_view sign : comparisons) {
      const std::string apart = " " + std::string(sign) + " ";
      if (before.ends_with(apart) || after.starts_with(apart)) return true;
    }
  }
  return false;
}

/// Whether a stage is cast to a number, which could be compared.
bool casts_stages(const std::string& text) {
  static const std::regex cast(R"(static_cast<[^<>()]*>\(\*?([a-z_]+(\.|->))*(stage|Stage::\w+)\))");
  constexpr std::string_view word = "static_cast<";
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + std::min<std::ptrdiff_t>(100, text.end() - begin);
    if (std::regex_search(begin, end, cast, std::regex_constants::match_continuous)) return true;
  }
  return false;
}

constexpr Stages block{Stage::OutputNorm,    Stage::Residual,    Stage::StreamNorm, Stage::MlpNorm,
                       Stage::Gate,          Stage::Up,          Stage::Activation, Stage::Down,
                       Stage::MlpOutputNorm, Stage::MlpResidual, Stage::BlockOutput};

}  // namespace

TEST_CASE("The table says which stages hold planes, weights and vectors") {
  constexpr Stages vectors{Stage::Embed,     Stage::Position,  Stage::Memory,        Stage::Fuse,
                           Stage::Query,     Stage::Key,       Stage::Value,         Stage::RotateQuery,
                           Stage::Mix,       Stage::RotateKey, Stage::Concat,        Stage::Output,
                           Stage::NormQuery, Stage::NormKey,   Stage::AttentionNorm, Stage::QueryLatent,
                           Stage::Latent};
  constexpr Stages scores{Stage::Score, Stage::Scale, Stage::Cap, Stage::Mask};
  constexpr Stages weights{Stage::Softmax, Stage::Linear, Stage::Intervention, Stage::Drop};
  CHECK(stages_that(holds_vectors) == (vectors | block));
  CHECK(stages_that(holds_weights) == weights);
  CHECK(stages_that(holds_scores_or_weights) == (scores | weights));
  CHECK(stages_that(holds_plane) == (scores | weights | Stages{Stage::Bias}));
  CHECK(Stages::all() - vectors - block - stages_that(holds_plane) == Stages{Stage::Bucket});
}

TEST_CASE("The table says how far attention has come") {
  constexpr Stages before{Stage::Embed,       Stage::Position,  Stage::Memory,  Stage::Fuse,
                          Stage::Query,       Stage::Key,       Stage::Value,   Stage::RotateQuery,
                          Stage::RotateKey,   Stage::NormQuery, Stage::NormKey, Stage::AttentionNorm,
                          Stage::QueryLatent, Stage::Latent};
  CHECK(stages_that(is_before_scores) == before);
  CHECK(stages_that(is_projection) ==
        Stages{Stage::QueryLatent, Stage::Latent, Stage::Fuse, Stage::Query, Stage::Key, Stage::Value});
  CHECK(stages_that(is_after_weights) == (Stages{Stage::Mix, Stage::Concat, Stage::Output} | block));
  CHECK(stages_that(is_layer_output) == Stages{Stage::Concat, Stage::Output});
  CHECK(stages_before(Stage::Embed).empty());
  CHECK(stages_before(Stage::Key) == Stages{Stage::Embed, Stage::Position, Stage::Memory,
                                            Stage::AttentionNorm, Stage::QueryLatent, Stage::Latent,
                                            Stage::Fuse, Stage::Query});
  CHECK(stages_that(is_after_attention) == block);
  CHECK(stages_that(is_of_block) == (block | Stages{Stage::AttentionNorm}));
  CHECK(stages_before(Stage::Output) == Stages::all() - block - Stages{Stage::Output});
  CHECK(float64_error_stages == stages_before(Stage::Mix));
}

TEST_CASE("A value for each stage begins as nothing") {
  PerStage<int> values;
  CHECK(std::ranges::count(values, 0) == static_cast<std::ptrdiff_t>(stage_count));
  values[Stage::Output] = 3;
  CHECK(*std::ranges::max_element(values) == 3);
  CHECK(index_of(Stage::BlockOutput) + 1 == stage_count);
}

TEST_CASE("No source compares stages, or makes numbers of them") {
  for (const char* text :
       {"stage >= Stage::Mix", "Stage::Mix < stage", "(*now > attnscope::Stage::Mix)", "Stage::Drop <=> s"})
    CHECK(compares_stages(text));
  for (const char* text : {"std::set<Stage>{Stage::Mix}", "[] -> Stage { return Stage::Mix; }",
                           "std::cout << Stage::Mix", "Only<Stage::Mix> one", "stage == Stage::Mix"})
    CHECK_FALSE(compares_stages(text));
  for (const char* text : {"static_cast<int>(Stage::Mix)", "a[static_cast<std::size_t>(row.stage)]",
                           "static_cast<int>(*stage)", "static_cast<int>(v->stage) + 1"})
    CHECK(casts_stages(text));
  for (const char* text : {"static_cast<bool>(trace[Stage::Mix])", "static_cast<double>(at(Stage::Mix))"})
    CHECK_FALSE(casts_stages(text));

  const std::vector<std::filesystem::path> sources = all_sources();
  CHECK(sources.size() > 500);
  for (const std::filesystem::path& path : sources) {
    const std::filesystem::path name = path.lexically_relative(repository);
    if (name == "tests/core/stage_test.cpp") continue;
    INFO(name);
    const std::string text = contents_of(path);
    CHECK_FALSE(compares_stages(text));
    if (name != "core/document/stage.hpp") CHECK_FALSE(casts_stages(text));
  }
}

}  // namespace attnscope::stage_test

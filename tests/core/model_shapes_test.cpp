// The shapes of a model's attention, read without its weights, equal those of the opened model.
#include "core/models/opened/model_shapes.hpp"

#include <fstream>

#include <catch2/catch_test_macros.hpp>

#include "core/models/reading/open_model.hpp"
#include "support/letters_gpt.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_shapes_test {

TEST_CASE("the shapes of a folder are those of the model that it opens as", "[models]") {
  const test::TemporaryDirectory directory;
  for (const char* const name : {"bert_masked", "bloom", "gemma2", "mistral_window", "qwen3", "roberta"}) {
    INFO(name);
    copy_golden_model(directory / name, name);
    const std::optional<ModelShapes> shapes = read_model_shapes(directory / name);
    REQUIRE(shapes);
    const ModelSpec spec = open_model(directory / name)->spec;
    const std::vector<LayerSpec>& blocks = spec.output_stack().blocks;
    REQUIRE(shapes->blocks.size() == blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
      CHECK(shapes->blocks[i] == HeadShape{blocks[i].heads, blocks[i].kv_heads, blocks[i].d_k});
    CHECK(shapes->vocabulary == spec.vocabulary);
  }
}

TEST_CASE("what has no shapes of one stack is told apart, and damage is no model", "[models]") {
  const test::TemporaryDirectory directory;
  CHECK_FALSE(read_model_shapes(directory / "nowhere"));
  write_small_t5(directory / "t5");
  CHECK_FALSE(read_model_shapes(directory / "t5"));
  write_small_vit(directory / "vit");
  CHECK_FALSE(read_model_shapes(directory / "vit"));
  write_letters_gpt(directory / "letters");
  CHECK(read_model_shapes(directory / "letters")->blocks == std::vector<HeadShape>(3, HeadShape{4, 4, 4}));
  std::ofstream(directory / "letters/config.json") << "{";
  CHECK_FALSE(read_model_shapes(directory / "letters"));
  std::ofstream(directory / "short.gguf") << "GGUF";
  CHECK_FALSE(read_model_shapes(directory / "short.gguf"));
}

}  // namespace attnscope::model_shapes_test

// Folders as found in practice: wrapped names, weights of 8 bits, dangling links, adapters, a file in place
// of its folder; each opens with the same numbers or is refused with its kind named.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files/formats/safetensors.hpp"
#include "core/files/model/model_path.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::checkpoint_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryDirectory;

/// A tensor as stored in a file.
struct Raw {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

std::vector<Raw> raw_tensors(const fs::path& file) {
  std::vector<Raw> all;
  const SafetensorsFile opened(file);
  for (const TensorEntry& one : opened.tensors())
    all.push_back({one.name,
                   std::string(to_string(one.dtype)),
                   one.shape,
                   {reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size()}});
  return all;
}

void write_raw(const fs::path& file, const std::vector<Raw>& tensors) {
  std::string header, data;
  for (const Raw& one : tensors) {
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          header.empty() ? "{" : ",", one.name, one.dtype, fmt::join(one.shape, ","),
                          data.size(), data.size() + one.bytes.size());
    data += one.bytes;
  }
  header += "}";
  const auto size = static_cast<std::uint64_t>(header.size());
  std::string length(sizeof size, '\0');
  std::memcpy(length.data(), &size, sizeof size);
  fs::remove(file);
  std::ofstream(file, std::ios::binary) << length << header << data;
}

/// GPT-2 with its tensors changed.
fs::path changed(const fs::path& folder, const std::function<void(std::vector<Raw>&)>& change) {
  small_models::write_gpt(folder, small_models::gpt_weights());
  std::vector<Raw> tensors = raw_tensors(folder / "model.safetensors");
  change(tensors);
  write_raw(folder / "model.safetensors", tensors);
  return folder;
}

Tensor logits(const fs::path& path) {
  ThreadPool pool(1);
  ModelInput input;
  input.ids = small_models::some_ids(9, small_models::gpt_tokens);
  const ModelPtr model = open_model(path);
  const ModelRun run = run_model(*model, input, {}, Work{pool, {}});
  return Tensor(Shape{run.logits.rows(), run.logits.width},
                {run.logits.row(0), run.logits.row(run.logits.rows())});
}

void check_same(const Tensor& a, const Tensor& b, float within) {
  REQUIRE(a.shape() == b.shape());
  float most = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    most = std::max(most, std::abs(a.values()[i] - b.values()[i]));
  CHECK(most <= within);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The matrix as whole numbers with a scale for each row, and the numbers that these stand for.
struct EightBits {
  Raw weight, scale;
  std::string rounded;
};
EightBits eight_bits(const Raw& from, const std::string& scale_name, float by) {
  const auto rows = static_cast<std::size_t>(from.shape[0]),
             columns = static_cast<std::size_t>(from.shape[1]);
  std::vector<float> values(rows * columns), scales(rows);
  std::memcpy(values.data(), from.bytes.data(), from.bytes.size());
  std::vector<std::int8_t> whole(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    float most = 0;
    for (std::size_t j = 0; j < columns; ++j) most = std::max(most, std::abs(values[i * columns + j]));
    scales[i] = most / 127 / by;
    for (std::size_t j = 0; j < columns; ++j) {
      float& value = values[i * columns + j];
      whole[i * columns + j] = static_cast<std::int8_t>(std::lround(value / (scales[i] * by)));
      value = static_cast<float>(whole[i * columns + j]) * (scales[i] * by);
    }
  }
  return {{from.name, "I8", from.shape, bytes_of(whole)},
          {scale_name, "F32", {from.shape[0]}, bytes_of(scales)},
          bytes_of(values)};
}

Raw& named(std::vector<Raw>& tensors, const std::string& name) {
  return *std::ranges::find(tensors, name, &Raw::name);
}

}  // namespace

TEST_CASE("names of wrapped models are unwrapped", "[models]") {
  const TemporaryDirectory directory;
  const Tensor plain = logits(changed(directory / "plain", [](auto&) {}));
  for (const std::string wrapper : {"module.", "_orig_mod.", "base_model.model.", "module._orig_mod.",
                                    "module.transformer.", "transformer."}) {
    CAPTURE(wrapper);
    const fs::path folder = changed(directory / "wrapped", [&](std::vector<Raw>& tensors) {
      for (Raw& one : tensors) one.name = wrapper + one.name;
    });
    check_same(logits(folder), plain, 0);
  }
  const fs::path other = changed(directory / "other", [](std::vector<Raw>& tensors) {
    for (Raw& one : tensors) one.name = "student.encoder." + one.name;
  });
  CHECK_THROWS_WITH(open_model(other), ContainsSubstring("begin with \"student.encoder.\""));
}

TEST_CASE("whole numbers of 8 bits are multiplied by the scales of their rows", "[models]") {
  const TemporaryDirectory directory;
  const std::string name = "h.1.mlp.c_fc.weight", stem = "h.1.mlp.c_fc.";
  for (const auto& [scale, by] :
       {std::pair(stem + "weight_scale", 1.0F), std::pair(stem + "SCB", 1.0F / 127)}) {
    CAPTURE(scale);
    const Tensor expected = logits(changed(directory / "rounded", [&](std::vector<Raw>& tensors) {
      Raw& weight = named(tensors, name);
      weight.bytes = eight_bits(weight, scale, by).rounded;
    }));
    const fs::path stored = changed(directory / "stored", [&](std::vector<Raw>& tensors) {
      const EightBits made = eight_bits(named(tensors, name), scale, by);
      named(tensors, name) = made.weight;
      tensors.push_back(made.scale);
    });
    check_same(logits(stored), expected, 1e-5F);
    const fs::path alone = changed(directory / "alone", [&](std::vector<Raw>& tensors) {
      named(tensors, name) = eight_bits(named(tensors, name), scale, by).weight;
    });
    CHECK_THROWS_WITH(open_model(alone), ContainsSubstring(name) && ContainsSubstring("whole numbers (I8)") &&
                                             ContainsSubstring("quantization_config"));
    const fs::path pointed = changed(directory / "pointed", [&](std::vector<Raw>& tensors) {
      const EightBits made = eight_bits(named(tensors, name), scale, by);
      named(tensors, name) = made.weight;
      tensors.push_back(made.scale);
      tensors.push_back({stem + "weight_zero_point", "I8", {1}, std::string(1, '\1')});
    });
    CHECK_THROWS_WITH(open_model(pointed), ContainsSubstring("weight_zero_point"));
    // bitsandbytes' order of the integers: 0 is that of rows.
    const auto ordered = [&](char order) {
      return changed(directory / "ordered", [&](std::vector<Raw>& tensors) {
        const EightBits made = eight_bits(named(tensors, name), scale, by);
        named(tensors, name) = made.weight;
        tensors.push_back(made.scale);
        tensors.push_back({stem + "weight_format", "U8", {}, std::string(1, order)});
      });
    };
    check_same(logits(ordered('\0')), expected, 1e-5F);
    CHECK(open_model(ordered('\0'))->ignored.empty());
    CHECK_THROWS_WITH(open_model(ordered('\2')),
                      ContainsSubstring(name) && ContainsSubstring("weight_format"));
  }
  const fs::path odd = changed(directory / "odd",
                               [](std::vector<Raw>& tensors) { named(tensors, "wte.weight").dtype = "U32"; });
  CHECK_THROWS_WITH(open_model(odd), ContainsSubstring("\"wte.weight\"") && ContainsSubstring("U32"));
}

TEST_CASE("a tensor of a block that nothing reads is refused by its name", "[models]") {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& name) {
    return changed(directory / "more", [&](std::vector<Raw>& tensors) {
      tensors.push_back({name, "F32", {1}, std::string(4, '\0')});
    });
  };
  // Scales of weights that are no integers among them.
  for (const char* name : {"h.0.attn.q_norm.weight", "h.2.attn.c_attn.lora_A.weight", "h.1.gate",
                           "h.1.mlp.c_fc.weight_scale", "h.1.mlp.c_fc.SCB", "h.1.mlp.c_fc.weight_format"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(open_model(with(name)), ContainsSubstring(name));
  }
  for (const char* name : {"h.0.attn.bias", "h.0.attn.masked_bias", "h.1.crossattention.c_attn.weight",
                           "h.9.attn.other", "extra.weight", "h.1.ln_cross_attn.weight"}) {
    CAPTURE(name);
    const ModelPtr model = open_model(with(name));
    CHECK(std::ranges::find(model->ignored, name) != model->ignored.end());
  }
}

TEST_CASE("an adapter that was not merged is told of, in a block and beside them", "[models]") {
  const TemporaryDirectory directory;
  for (const char* name :
       {"h.1.attn.c_attn.base_layer.weight", "base_model.model.lm_head.lora_A.default.weight",
        "lm_head.modules_to_save.default.weight", "wte.token_adapter.trainable_tokens_delta.default",
        "prompt_encoder.default.embedding.weight"}) {
    CAPTURE(name);
    const fs::path folder = changed(directory / "more", [&](std::vector<Raw>& tensors) {
      tensors.push_back({name, "F32", {1}, std::string(4, '\0')});
    });
    CHECK_THROWS_WITH(open_model(folder),
                      ContainsSubstring(fmt::format("\"{}\", a part of an adapter (PEFT)", name)));
  }
}

TEST_CASE("an adapter beside a model is not left out without a word", "[models]") {
  const TemporaryDirectory directory;
  const fs::path folder = changed(directory / "m", [](auto&) {});
  std::ofstream(folder / "adapter_config.json")
      << R"({"base_model_name_or_path": "some/model", "peft_type": "LORA"})";
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring("holds a model, and beside it an adapter (LoRA) for the model "
                                      "\"some/model\"") &&
                        ContainsSubstring("Without adapter_config.json the model opens by itself."));
  fs::remove(folder / "config.json");
  const auto refused = [&](const std::string& type, const std::string& words) {
    CAPTURE(type);
    fs::remove(folder / "adapter_config.json");
    std::ofstream(folder / "adapter_config.json") << fmt::format(R"({{"peft_type": "{}"}})", type);
    CHECK_THROWS_WITH(open_model(folder), ContainsSubstring(words));
  };
  refused("IA3", "holds an adapter (IA3) of a model that it does not name, not a model. In Python");
  refused("PREFIX_TUNING", "holds an adapter (PREFIX_TUNING)");
  refused("PREFIX_TUNING", "It puts vectors of its own before the text");
}

TEST_CASE("blocks behind the last one that the config counts are told of", "[models]") {
  const TemporaryDirectory directory;
  const fs::path folder = changed(directory / "m", [](auto&) {});
  CHECK(open_model(folder)->note.empty());
  const auto with = [&](const std::string& to) {
    std::ifstream file(folder / "config.json");
    std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t at = text.find("\"n_layer\"");
    REQUIRE(at != text.npos);
    const std::size_t colon = text.find(':', at), end = text.find_first_of(",}", colon);
    text.replace(colon + 1, end - colon - 1, to);
    fs::remove(folder / "config.json");
    std::ofstream(folder / "config.json") << text;
    return open_model(folder)->note;
  };
  CHECK_THAT(with("1"),
             ContainsSubstring("has 2 blocks more than n_layer says, from \"h.1\" on: they are left out"));
  CHECK_THAT(with("2"), ContainsSubstring("has one block more than n_layer says, \"h.2\": it is left out"));
  CHECK(with("3").empty());
}

TEST_CASE("an index counts by its files, each with all of its tensors", "[models]") {
  const TemporaryDirectory directory;
  const fs::path folder = changed(directory / "m", [](auto&) {}),
                 index = folder / "model.safetensors.index.json";
  const Tensor whole = logits(folder);
  std::vector<Raw> first = raw_tensors(folder / "model.safetensors"), second;
  while (first.size() > 5) {
    second.push_back(first.back());
    first.pop_back();
  }
  fs::remove(folder / "model.safetensors");
  const auto write = [&](const std::vector<Raw>& a, const std::vector<Raw>& b, const std::string& map) {
    write_raw(folder / "a.safetensors", a);
    write_raw(folder / "b.safetensors", b);
    fs::remove(index);
    std::ofstream(index) << R"({"weight_map": {)" << map << "}}";
  };
  const std::string both =
      fmt::format(R"("{}": "a.safetensors", "{}": "b.safetensors")", first[0].name, second[0].name);
  write(first, second, both);  // lists only two of them
  check_same(logits(folder), whole, 0);
  CHECK(open_model(folder)->ignored.size() == 0);
  write(first, second, "");
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring("index.json\" names no tensor: its \"weight_map\" is empty"));
  write(first, second, fmt::format(R"("{}": "b.safetensors")", first[0].name));
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring(fmt::format("b.safetensors\" has no tensor \"{}\"", first[0].name)));
  std::vector<Raw> twice = second;
  twice.push_back(first[0]);
  write(first, twice, both);
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("a.safetensors\" and ") &&
                                            ContainsSubstring(fmt::format(
                                                "b.safetensors\" have a tensor \"{}\"", first[0].name)));
  fs::remove(index);
  fs::create_symlink("../blobs/0123", index);
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("index.json\" is a link that leads nowhere"));
}

TEST_CASE("files that are not what they seem are told of", "[models]") {
  const TemporaryDirectory directory;
  const fs::path folder = changed(directory / "m", [](auto&) {}), weights = folder / "model.safetensors";
  std::string whole;
  {
    std::ifstream file(weights, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  fs::remove(weights);
  std::ofstream(weights, std::ios::binary) << whole.substr(0, whole.size() - 19);
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("cut off"));
  fs::remove(weights);
  fs::create_symlink("../blobs/0123", weights);
  CHECK_THROWS_WITH(open_model(folder),
                    ContainsSubstring("leads nowhere") && ContainsSubstring("../blobs/0123"));
  fs::remove(weights);
  write_raw(weights, {{"x", "U32", {1}, std::string(4, '\0')}});
  std::ofstream(folder / "model.safetensors.index.json") << R"({"weight_map": {}})";
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("model.safetensors.index.json"));
  fs::remove(weights);
  fs::remove(folder / "model.safetensors.index.json");
  std::ofstream(folder / "adapter_config.json") << R"({"base_model_name_or_path": "some/model"})";
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("an adapter (LoRA) for the model \"some/model\""));
  fs::remove(folder / "config.json");
  CHECK_THROWS_WITH(open_model(folder), ContainsSubstring("an adapter (LoRA) for the model \"some/model\""));
}

TEST_CASE("the path of a model is found from what a person opens", "[models]") {
  const TemporaryDirectory directory;
  const auto touch = [](const fs::path& file, const std::string& text = "x") {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  };
  const fs::path model = directory / "model";
  for (const char* name : {"config.json", "model.safetensors", "model-00001-of-00002.safetensors",
                           "tokenizer.json", "attention.safetensors", "notes.json"})
    touch(model / name);
  for (const char* name :
       {"config.json", "model.safetensors", "model-00001-of-00002.safetensors", "tokenizer.json"})
    CHECK(model_path(model / name) == model);
  for (const char* name : {"attention.safetensors", "notes.json", "nothing"})
    CHECK(model_path(model / name) == model / name);
  CHECK(model_path(model) == model);
  for (const char* name : {"adapter_config.json", "adapter_model.safetensors", "README.md"})
    touch(directory / "adapter" / name, "{}");
  for (const char* name : {"adapter_config.json", "adapter_model.safetensors"}) {
    CHECK(model_path(directory / "adapter" / name) == directory / "adapter");
    CHECK_THROWS_WITH(open_model(model_path(directory / "adapter" / name)),
                      ContainsSubstring("adapter (LoRA)"));
  }
  CHECK(model_path(directory / "adapter" / "README.md") == directory / "adapter" / "README.md");
  touch(directory / "lone" / "tokenizer.json");
  CHECK(model_path(directory / "lone" / "tokenizer.json") == directory / "lone" / "tokenizer.json");
  touch(directory / "g" / "a.gguf");
  touch(directory / "g" / "mmproj-a.gguf");
  CHECK(model_path(directory / "g") == directory / "g" / "a.gguf");
  touch(directory / "g" / "b.gguf");
  CHECK(model_path(directory / "g") == directory / "g");
  touch(directory / "parts" / "a-00001-of-00002.gguf");
  touch(directory / "parts" / "a-00002-of-00002.gguf");
  CHECK(model_path(directory / "parts") == directory / "parts" / "a-00001-of-00002.gguf");
  const fs::path cache = directory / "models--some--model";
  touch(cache / "snapshots" / "one" / "config.json");
  CHECK(model_path(cache) == cache / "snapshots" / "one");
  touch(cache / "snapshots" / "two" / "config.json");
  CHECK(model_path(cache) == cache);
  touch(cache / "refs" / "main", "two");
  CHECK(model_path(cache) == cache / "snapshots" / "two");
  touch(cache / "refs" / "main", "../one");
  CHECK(model_path(cache) == cache);
  const fs::path adapter = directory / "models--some--adapter";
  touch(adapter / "snapshots" / "one" / "adapter_config.json", "{}");
  CHECK_THROWS_WITH(open_model(adapter), ContainsSubstring("adapter (LoRA)"));
}

}  // namespace attnscope::checkpoint_test

// tests/fuzz: model.safetensors.index.json, beside two files that it may name.
#include <array>
#include <fstream>

#include "core/files/formats/safetensors.hpp"
#include "core/files/model/model_files.hpp"
#include "core/models/reading/checkpoint.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

namespace {

constexpr std::array<std::string_view, 1> prefixes{"model."};

/// A folder with a.safetensors and b.safetensors.
std::filesystem::path made_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "attnscope-fuzz-XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) fuzz::finding("the harness", "cannot make its folder");
  const std::filesystem::path folder(name);
  const Tensor table(Shape{3, 4});
  write_safetensors(folder / "a.safetensors",
                    std::vector<NamedTensor>{{"model.w", &table}, {"v.gamma", &table}});
  write_safetensors(folder / "b.safetensors", std::vector<NamedTensor>{{"u", &table}});
  return folder;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = made_folder();
  std::ofstream(folder / "model.safetensors.index.json", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  fuzz::expect_result_or_sentence([&] {
    ModelFiles opened(folder);
    Checkpoint files(opened, prefixes);
    for (const std::string& name : files.ignored())
      if (name != "model.w" && name != "v.gamma" && name != "u")
        fuzz::finding("a tensor from elsewhere", name);
    fuzz::expect_result_or_sentence([&] { files.take("w", Shape{3, 4}); });
    fuzz::expect_result_or_sentence([&] { files.take_rows("v.weight", 4); });
  });
  return 0;
}

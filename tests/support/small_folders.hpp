// tests/support: the models of the goldens as ordinary folders, with a tokenizer of a few words, which the
// goldens do not have.
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace attnscope {

/// BERT's vocabulary, 40 tokens: a few words, and pieces of words.
inline constexpr std::array<std::string_view, 40> small_vocabulary{
    "[PAD]",  "[UNK]", "[CLS]", "[SEP]", "[MASK]",  "paris", "is",  "the",   "capital", "of",
    "france", ".",     "cat",   "sat",   "on",      "mat",   "a",   "dog",   "ran",     "and",
    "##s",    "##ed",  "##ing", "un",    "##happy", "jump",  "it",  "was",   "happy",   "red",
    "blue",   "house", "car",   "bus",   "road",    "sea",   "sky", "green", "big",     "small"};

/// Config and weights alone.
inline void copy_golden_model(const std::filesystem::path& folder, std::string_view name) {
  const std::filesystem::path from = std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/models" / name;
  std::filesystem::create_directories(folder);
  for (const char* file : {"config.json", "model.safetensors"})
    std::filesystem::copy_file(from / file, folder / file);
}

/// One of tests/goldens/models with BERT's vocabulary: "bert_masked", "bert_classify", "bert_tokens",
/// "distilbert". The folder is the path to write.
inline void write_small_bert(const std::filesystem::path& folder, std::string_view name = "bert_masked") {
  copy_golden_model(folder, name);
  std::ofstream vocabulary(folder / "vocab.txt");
  for (const std::string_view token : small_vocabulary) vocabulary << token << '\n';
}

/// The encoder-decoder of the goldens (T5: 2 + 2 layers, 4 heads), with 40 pieces: words with the space
/// before them, and letters.
inline void write_small_t5(const std::filesystem::path& folder) {
  copy_golden_model(folder, "t5_gated");
  std::ofstream(folder / "tokenizer.json") << R"({"version": "1.0", "added_tokens": [
          {"id": 0, "content": "<pad>", "special": true}, {"id": 1, "content": "</s>", "special": true},
          {"id": 2, "content": "<unk>", "special": true}],
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": {"type": "TemplateProcessing",
          "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
          "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
          "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "model": {"type": "Unigram", "unk_id": 2, "byte_fallback": false, "vocab": [
          ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -4], ["▁the", -2], ["▁cat", -2], ["▁sat", -2],
          ["▁on", -2], ["▁mat", -2], ["▁die", -2], ["▁Katze", -2], ["▁saß", -2], ["▁auf", -2], ["▁der", -2],
          ["▁Matte", -2], ["a", -6], ["b", -6], ["c", -6], ["d", -6], ["e", -6], ["f", -6], ["g", -6],
          ["h", -6], ["i", -6], ["j", -6], ["k", -6], ["l", -6], ["m", -6], ["n", -6], ["o", -6], ["p", -6],
          ["r", -6], ["s", -6], ["t", -6], ["u", -6], ["v", -6], ["w", -6], ["z", -6], [".", -5],
          [":", -5]]}})";
}

/// A PNG of three pixels with 16 bits of grey each: 0x0064, 0x1234, 0xffff.
inline void write_grey_of_16_bits(const std::filesystem::path& path) {
  constexpr std::array<unsigned char, 72> png{
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
      0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x00, 0x00, 0x6e,
      0x1b, 0x97, 0x2b, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
      0x48, 0x11, 0x32, 0xf9, 0xff, 0x1f, 0x00, 0x05, 0xdc, 0x02, 0xa9, 0xa9, 0xa7, 0xf1, 0x27,
      0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(png.data()), png.size());
}

/// The vision model of the goldens: 8 × 8 pixels, 4 patches, three classes.
inline void write_small_vit(const std::filesystem::path& folder) {
  copy_golden_model(folder, "vit_classify");
}

}  // namespace attnscope

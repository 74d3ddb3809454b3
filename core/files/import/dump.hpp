// core/files/import: what a program dumped while a model ran: queries, keys and values, or attention weights,
// of one layer or of many, as tensors of a safetensors or NPZ file or as .npy files side by side. Only names
// and shapes are read until a layer is asked for, so that a file of any size opens at once.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/files/import/dump_facts.hpp"
#include "core/files/import/dump_names.hpp"

namespace attnscope {

class Dump {
 public:
  /// A .safetensors or .npz file; or an .npy file, which stands for all .npy files of its folder. What is
  /// said beside the numbers stands in the metadata of a .safetensors file, else in attnscope.json in that
  /// folder. Throws Error when the file itself or what is said cannot be read; neighbours and arrays of an
  /// .npz file that cannot be are left out. `reading`: of its layers' numbers; must outlive it.
  explicit Dump(const std::filesystem::path& path, Reading* reading = nullptr);

  /// The file's tensors; null for .npy files.
  const SafetensorsFile* tensors() const { return tensors_.get(); }
  /// In the order of their names, 2 before 10; empty when the names tell of none.
  const std::vector<LayerNames>& layers() const { return layers_; }
  /// A sentence on why there is no layer: what was looked for.
  std::string why_none() const;
  /// "12 heads, 1,024 × 64" of Q, or "weights of 12 heads, 1,024 × 1,024".
  std::string facts(const LayerNames&) const;

  /// The layer's Document, not yet checked. Q, K and V have 2 to 4 dimensions, [batch][heads][n][d] with the
  /// first ones left out; tokens come before heads where the file's metadata says "layout": "tokens first" or
  /// the names have the word hook in them, as TransformerLens has it.
  ///
  /// Weights alone ([batch][heads][queries][keys] with the first ones left out, or as the metadata's "axes"
  /// has it; no row adding up to more than 1.02) become a mask of their logarithms over scores that are all
  /// 0: softmax(0 + ln w) = w, so that entropy, measures and pictures are those of the weights; queries, keys
  /// and values are 0. Where rows add up to less than 1, what is missing goes to a sink of logit 0, and the
  /// logarithms are shifted so that the weights stay what they are. Rows that hold NaN are NaN. See
  /// weights_note(). A layer without values has zeros in their place. See GivenTensors.
  ///
  /// Labels, scale, positions, causal mask and the layout of W_O are what the metadata says. Of weights it is
  /// measured whether they are causal; else what is not said is guessed, see Guesses.
  ///
  /// Throws Error naming file and tensor, what was found and what was expected, or Cancelled.
  Document document(const LayerNames&) const;
  /// What is said or guessed, for a Document whose given tensors were read by another hand.
  void finish(Document&, const LayerNames&) const;

  /// "dump.safetensors · layers.0.attn": how a Document of the layer is called.
  static std::string title(const std::filesystem::path& path, std::string_view layer);

 private:
  bool has(const std::string& name) const;
  std::vector<std::int64_t> shape_of(const std::string& name) const;
  std::uint64_t count_of(const std::string& name) const;
  Tensor read(const std::string& name) const;
  bool are_tokens_first(const std::string& name) const;  // [batch][n][heads][d], of q, k and v
  void check_sizes(const LayerNames&) const;             // refuses what would not fit before it is read
  /// [batch][heads][tokens][…], the first ones 1 where the tensor leaves them out.
  std::vector<std::int64_t> sizes_of(const std::string& name, bool tokens_first) const;
  /// The same of weights: by the metadata's "axes", else with the first ones left out.
  std::vector<std::int64_t> weight_sizes(const std::string& name) const;
  Tensor four_dimensional(const std::string& name, const std::vector<std::int64_t>& sizes) const;
  TensorPtr vectors(const std::string& name) const;  // heads before tokens
  struct RowSums;
  /// Refuses what are no weights.
  RowSums look_at_rows(const std::string& name, const Tensor& weights,
                       const std::vector<std::int64_t>& sizes) const;
  void take_weights(Document&, const LayerNames&) const;
  /// What a person should know of how the weights were taken; empty where nothing needs saying.
  std::string axes_note(const std::string& name) const;
  void read_metadata();
  std::string model_name() const;
  void take_labels(Document&, const LayerNames&) const;
  void take_key_labels(Document&, const LayerNames&) const;
  /// Learned sinks beside the queries (gpt-oss) change every weight.
  void refuse_sinks(const LayerNames&) const;
  void take_output(Document&, const LayerNames&) const;
  void take_positions(Document&, const LayerNames&) const;
  /// `says_itself`: it is measured, or in a mask that is there.
  void take_causal(Document&, const LayerNames&, bool says_itself) const;
  /// Hides what "attention_mask" beside the layer, or else beside all layers, hides. Whether it says of every
  /// query what it sees.
  bool take_mask(Document&, const LayerNames&) const;
  /// The name of the mask that counts for the layer; empty: there is none.
  std::string mask_of(const LayerNames&) const;
  /// What changes every weight: masks of other names, whose numbers mean other things in each framework, and
  /// biases of the scores.
  void refuse_unread(const LayerNames&) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;
  [[noreturn]] void refuse_fact(const std::string& key, const std::string& what) const;

  std::filesystem::path path_;
  Reading* reading_;
  std::unique_ptr<const SafetensorsFile> tensors_;                 // null: arrays_
  std::map<std::string, std::filesystem::path> arrays_;            // by their names without .npy
  std::map<std::string, std::vector<std::int64_t>> array_shapes_;  // of arrays_
  std::vector<LayerNames> layers_;
  std::string why_none_;
  std::string place_;  // of the metadata, for messages
  DumpFacts facts_;
};

}  // namespace attnscope

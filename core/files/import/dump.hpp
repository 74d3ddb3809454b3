// core/files/import: dumps of a running model: queries, keys and values, or attention weights, of one or many
// layers, as tensors of a safetensors or NPZ file or as .npy files in one folder. Only names and shapes are
// read until a layer is asked for, so that a file of any size opens at once.
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
  /// A .safetensors or .npz file; or a .npy file, which is read with all .npy files of its folder. Facts
  /// besides the numbers come from the metadata of a .safetensors file, else from attnscope.json in that
  /// folder. Throws Error if the file itself or these facts cannot be read; other .npy files and arrays of an
  /// .npz file that cannot be read are left out. `reading`: progress of reading a layer's numbers; must
  /// outlive the Dump.
  explicit Dump(const std::filesystem::path& path, Reading* reading = nullptr);

  /// The file's tensors; null if the dump is .npy files.
  const SafetensorsFile* tensors() const { return tensors_.get(); }
  /// In the order of their names, 2 before 10; empty if no layer was found.
  const std::vector<LayerNames>& layers() const { return layers_; }
  /// Why there is no layer: what was looked for.
  std::string why_none() const;
  /// "12 heads, 1,024 × 64" from Q, or "weights of 12 heads, 1,024 × 1,024".
  std::string facts(const LayerNames&) const;

  /// The layer's Document, not yet checked. Q, K and V have 2 to 4 dimensions, [batch][heads][n][d] without
  /// the first ones if there are fewer; tokens come before heads if the file's metadata says "layout":
  /// "tokens first" or the names contain the word hook, as in TransformerLens.
  ///
  /// Weights alone ([batch][heads][queries][keys] without the first ones if there are fewer, or with the axes
  /// that the metadata names; no row sums to more than 1.02) become a mask of their logarithms over scores of
  /// 0: softmax(0 + ln w) = w, so that entropy, measures and pictures are those of the weights; queries, keys
  /// and values are 0. If rows sum to less than 1, the rest goes to a sink of logit 0, and the logarithms are
  /// shifted so that the weights stay unchanged. Rows that hold NaN are NaN. See weights_note(). A layer
  /// without values gets zeros. See GivenTensors.
  ///
  /// Labels, scale, positions, causal mask and the layout of W_O come from the metadata. For weights alone
  /// the causal mask is measured; other missing facts are guessed, see Guesses.
  ///
  /// Throws Error naming file and tensor, what was found and what was expected, or Cancelled.
  Document document(const LayerNames&) const;
  /// Adds the facts that are given or guessed to a Document whose tensors were read elsewhere.
  void finish(Document&, const LayerNames&) const;

  /// The title of the layer's Document: "dump.safetensors · layers.0.attn".
  static std::string title(const std::filesystem::path& path, std::string_view layer);

 private:
  bool has(const std::string& name) const;
  std::vector<std::int64_t> shape_of(const std::string& name) const;
  std::uint64_t count_of(const std::string& name) const;
  Tensor read(const std::string& name) const;
  bool are_tokens_first(const std::string& name) const;  // [batch][n][heads][d], of q, k and v
  void check_sizes(const LayerNames&) const;  // before reading: throws Error if memory is too small
  /// [batch][heads][tokens][…]; dimensions that the tensor leaves out are 1.
  std::vector<std::int64_t> sizes_of(const std::string& name, bool tokens_first) const;
  /// The same for weights, [batch][heads][queries][keys]; uses the metadata's "axes" if given.
  std::vector<std::int64_t> weight_sizes(const std::string& name) const;
  Tensor four_dimensional(const std::string& name, const std::vector<std::int64_t>& sizes) const;
  TensorPtr vectors(const std::string& name) const;  // reordered to heads before tokens
  struct RowSums;
  /// The row sums. Throws Error if the tensor does not hold attention weights.
  RowSums look_at_rows(const std::string& name, const Tensor& weights,
                       const std::vector<std::int64_t>& sizes) const;
  void take_weights(Document&, const LayerNames&) const;
  /// A note for the user on how the axes of the weights were read; empty if they are unambiguous.
  std::string axes_note(const std::string& name) const;
  void read_metadata();
  std::string model_name() const;
  void take_labels(Document&, const LayerNames&) const;
  void take_key_labels(Document&, const LayerNames&) const;
  /// Throws Error if learned sinks lie beside the queries (gpt-oss): they change every weight.
  void refuse_sinks(const LayerNames&) const;
  void take_output(Document&, const LayerNames&) const;
  void take_positions(Document&, const LayerNames&) const;
  /// `says_itself`: the causal mask was measured, or is in a mask that was read.
  void take_causal(Document&, const LayerNames&, bool says_itself) const;
  /// Applies the "attention_mask" beside the layer, else the one for all layers. Returns whether the mask has
  /// a row for every query.
  bool take_mask(Document&, const LayerNames&) const;
  /// The name of the mask for the layer; empty if there is none.
  std::string mask_of(const LayerNames&) const;
  /// Throws Error for tensors that change every weight and are not read: masks of other names, whose numbers
  /// mean different things in each framework, and biases of the scores.
  void refuse_unread(const LayerNames&) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;
  [[noreturn]] void refuse_fact(const std::string& key, const std::string& what) const;

  std::filesystem::path path_;
  Reading* reading_;
  std::unique_ptr<const SafetensorsFile> tensors_;                 // null if the dump is .npy files (arrays_)
  std::map<std::string, std::filesystem::path> arrays_;            // by names without .npy
  std::map<std::string, std::vector<std::int64_t>> array_shapes_;  // of arrays_
  std::vector<LayerNames> layers_;
  std::string why_none_;
  std::string place_;  // names the metadata in messages
  DumpFacts facts_;
};

}  // namespace attnscope

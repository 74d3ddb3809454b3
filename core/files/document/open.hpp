// core/files/document: opens any file: the command line, the menu and drag and drop all come through here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// A Document from a file: an AttnScope document (.json: README.md beside this folder lists its keys),
/// tensors Q, K, V with what may go with them (.safetensors or .npz: see attention_tensors.hpp), Q.npy with
/// K.npy and V.npy beside it ([n][d], [heads][n][d] or [batch][heads][n][d]), one layer of what a program
/// dumped (.safetensors, .npz, .npy: see dump.hpp; `layer` names it, the first when empty), or plain text
/// (anything else, at most 1 MB; one sequence per non-empty line when there are at most 16 lines, else one
/// sequence; several hide their padding; weights built by hand). The title is the document's own or the
/// file's name. What comes back passed check(). Throws Error with one sentence that names the file, what was
/// found and what was expected, or Cancelled when the reading is stopped.
Document open_document(const std::filesystem::path& path, std::string_view layer = {},
                       Reading* reading = nullptr);

/// open_document() for the contents of a .json file that were read already.
Document open_json(std::string_view json, const std::filesystem::path& path);

/// One of the layers of a dump.
struct LayerEntry {
  std::string name;   // for open_document()
  std::string facts;  // "12 heads, 1,024 × 64"
  std::string title;  // of its Document
};

/// open_document(), and the file's layers in reading order (empty if it is not a dump). The file is read once
/// for both.
struct DocumentAndLayers {
  Document document;
  std::vector<LayerEntry> layers;
};
DocumentAndLayers open_with_layers(const std::filesystem::path& path, std::string_view layer = {},
                                   Reading* reading = nullptr);

/// Writes and reads the JSON form. A Document whose blocks follow its recipe comes back equal, bit by bit.
/// `where` names the source in messages. from_json() refuses unknown and duplicate keys, wrong types and
/// numbers out of range, naming the key; check() decides whether the Document can be computed. NaN and
/// infinities are allowed in matrices only, as strings.
std::string to_json(const Document&);
Document document_from_json(std::string_view json, const std::string& where);
/// Writes atomically.
void save_document(const Document&, const std::filesystem::path& path);

/// The examples shipped in `assets/examples`, in the order of the menu: by file name. Empty when there is no
/// such directory.
struct Example {
  std::string name;
  std::filesystem::path path;
};
std::vector<Example> list_examples(const std::filesystem::path& assets);

}  // namespace attnscope

// core/files/document: sessions. A session is one JSON file with a Document, the view ("view", which only the
// interface reads) and the Document held for comparison ("held"). Of a damaged session everything that is
// good is opened.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

struct OpenedFile {
  Document document;              // passed check()
  std::string view;               // a JSON object as text; empty when the file is no session
  std::optional<Document> held;   // passed check()
  std::vector<std::string> lost;  // of a damaged session: a sentence on each part that has its default now
  std::vector<LayerEntry> layers = {};  // of a dump, see open.hpp
};

/// Opens any file that open_document() takes (`layer`: see there), or a session. A file is a session if it
/// has the key "session" or "view", or is an HTML page that carries one (html_session.hpp). A session may be
/// cut, half-written or edited: what is wrong in it is left out and listed in `lost`. All other files are
/// read as strictly as by open_document(). Throws Error if there is no Document to open.
OpenedFile open_any(const std::filesystem::path& path, std::string_view layer = {},
                    Reading* reading = nullptr);
/// open_any() for JSON text; `where` names the source in messages.
OpenedFile session_from_json(std::string_view text, const std::string& where);

/// The Document's JSON form with `view` (a JSON object; empty = none) and `held` (null = none) in it.
std::string session_to_json(const Document&, std::string_view view, const Document* held);
/// Writes atomically. Throws Error if the text is longer than open_document() would read.
void write_document(std::string_view json, const std::filesystem::path& path);

}  // namespace attnscope

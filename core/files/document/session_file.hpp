// core/files/document: sessions. A session is a Document plus how it is looked at ("view", which is the
// interface's own) and the Document that is held as B ("held"), in one JSON file. A damaged one is opened as
// far as it is good.
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
  std::vector<std::string> lost;  // of a damaged session, one sentence each; what was lost has its default
  std::vector<LayerEntry> layers = {};  // of a dump, see open.hpp
};

/// Any file that open_document() takes (`layer`: see there), or a session. A file is a session when it has
/// the key "session" or "view", or is a page that carries one (html_session.hpp), even if it was cut,
/// half-written or changed by another hand: what is wrong in it is left out and listed in `lost`. Everything
/// else is read as strictly as by open_document(). Throws Error when no Document can be had.
OpenedFile open_any(const std::filesystem::path& path, std::string_view layer = {},
                    Reading* reading = nullptr);
/// The same for JSON text; `where` names the source in messages.
OpenedFile session_from_json(std::string_view text, const std::string& where);

/// The Document's JSON form with `view` (a JSON object; empty = none) and `held` (null = none) in it.
std::string session_to_json(const Document&, std::string_view view, const Document* held);
/// Atomically. Throws Error where the text is longer than open_document() would read.
void write_document(std::string_view json, const std::filesystem::path& path);

}  // namespace attnscope

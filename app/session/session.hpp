// app/session: a session is everything that a reopened file needs to show the same picture: the Document, its
// view, and B. Its file is a document's JSON with the keys "view" and "held"; session_fields.hpp lists what
// "view" holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session_trace.hpp"
#include "app/state/selection.hpp"
#include "app/state/window_state.hpp"
#include "core/document/document.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// How a Document was shown.
struct Looks {
  ViewState view;
  Selection selection;
  KeptTrace trace;
  double held_seconds = 0;     // how long ago B was held
  std::filesystem::path file;  // where the user saved it last; empty: nowhere. Only autosaves have it
};

struct Session {
  Document document;
  std::optional<Looks> looks;  // empty: the file is a plain document
  std::optional<Document> held;
  /// One sentence that names the file and its lost values; empty if nothing was lost.
  std::string damage;
  std::string note;                // another sentence about it, or empty
  std::vector<LayerEntry> layers;  // of the file, if it is a dump
  /// A sentence that asks for the Document's model if its file has moved; the Document names the model. Empty
  /// if the model was found, or if there is none.
  std::string asks_for_model = {};
};

/// Opens any file; of a dump the layer of that name, or the first. For a model's folder or file, `document`
/// names the model and its text; its layer is computed when the model has run. A theme or language that a
/// session lacks is that of `now`, everything else has its default. Throws Error if there is no Document in
/// it, Cancelled if the reading is stopped.
Session open_session(const std::filesystem::path&, const ViewState& now, std::string_view layer = {},
                     Reading* reading = nullptr);

/// Throws Error for a folder from which no model can be opened: it has none, or several. Anything that is not
/// a folder passes.
void refuse_folder_without_model(const std::filesystem::path&);

/// The JSON under "view".
std::string view_to_json(const ViewState&, const Selection&, double held_seconds = 0,
                         const std::filesystem::path& file = {});
/// Missing or wrong values keep their defaults; wrong ones are added to `lost`.
Looks view_from_json(std::string_view json, const ViewState& now, std::vector<std::string>& lost);

/// A hash of what a session keeps of these.
std::uint64_t mark_of(const ViewState&, const Selection&);

/// "A; B; C and 2 more", from sentences.
std::string listed(const std::vector<std::string>& lost);

}  // namespace attnscope

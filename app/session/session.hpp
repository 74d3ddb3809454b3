// app/session: a session is everything a reopened file needs to show the same picture: the Document, how it
// is looked at, and what is held as B. Its file is a document's JSON with the keys "view" and "held"; what
// "view" holds is listed in session_fields.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session_trace.hpp"
#include "app/state/selection.hpp"
#include "app/state/view_state.hpp"
#include "core/document/document.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/reading.hpp"

namespace attnscope {

/// How a Document was looked at.
struct Looks {
  ViewState view;
  Selection selection;
  KeptTrace trace;
  double held_seconds = 0;     // how long ago B was held
  std::filesystem::path file;  // where the person saved it last; empty: nowhere. Only an autosave says so
};

struct Session {
  Document document;
  std::optional<Looks> looks;  // empty: the file is a plain document
  std::optional<Document> held;
  /// One sentence that names the file and what was lost of it; empty when nothing was.
  std::string damage;
  std::string note;                // what else is to be said of its numbers; empty when nothing is
  std::vector<LayerEntry> layers;  // of the file, where it is a dump
  /// The model that the Document stands in is not where it was: a sentence that asks for it; the Document
  /// says which model is meant. Empty where it is there, and where there is none.
  std::string asks_for_model = {};
};

/// Opens any file, of a dump the layer of that name or the first. A model's folder or file: `document` says
/// which model and what it reads; its layer follows when the model has run. What a session does not say is as
/// in `now`'s theme and scale, else as at the start. Throws Error when there is no Document to be had,
/// Cancelled when the reading is stopped.
Session open_session(const std::filesystem::path&, const ViewState& now, std::string_view layer = {},
                     Reading* reading = nullptr);

/// Throws Error where the path is a folder that no model can be opened of: it has none, or several. Anything
/// else passes, what is no folder too.
void refuse_folder_without_model(const std::filesystem::path&);

/// The JSON under "view".
std::string view_to_json(const ViewState&, const Selection&, double held_seconds = 0,
                         const std::filesystem::path& file = {});
/// What is missing or wrong keeps its default; what was wrong is added to `lost`.
Looks view_from_json(std::string_view json, const ViewState& now, std::vector<std::string>& lost);

/// A number that changes when what a session keeps of these changes.
std::uint64_t mark_of(const ViewState&, const Selection&);

/// "A; B; C and 2 more", from sentences.
std::string listed(const std::vector<std::string>& lost);

}  // namespace attnscope

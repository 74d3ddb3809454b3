// app/files: places of the program's files, and paths that the user types.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Where the program's assets are looked for: in ATTNSCOPE_ASSETS alone if that is set; else beside the
/// program ("assets"), in "../share/attnscope" from there, and in the source tree that it was built from.
std::vector<std::filesystem::path> assets_places();
/// The first of these places that has examples; the last if none has.
std::filesystem::path assets_directory();
/// Throws Error with one sentence if assets_directory() has no examples.
void check_assets();

/// The session in `assets` that the window, and a picture without a file, show first.
std::filesystem::path opening_picture(const std::filesystem::path& assets);

/// The directory of what is kept from run to run: $XDG_STATE_HOME/attnscope, else ~/.local/state/attnscope;
/// empty if neither is known. It need not exist.
std::filesystem::path state_directory();

/// A typed path: "~/" becomes the home directory, spaces around it are removed.
std::filesystem::path typed_path(std::string_view text);

/// The home directory; the root if it is unknown.
std::filesystem::path home_directory();

/// Completions of a path: the names in its directory that begin with its last part, sorted, directories with
/// a slash; hidden names only if that part begins with a dot. A relative path begins in `folder`.
std::vector<std::string> completions(std::string_view text, const std::filesystem::path& folder = ".");
/// The text, extended by what all completions have in common.
std::string completed_path(std::string_view text, const std::filesystem::path& folder = ".");

}  // namespace attnscope

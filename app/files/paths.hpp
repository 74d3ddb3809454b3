// app/files: where the files that belong to the program lie, and how a person writes a path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// Where the program's assets are looked for: where ATTNSCOPE_ASSETS says, or beside the program ("assets"),
/// in
/// "../share/attnscope" from there, and in the source tree that it was built from.
std::vector<std::filesystem::path> assets_places();
/// The first of them that has examples; the last where none has.
std::filesystem::path assets_directory();
/// Throws Error with one sentence where assets_directory() has no examples.
void check_assets();

/// What a person sees first, in the window and in a picture of no file: a session in `assets`.
std::filesystem::path opening_picture(const std::filesystem::path& assets);

/// Where a program keeps what it remembers from run to run: $XDG_STATE_HOME/attnscope, else
/// ~/.local/state/attnscope; empty where neither is known. It need not exist.
std::filesystem::path state_directory();

/// The path as it was meant: "~/" is the home directory, spaces around it are none of it.
std::filesystem::path typed_path(std::string_view text);

/// The home directory; the root where none is known.
std::filesystem::path home_directory();

/// What a path can go on with: the names in its directory that begin like its last part, directories with a
/// slash, in the order of their names; hidden ones only where the part begins with a dot. A path that does
/// not begin at the root begins in `folder`.
std::vector<std::string> completions(std::string_view text, const std::filesystem::path& folder = ".");
/// The text with as much added as all completions have in common.
std::string completed_path(std::string_view text, const std::filesystem::path& folder = ".");

}  // namespace attnscope

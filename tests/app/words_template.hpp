// tests/app: the template of the languages, and the texts of the interface's sources.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "robot/source_words.hpp"

namespace attnscope::test {

inline const std::filesystem::path words_template =
    std::filesystem::path(ATTNSCOPE_ASSETS) / "languages" / "english.txt";

/// The keys of a table in the order of its lines, each with its translation.
using Entries = std::vector<std::pair<std::string, std::string>>;
Entries entries_of(const std::filesystem::path&);
std::set<std::string> keys_of_template();

/// All parts of texts that the sources can make, read once.
const std::vector<SourceWords>& all_source_words();
/// Those that a window shows: of the interface, and of the tables of core whose words it draws. Maps a key to
/// its place in the sources; without those in tests/app/words_not_shown.txt.
std::map<std::string, std::string> shown_words();
/// The same of one part; false: no window shows it.
bool is_shown(const SourceWords&);

/// The shown texts that a table lacks, with their places; a part that the scanner cannot resolve is always
/// lacking.
std::vector<std::string> lacking_in(const std::set<std::string>& table,
                                    const std::map<std::string, std::string>& shown);

}  // namespace attnscope::test

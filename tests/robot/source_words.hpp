// tests/robot: the texts that stand in the sources as string literals, as the string table sees them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// A part of a string literal (see Words): numbers, quotes and placeholders of fmt are "{}".
struct SourceText {
  std::string key, file;
};

/// Of all C++ files in a folder and below it, or of one file; adjacent literals are one. Comments, includes
/// and literals with bytes in hex are left out.
std::vector<SourceText> source_texts(const std::filesystem::path&);

/// The words (two letters and more) of the literals of each file.
using FileWords = std::map<std::string, std::set<std::string, std::less<>>>;
FileWords words_by_file(const std::vector<SourceText>&);

/// Whether one of the files has all words of a key, so that it may say it, be it in pieces.
bool said_in(const FileWords&, std::string_view key);

/// Whether a key of the template is, or has in it, a text of the sources: all its pieces between
/// placeholders.
bool has_pieces_of(std::string_view key, std::string_view text);

/// A sentence or a long phrase, neither a name for tests nor a key of a file: it ends in a full stop or has
/// four words and more.
bool is_sentence(std::string_view text);

}  // namespace attnscope

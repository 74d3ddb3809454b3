// app/cli/over_texts: what the commands over a file of texts share: where their table goes, and what is said
// of texts beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

/// How a table is written: for the eye, or for other programs.
enum class TableForm : std::uint8_t { Columns, Csv, Json };
/// By the ending of the file, ".csv" or ".json"; Columns where no file was named. Nothing for other endings.
std::optional<TableForm> table_form(const std::optional<std::filesystem::path>& out);

/// Into the file, atomically, or to the standard output. Throws Error.
void write_out(const std::optional<std::filesystem::path>& out, std::string_view text);

/// On stderr, which lines of the list are empty and left out; nothing where none is.
void say_left_out(const TextList&);
/// The same of sentences on single texts: the first few.
void say_troubles(const TextList&, std::span<const TextTrouble>);

/// Four digits; "–" for what is not known.
std::string in_table(double value);

}  // namespace attnscope

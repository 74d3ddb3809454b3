// app/cli/over_texts: the output that the commands over a file of texts share: their table, and notes on
// stderr.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

/// The format of a table: for people, or for other programs.
enum class TableForm : std::uint8_t { Columns, Csv, Json };
/// By the extension of the file, ".csv" or ".json"; Columns if no file is given. Empty for other extensions.
std::optional<TableForm> table_form(const std::optional<std::filesystem::path>& out);

/// Writes the file, atomically, or to the standard output. Throws Error.
void write_out(const std::optional<std::filesystem::path>& out, std::string_view text);

/// Prints to stderr which lines of the list are empty and left out; nothing if there are none.
void say_left_out(const TextList&);
/// Prints the first few of the troubles with single texts.
void say_troubles(const TextList&, std::span<const TextTrouble>);

/// Four significant digits; "–" for NaN.
std::string in_table(double value);

}  // namespace attnscope

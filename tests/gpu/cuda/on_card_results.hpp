// tests: what was measured on a card, in a folder: one line for each number, on the disk before the next one
// is measured, and the table that is made of as many of them as there are.
#pragma once

#include <string>

namespace attnscope::on_card {

/// Appends "name<TAB>value<TAB>unit" to measured.tsv in `folder`, which is made if it is not there, and waits
/// until it is on the disk. Throws Error.
void keep_line(const std::string& folder, const std::string& name, const std::string& value,
               const std::string& unit);

/// Everything that measured.tsv in `folder` holds, and the comparisons that can be made of it; a last line
/// that was cut off is left out. A name that is there twice counts as it was measured last. Throws Error when
/// there is no such file.
std::string table_of(const std::string& folder);

}  // namespace attnscope::on_card

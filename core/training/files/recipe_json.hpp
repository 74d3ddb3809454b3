// core/training/files: a recipe as JSON. What a file does not say is as the task has it; a field that is
// not known, or a value that does not fit, is an Error that names the field, what was found and what was
// expected.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/training/tasks/recipe.hpp"

namespace attnscope::training {

/// `where`: how messages name the text.
Recipe recipe_from_json(std::string_view json, const std::string& where);
/// A relative path of a text counts from the recipe's folder.
Recipe read_recipe(const std::filesystem::path&);
/// Every field, so that a recipe stays the same when a task's defaults change.
std::string recipe_json(const Recipe&);

}  // namespace attnscope::training

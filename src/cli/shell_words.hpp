// Command lines within options.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ziggurat::cli {

// The words that a shell makes of a text by quotes ('..', "..") and backslashes; nothing is
// expanded. Within double quotes a backslash stands for itself unless a quote or a backslash
// follows. Throws Error{usage} when a quote is not closed or a backslash ends the text.
[[nodiscard]] std::vector<std::string> split_like_a_shell(std::string_view text);

// A word that begins with a dash that is no hyphen, as text copied from a document has it.
[[nodiscard]] bool begins_with_other_dash(std::string_view word);
// What to tell about the first such word; empty when there is none.
[[nodiscard]] std::string dash_advice(const std::vector<std::string>& words);

}  // namespace ziggurat::cli

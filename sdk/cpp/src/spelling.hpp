// Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit distance.
//
// All SDKs measure alike: a letter changed, added, left out or swapped with the next one counts 1; at most two may be
// wrong, and at most one in three of the letters typed.
#pragma once

#include <string>
#include <vector>

namespace arena {

// The flag that was probably meant; empty if there is none like it.
std::string meant(const std::string& word, const std::vector<std::string>& flags);

}  // namespace arena

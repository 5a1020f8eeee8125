// Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit distance.
//
// All SDKs measure alike: a letter changed, added, left out or swapped with the next one counts 1; at most two may be
// wrong, and at most one in three of the letters typed.

package arena

import "strings"

// meant is the flag that was probably meant by a word that is none; empty if there is none like it.
func meant(word string) string {
	typed := strings.ToLower(strings.TrimLeft(word, "-"))
	var begin []string
	for _, flag := range flags {
		if typed != "" && strings.HasPrefix(flag.name[2:], typed) {
			begin = append(begin, flag.name)
		}
	}
	if len(begin) == 1 {
		return begin[0]
	}
	nearest, most := "", min(2, (len(typed)+2)/3)
	for _, flag := range flags {
		if wrong := distance(typed, flag.name[2:]); wrong <= most {
			nearest, most = flag.name, wrong-1
		}
	}
	return nearest
}

// distance is how many letters are changed, added, left out or swapped with the next one.
func distance(one, other string) int {
	var above, before []int
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(one); i++ {
		above, before, row = before, row, []int{i}
		for j := 1; j <= len(other); j++ {
			changed := before[j-1]
			if one[i-1] != other[j-1] {
				changed++
			}
			least := min(changed, before[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && one[i-1] == other[j-2] && one[i-2] == other[j-1] {
				least = min(least, above[j-2]+1)
			}
			row = append(row, least)
		}
	}
	return row[len(other)]
}

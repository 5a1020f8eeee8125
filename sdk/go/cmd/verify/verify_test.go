package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// testdata/league is an export: two bots that gave nonces, and a house bot.
const league = "testdata/league"

// copied is an export in a folder of its own, after a change of one of its files; with `summed`, the list of hashes is
// written anew, as a forger would.
func copied(t *testing.T, from, name string, change func(string) string, summed bool) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	before := content(t, folder, name)
	after := change(before)
	if after == before {
		t.Fatalf("nothing was changed in %s", name)
	}
	write(t, filepath.Join(folder, name), after)
	if summed {
		resum(t, folder)
	}
	return folder
}

// held makes checks, one after the other, up to the first that fails.
func held(checks ...func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	for _, check := range checks {
		check()
	}
	return nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAnExportHolds(t *testing.T) {
	said, err := verify(league)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(said, "league holds: 9 matches finished, seeds follow from the root and 2 nonces\n") {
		t.Error(said)
	}
}

// testdata/cup is a knockout of four hosted bots with openings, in which tables play blocks of matches on one deal.
func TestAnExportOfAFormatWithOpeningsAndSharedDealsHolds(t *testing.T) {
	told := &tournament{count: map[string]int{}}
	if err := held(func() { told.read("testdata/cup") }, told.checkJournal); err != nil || len(told.back) == 0 {
		t.Fatal(err, told.back)
	}
	said, err := verify("testdata/cup")
	if err != nil || !strings.HasPrefix(said, "cup holds: 16 matches finished, seeds follow from the root and 0 nonces\n") {
		t.Error(said, err)
	}
	told.back = map[int]int{} // a host that deals every match of a block anew
	if err := held(told.checkSeeds); err == nil || !strings.Contains(err.Error(), "its seed does not follow") {
		t.Error(err)
	}
}

// testdata/season has rulings, matches that were played again, taken back, and added after its end; and the host has removed records.
const season = "testdata/season"

func TestAnExportWithRulingsThatWasReopenedAndPrunedHolds(t *testing.T) {
	said, err := verify(season)
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range []string{
		"season holds: 12 matches finished, seeds follow from the root and 0 nonces\n",
		"removed by the host: the records of 8 matches, of which only seeds and ratings could be recomputed\n",
		"(4 rulings, 2 undone, 2 reopened)",
	} {
		if !strings.Contains(said, sentence) {
			t.Errorf("%q is not said in %s", sentence, said)
		}
	}
}

// What a host would write instead, with a journal whose hashes are made anew from there on, as if nobody had noted the head.
func TestWhatAHostWouldTellOtherwiseIsFoundInAJournalThatIsWrittenAnew(t *testing.T) {
	root := `"root":"` + strings.SplitN(strings.SplitN(content(t, season, "journal.txt"), `"root":"`, 2)[1], `"`, 2)[0]
	for _, one := range []struct{ name, before, after, said string }{
		{"a result more is annulled", `"annulled":[1]`, `"annulled":[1,4]`, "match season/4 is not what the journal says"},
		{"an annulled result counts", `"annulled":[1]`, `"annulled":[]`, "match season/1 is not what the journal says"},
		{"another is played again", `"match":0,"number":23`, `"match":2,"number":23`, "does not fit what came before"},
		{"records that are there were removed", `"matches":[[0,8]]`, `"matches":[[0,9]]`, "its record is missing, or was not to be there"},
		{"records that are not there were kept", `"matches":[[0,8]]`, `"matches":[[0,7]]`, "its record is missing, or was not to be there"},
		{"another root of before", root, root[:9] + strings.Repeat("0", 64), "the commitment is not the SHA-256 of the root"},
		{"a bot that was taken back stays", `"bots":["mixed"]`, `"bots":[]`, "other settings, entrants or nonces than the journal"},
		{"a match is dealt anew that was not", `"attempt":1,`, `"attempt":2,`, "does not fit what came before"},
		{"a kind of entry that is none", `"kind":"undone"`, `"kind":"gone"`, "'referee verify' checks"},
	} {
		t.Run(one.name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(season)); err != nil {
				t.Fatal(err)
			}
			text := content(t, season, "journal.txt")
			if !strings.Contains(text, one.before) {
				t.Fatalf("%s is not in the journal", one.before)
			}
			head, out := strings.Repeat("0", 64), ""
			for _, line := range lines([]byte(strings.Replace(text, one.before, one.after, 1))) {
				_, entry, _ := strings.Cut(string(line), " ")
				head = digest([]byte(head + "\n" + entry))
				out += head + " " + entry + "\n"
			}
			write(t, filepath.Join(folder, "journal.txt"), out)
			told := content(t, folder, "tournament.json")
			at := strings.Index(told, `"head": "`) + len(`"head": "`)
			write(t, filepath.Join(folder, "tournament.json"), told[:at]+head+told[at+64:])
			resum(t, folder)
			if _, err := verify(folder); err == nil || !strings.Contains(err.Error(), one.said) {
				t.Errorf("%v does not say %q", err, one.said)
			}
		})
	}
}

func TestAnUnknownKindOfEntryIsLeftToTheFirstVerifierAndIsNoForgery(t *testing.T) {
	said := `{"kind":"moved","number":0}`
	told := &tournament{count: map[string]int{}, files: map[string][]byte{}}
	told.files["journal.txt"] = []byte(digest([]byte(strings.Repeat("0", 64)+"\n"+said)) + " " + said + "\n")
	told.files["matches.jsonl"] = []byte{}
	err := held(told.checkJournal)
	if found := (doesNotHold{}); err == nil || errors.As(err, &found) || !strings.Contains(err.Error(), "'referee verify' checks") {
		t.Error(err)
	}
}

func TestAFlippedBitInAnyFileIsFound(t *testing.T) {
	tried := 0
	for _, export := range []string{league, season} {
		err := filepath.Walk(export, func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() {
				return err
			}
			name, _ := filepath.Rel(export, path)
			for _, place := range []int{0, int(info.Size()) / 3, int(info.Size()) - 1} {
				folder := copied(t, export, name, func(text string) string {
					return text[:place] + string([]byte{text[place] ^ 1}) + text[place+1:]
				}, false)
				if said, err := verify(folder); err == nil {
					t.Errorf("byte %d of %s: %s", place, name, said)
				}
				tried++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if tried < 60 {
		t.Fatal(tried)
	}
}

func TestWhatAForgerWouldChangeIsFoundAndSaid(t *testing.T) {
	swap := func(before, after string) func(string) string {
		return func(text string) string { return strings.Replace(text, before, after, 1) }
	}
	// The first hexadecimal digit behind a key becomes another one.
	digit := func(key string) func(string) string {
		return func(text string) string {
			at := strings.Index(text, key) + len(key)
			return text[:at] + map[bool]string{true: "1", false: "0"}[text[at] == '0'] + text[at+1:]
		}
	}
	cases := []struct {
		name, file string
		change     func(string) string
		said       string
	}{
		{"another root", "tournament.json", digit(`"root": "`), "another commitment, root, text or salt than the journal"},
		{"another commitment", "tournament.json", digit(`"commitment": "`), "another commitment, root, text or salt than the journal"},
		{"a nonce", "tournament.json", digit(`"nonce": "`), "other settings, entrants or nonces than the journal"},
		{"an entrant", "tournament.json", swap(`"name": "ada"`, `"name": "eve"`), "other settings, entrants or nonces than the journal"},
		{"a setting", "tournament.json", swap(`"rounds": 9`, `"rounds": 8`), "other settings, entrants or nonces than the journal"},
		{"a text", "tournament.json", swap(`"seed_text": null`, `"seed_text": "x"`), "another commitment, root, text or salt than the journal"},
		{"how it was dealt", "tournament.json", swap(`"dealt": "secret"`, `"dealt": "salted"`), "another commitment, root, text or salt than the journal"},
		{"the schedule's digest", "tournament.json", digit(`"schedule": "`), "another digest than tournament.json says"},
		{"the standings' digest", "tournament.json", digit(`"standings": "`), "the standings have the digest"},
		{"the head", "tournament.json", digit(`"head": "`), "and the head"},
		{"who sits where", "schedule.jsonl", swap(`["ada","bob"]`, `["bob","ada"]`), "the matches from 0 on are not those of journal entry 2"},
		{"a seed", "matches.jsonl", digit(`"seed":"`), "is not what the journal says of it"},
		{"a rank", "matches.jsonl", swap(`"ranks":[1,2]`, `"ranks":[2,1]`), "is not what the journal says of it"},
		{"no result", "matches.jsonl", swap(`"state":"finished"`, `"state":"void"`), "is not what the journal says of it"},
		{"a move", "records/3.json", swap(`0: `, `1: `), "match league/3: its record is not the one that was stored"},
		{"a rating", "standings.json", swap(`"mu": `, `"mu": 1`), "standings.json has"},
		{"a score", "standings.json", swap(`"scores": `, `"scores": 1`), "standings.json has"},
		{"an entry", "journal.txt", swap(`"kind":"result"`, `"kind":"Result"`), "is not the next of its chain"},
		{"the format", "tournament.json", swap("referee-export-2", "referee-export-9"), "referee-export-9"},
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			_, err := verify(copied(t, league, one.file, one.change, true))
			if err == nil || !strings.Contains(err.Error(), one.said) {
				t.Errorf("%v does not say %q", err, one.said)
			}
		})
	}
}

func TestAJournalWrittenAnewWithAnotherNonceIsFound(t *testing.T) {
	forged := func(text string) string {
		before, out := strings.Repeat("0", 64), ""
		for _, line := range lines([]byte(text)) {
			_, entry, _ := strings.Cut(string(line), " ")
			if key := `"kind":"nonces","nonces":{"ada":"`; strings.Contains(entry, key) {
				at := strings.Index(entry, key) + len(key)
				entry = entry[:at] + "00" + entry[at+2:]
			}
			before = digest([]byte(before + "\n" + entry))
			out += before + " " + entry + "\n"
		}
		return out
	}
	folder := copied(t, league, "journal.txt", forged, true)
	data := forged(content(t, league, "journal.txt"))
	head := strings.Fields(string(lines([]byte(data))[len(lines([]byte(data)))-1]))[0]
	told := content(t, folder, "tournament.json")
	at := strings.Index(told, `"head": "`) + len(`"head": "`)
	write(t, filepath.Join(folder, "tournament.json"), told[:at]+head+told[at+64:])
	resum(t, folder)
	if _, err := verify(folder); err == nil || !strings.Contains(err.Error(), "ada had promised another nonce for draw 0") {
		t.Error(err)
	}
}

func content(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func resum(t *testing.T, folder string) {
	t.Helper()
	var listed []string
	for _, line := range lines([]byte(content(t, folder, sums))) {
		_, file, _ := strings.Cut(string(line), "  ")
		listed = append(listed, digest([]byte(content(t, folder, file)))+"  "+file+"\n")
	}
	write(t, filepath.Join(folder, sums), strings.Join(listed, ""))
}

func TestFilesThatAreMissingOrTooManyAreFound(t *testing.T) {
	same := func(text string) string { return text + " " }
	folder := copied(t, league, "records/0.json", same, false)
	if err := os.Remove(filepath.Join(folder, "records/0.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := verify(folder); err == nil || !strings.Contains(err.Error(), "records/0.json is not the file") {
		t.Error(err)
	}
	folder = copied(t, league, "records/0.json", same, true)
	write(t, filepath.Join(folder, "more.txt"), "")
	if _, err := verify(folder); err == nil || !strings.Contains(err.Error(), "which lists") {
		t.Error(err)
	}
}

func TestAFolderThatIsNoneIsWrongUseAndNoForgery(t *testing.T) {
	_, err := verify(filepath.Join(t.TempDir(), "none"))
	if found := (doesNotHold{}); err == nil || errors.As(err, &found) {
		t.Error(err)
	}
}

func TestTheProgramStaysShort(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			total += strings.Count(content(t, ".", file), "\n")
		}
	}
	if total == 0 || total >= 500 {
		t.Errorf("%d lines in %v: a second verifier is to be read in one go", total, files)
	}
}

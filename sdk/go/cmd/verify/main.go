// Verify checks an exported tournament without Referee: a second program, in another language, that comes to the same.
//
// 'go run ./cmd/verify DIR' reads the folder that 'referee export' wrote (server/EXPORT.md) and checks the hashes of all files, the
// journal, commitment, nonces, seeds, the schedule's digest and the ratings. Whether moves lead to the results, and these to the
// next round of a format, is for 'referee verify'. Exit codes: 0 all holds, 1 something does not, 2 wrong use.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const format, sums = "referee-export-2", "SHA256SUMS"

type tournament struct {
	Format, Name, Commitment, Dealt, Root, Salt, Schedule, Standings, Head string
	SeedText                                                               *string `json:"seed_text"`
	Players, Entries                                                       int
	Settings                                                               map[string]any
	Entrants                                                               []struct{ Name string }
	Nonces                                                                 []draw

	files    map[string][]byte
	count    map[string]int // for the report
	back     map[int]int    // of a match that a round plays on a shared deal: how many matches before it the first is
	schedule []match
	matches  []match
	journal  []entry
}

type draw struct {
	Draw, First int
	Entrants    []struct{ Name, Commitment, Nonce string }
}

// match is a line of schedule.jsonl (Seats) or of matches.jsonl; a `result` in the journal says the same as the latter.
type match struct {
	Match, Attempt      int
	State, Seed, Record string
	Ranks, Scores       []int
	Seats, Terminations []string
}

type entry struct {
	match                          // of a result
	draw                           // of commitments
	Number, Matches                int
	Kind, Commitment, Root, SHA256 string
	Tables                         []struct{ Deal int } // of a round
	Nonces                         map[string]string
}

// doesNotHold is the first thing that was found wrong: where, and what.
type doesNotHold struct{ error }

func wrong(text string, values ...any) error { return doesNotHold{fmt.Errorf(text, values...)} }
func digest(data []byte) string              { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func main() {
	text, err := "", errors.New("name the folder that 'referee export' wrote: verify DIR")
	if len(os.Args) == 2 && !strings.HasPrefix(os.Args[1], "-") {
		text, err = verify(os.Args[1])
	}
	if err == nil {
		fmt.Println(text)
	} else if errors.As(err, &doesNotHold{}) {
		fmt.Fprintln(os.Stderr, "does not hold:", err)
		os.Exit(1)
	} else {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// verify checks a folder; the text says what holds, and what everybody should know of it.
func verify(folder string) (string, error) {
	t := &tournament{}
	for _, check := range []func() error{func() error { return t.read(folder) }, t.checkJournal, t.checkSchedule, t.checkRoot, t.checkNonces, t.checkSeeds, t.checkRatings} {
		if err := check(); err != nil {
			return "", err
		}
	}
	count, open := t.count, "the root is not told yet, so seeds were not checked"
	seeds := map[bool]string{true: open, false: fmt.Sprintf("seeds follow from the root and %d nonces", t.count["nonces"])}[t.Root == ""]
	return fmt.Sprintf("%s holds: %d matches finished, %s\ndealt: %s; %d promised nonces never told, %d matches dealt anew, %d absent, %d void, %d open\n"+
		"journal: %d entries, head %s\nstandings: %s", t.Name, count["finished"], seeds, t.Dealt, count["missing"], count["anew"], count["absent"],
		count["void"], count["scheduled"], t.Entries, t.Head, t.Standings), nil
}

// read takes in all files, and compares them with the list of their hashes.
func (t *tournament) read(folder string) error {
	t.files, t.count, t.back = map[string][]byte{}, map[string]int{}, map[int]int{}
	if err := filepath.WalkDir(folder, func(path string, item fs.DirEntry, err error) error {
		if err == nil && item.Type().IsRegular() {
			name, _ := filepath.Rel(folder, path)
			t.files[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	}); err != nil {
		return err
	}
	listed := lines(t.files[sums])
	for _, line := range listed {
		sum, name, _ := strings.Cut(string(line), "  ")
		if data, there := t.files[name]; !there || digest(data) != sum {
			return wrong("%s is not the file whose hash %s has: it was changed, or is missing", name, sums)
		}
	}
	if len(listed) != len(t.files)-1 {
		return wrong("the folder has %d files beside %s, which lists %d", len(t.files)-1, sums, len(listed))
	}
	if err := json.Unmarshal(t.files["tournament.json"], t); err != nil || t.Format != format || t.Players < 1 {
		return fmt.Errorf("%s holds no tournament in the format %s: %q, %w", folder, format, t.Format, err)
	}
	return errors.Join(each(t, "schedule.jsonl", 0, &t.schedule), each(t, "matches.jsonl", 0, &t.matches), each(t, "journal.txt", 65, &t.journal))
}

// lines: every one ends with a line feed, the last one too.
func lines(data []byte) [][]byte { all := bytes.Split(data, []byte("\n")); return all[:len(all)-1] }

// each reads a JSON value from every line of a file, behind so many bytes.
func each[T any](t *tournament, name string, behind int, list *[]T) error {
	for number, line := range lines(t.files[name]) {
		var value T
		if err := json.Unmarshal(line[min(behind, len(line)):], &value); err != nil {
			return wrong("line %d of %s cannot be read: %v", number+1, name, err)
		}
		*list = append(*list, value)
	}
	return nil
}

// checkJournal follows the chain of hashes, and compares the results with what it says.
func (t *tournament) checkJournal() error {
	before, results := strings.Repeat("0", 64), map[int]match{}
	for number, line := range lines(t.files["journal.txt"]) {
		e := t.journal[number]
		hash, text, _ := strings.Cut(string(line), " ")
		switch {
		case digest([]byte(before+"\n"+text)) != hash || e.Number != number:
			return wrong("line %d of journal.txt is not the next of its chain", number+1)
		case strings.Contains(" ruling undone reopened pruned ", " "+e.Kind+" ") || strings.Contains(text, `"version_sigma":`):
			return fmt.Errorf("journal entry %d (%s) tells of rulings, changes or ratings of versions (version_sigma), which this program does not know: 'referee verify' checks the tournament", number, e.Kind)
		case e.Kind == "created" && e.Commitment != t.Commitment || e.Root != "" && e.Root != t.Root:
			return wrong("journal entry %d has another commitment or root than tournament.json", number)
		}
		if before, e.match.State = hash, "finished"; e.Kind == "result" {
			results[e.Match] = e.match
		}
		for place, table := range e.Tables {
			if table.Deal > 0 && fmt.Sprint(t.Settings["hosted"]) != "map[]" { // bots that are started anew for each match
				t.back[e.First+place] = place - slices.Index(e.Tables, table)
			}
		}
	}
	if len(t.journal) != t.Entries || before != t.Head {
		return wrong("the journal has %d entries and the head %s, not %d and %s", len(t.journal), before, t.Entries, t.Head)
	}
	for number, match := range t.matches {
		if told, there := results[number]; there != (match.State == "finished") || there && fmt.Sprint(told) != fmt.Sprint(match) {
			return wrong("match %s/%d is not what the journal says of it", t.Name, number)
		}
	}
	return nil
}

// checkSchedule compares the schedule with its digest, and with what was told of it before the first match.
func (t *tournament) checkSchedule() error {
	told, next := lines(t.files["schedule.jsonl"]), 0
	if digest(t.files["schedule.jsonl"]) != t.Schedule || len(told) != len(t.matches) {
		return wrong("schedule.jsonl has another digest than tournament.json says, or other matches than matches.jsonl")
	}
	for _, e := range t.journal {
		if e.Kind == "scheduled" {
			if e.First != next || e.Matches < 0 || next+e.Matches > len(told) || digest(bytes.Join(append(told[next:next+e.Matches:next+e.Matches], nil), []byte("\n"))) != e.SHA256 {
				return wrong("the matches from %d on are not those of journal entry %d", next, e.Number)
			}
			next += e.Matches
		}
	}
	for number, line := range t.schedule {
		if next != len(told) || line.Match != number || len(line.Seats) != t.Players || t.matches[number].Match != number {
			return wrong("line %d of schedule.jsonl or matches.jsonl is not match %d of %d seats", number+1, number, t.Players)
		}
	}
	return nil
}

// framed joins parts, each behind its length in four bytes, so that no two lists of parts give the same bytes.
func framed(parts ...[]byte) (all []byte) {
	for _, part := range parts {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(part))), part...)
	}
	return all
}

// unhex reads hex; what is none is no bytes, and then nothing fits.
func unhex(text string) []byte { data, _ := hex.DecodeString(text); return data }
func digits(number int) []byte { return []byte(strconv.Itoa(number)) }

// rootOf is the root that follows from a text and its salt; without a salt, from the text alone.
func rootOf(text string, salt []byte) string {
	if len(salt) > 0 {
		return digest(framed([]byte("referee salted root"), []byte(text), salt))
	}
	return digest([]byte("referee root " + text))
}

// nonceCommitment is what an entrant told of its nonce before it knew those of the others.
func nonceCommitment(tournament string, draw int, nonce []byte) string {
	return digest(framed([]byte("referee nonce"), []byte(tournament), digits(draw), nonce))
}

// noncesDigest is what goes into the seeds from the first match of a draw on.
func noncesDigest(tournament string, of draw) []byte {
	parts := [][]byte{[]byte("referee nonces"), []byte(tournament), digits(of.Draw), digits(of.First)}
	for _, entrant := range of.Entrants {
		parts = append(parts, []byte(entrant.Name), unhex(entrant.Commitment), unhex(entrant.Nonce))
	}
	return unhex(digest(framed(parts...)))
}

// matchSeed is HMAC-SHA-256 of the root; nonces is nil where no entrant gave one.
func matchSeed(root []byte, tournament string, deal, attempt int, nonces []byte) string {
	parts := [][]byte{[]byte(tournament), digits(deal), digits(attempt)}
	if nonces != nil {
		parts = [][]byte{[]byte("referee seed with nonces"), parts[0], nonces, parts[1], parts[2]}
	}
	mac := hmac.New(sha256.New, root)
	mac.Write(framed(parts...))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkRoot: the root is the one that was promised, and follows from what it is said to follow from.
func (t *tournament) checkRoot() error {
	if t.Root != "" && digest(unhex(t.Root)) != t.Commitment {
		return wrong("the commitment is not the SHA-256 of the root")
	}
	if t.SeedText != nil && rootOf(*t.SeedText, unhex(t.Salt)) != t.Root || t.Root != "" && (t.Dealt == "secret") != (t.SeedText == nil) {
		return wrong("the root does not follow from the seed's text and salt, or the deals are not %s", t.Dealt)
	}
	return nil
}

// checkNonces: every nonce is the one that was promised, and told after all promises and before the matches it counts for.
func (t *tournament) checkNonces() error {
	var told []draw
	closed := 0 // draws whose nonces have been told
	for _, e := range t.journal {
		switch {
		case e.Kind == "commitments" && len(told) == closed:
			told = append(told, e.draw)
		case e.Kind == "nonces" && len(told) == closed+1 && told[closed].Draw == e.Draw:
			for place, entrant := range told[closed].Entrants {
				nonce := e.Nonces[entrant.Name]
				if nonce != "" && (len(unhex(nonce)) != 32 || nonceCommitment(t.Name, e.Draw, unhex(nonce)) != entrant.Commitment) {
					return wrong("%s had promised another nonce for draw %d", entrant.Name, e.Draw)
				}
				told[closed].Entrants[place].Nonce = nonce
				t.count["nonces"] += len(nonce) / 64
				t.count["missing"] += 1 - len(nonce)/64
			}
			closed++
		case e.Kind == "commitments", e.Kind == "nonces":
			return wrong("journal entry %d tells nonces that were not promised before", e.Number)
		case e.Kind == "result" && closed < len(t.Nonces) && t.Nonces[closed].First <= e.Match:
			return wrong("match %d was played before its nonces were told", e.Match)
		}
	}
	if fmt.Sprint(told) != fmt.Sprint(t.Nonces) {
		return wrong("the nonces in tournament.json are not those of the journal")
	}
	return nil
}

// checkSeeds: every record is the one whose hash was noted, and its seed follows from root and nonces.
func (t *tournament) checkSeeds() error {
	var nonces []byte
	next := 0
	for number, match := range t.matches {
		t.count[match.State]++
		t.count["anew"] += min(1, match.Attempt-1)
		for ; next < len(t.Nonces) && t.Nonces[next].First <= number; next++ {
			nonces = noncesDigest(t.Name, t.Nonces[next])
		}
		record, there := t.files[fmt.Sprintf("records/%d.json", number)]
		if !there && match.State != "finished" {
			continue
		}
		var told struct {
			Match  string
			Names  []string
			Record struct{ Seed string }
		}
		if json.Unmarshal(record, &told) != nil || digest(record) != match.Record || told.Record.Seed != match.Seed ||
			told.Match != fmt.Sprintf("%s/%d", t.Name, number) || fmt.Sprint(told.Names) != fmt.Sprint(t.schedule[number].Seats) {
			return wrong("match %s/%d: its record is not the one that was stored", t.Name, number)
		}
		deal := number - t.back[number]
		if t.Settings["mirror"] == true || t.Settings["rotate"] == true { // the matches of a block share the deal of their first
			deal = number - number%t.Players
		}
		if t.Root != "" && matchSeed(unhex(t.Root), t.Name, deal, match.Attempt, nonces) != match.Seed {
			return wrong("match %s/%d: its seed does not follow from the root and the nonces", t.Name, number)
		}
	}
	return nil
}

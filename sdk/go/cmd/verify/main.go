// Verify checks an exported tournament without Referee: a second program, in another language, that comes to the same.
//
// 'go run ./cmd/verify DIR' reads the folder that 'referee export' wrote (server/EXPORT.md) and checks the hashes of all files, the
// journal, commitments, nonces, seeds, the schedule's digest and the ratings. Whether moves lead to the results, and these to the
// next matches, is for 'referee verify'. Exit codes: 0 all holds, 1 something does not, 2 wrong use.
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
	"slices"
	"strings"
)

const format, sums = "referee-export-2", "SHA256SUMS"

// tournament is tournament.json, what the other files hold, and what the journal says.
type tournament struct {
	origin
	Format, Name, Schedule, Standings, Head string
	Players, Entries                        int
	Settings                                map[string]any
	Entrants                                []entrant
	Nonces, draws                           []draw // the latter as the journal tells them

	files             map[string][]byte
	count             map[string]int // for the report
	schedule, matches []match
	told              entry         // the journal's origin, settings and entrants
	parts             []entry       // of the schedule
	became            map[int]match // what became of each match
	chapter, back     map[int]int   // from which origin it was dealt; how many matches before it the first on the same deal is
	pruned            map[int]bool  // matches whose records the host has removed
	before            []origin      // of the deals before it was reopened
	reached           int           // matches before this one may have been dealt
}

// origin is what deals follow from: a root that is promised, and told at the end with the text and salt it may follow from.
type origin struct {
	Commitment, Dealt, Root, Salt string
	SeedText                      any `json:"seed_text"`
}

type entrant struct{ Name, Commitment, Nonce string }
type draw struct {
	Draw, First int
	Entrants    []entrant
}

// match is a line of schedule.jsonl (Seats) or of matches.jsonl; a `result` in the journal says the same as the latter.
type match struct {
	Match, Attempt          int
	State, Seed, Record     string
	Ranks, Scores, Versions []int
	Seats, Terminations     []string
}

// entry is a line of the journal: a match with its result, a draw of nonces, a beginning or an end, or something else.
type entry struct {
	match
	draw
	origin
	Number               int
	Kind, SHA256, Ruling string
	Settings             map[string]any
	Matches              json.RawMessage // how many, or which
	Tables               []struct{ Deal int }
	Annulled             []int
	Bots                 []string
	Nonces               map[string]string
}

// doesNotHold is the first thing that was found wrong: where, and what.
type doesNotHold struct{ error }

func hold(holds bool, text string, values ...any) {
	if !holds {
		panic(doesNotHold{fmt.Errorf(text, values...)})
	}
}

func main() {
	said, err := verify(strings.Join(os.Args[1:], " "))
	if err != nil {
		found := errors.As(err, &doesNotHold{})
		fmt.Fprintln(os.Stderr, map[bool]string{true: "does not hold:", false: "error:"}[found], err)
		os.Exit(map[bool]int{true: 1, false: 2}[found])
	}
	fmt.Println(said)
}

// verify checks a folder; the text says what holds, and what everybody should know of it.
func verify(folder string) (said string, err error) {
	defer func() { err, _ = recover().(error) }()
	t := &tournament{count: map[string]int{}}
	for _, check := range []func(){func() { t.read(folder) }, t.checkJournal, t.checkSchedule, t.checkRoots, t.checkSeeds, t.checkRatings} {
		check()
	}
	c, told := t.count, t.files["tournament.json"]
	nonces, missing := bytes.Count(told, []byte(`"nonce": "`)), bytes.Count(told, []byte(`"nonce": ""`))
	seeds := map[bool]string{true: "the root is not told yet, so seeds were not checked", false: fmt.Sprintf("seeds follow from the root and %d nonces", nonces-missing)}
	said = fmt.Sprintf("%s holds: %d matches finished, %s\ndealt: %s; %d promised nonces never told, %d matches dealt anew, %d absent, %d void, %d open\n",
		t.Name, c["finished"], seeds[t.Root == ""], t.Dealt, missing, c["anew"], c["absent"], c["void"], c["scheduled"])
	gone := fmt.Sprintf("removed by the host: the records of %d matches, of which only seeds and ratings could be recomputed\n", c["gone"])
	return said + strings.Repeat(gone, min(1, c["gone"])) + fmt.Sprintf("journal: %d entries (%d rulings, %d undone, %d reopened), head %s\nstandings: %s",
		t.Entries, c["ruling entries"], c["undone entries"], c["reopened entries"], t.Head, t.Standings), nil
}

// read takes in all files, and compares them with the list of their hashes.
func (t *tournament) read(folder string) {
	t.files = map[string][]byte{}
	if err := fs.WalkDir(os.DirFS(folder), ".", func(name string, item fs.DirEntry, err error) error {
		if err == nil && !item.IsDir() {
			t.files[name], err = os.ReadFile(folder + "/" + name)
		}
		return err
	}); err != nil {
		panic(fmt.Errorf("name the folder that 'referee export' wrote, as in 'verify DIR': %w", err))
	}
	listed := lines(t.files[sums])
	for _, line := range listed {
		sum, name, _ := strings.Cut(string(line), "  ")
		data, there := t.files[name]
		hold(there && digest(data) == sum, "%s is not the file whose hash %s has: it was changed, or is missing", name, sums)
	}
	hold(len(listed) == len(t.files)-1, "the folder has %d files beside %s, which lists %d", len(t.files)-1, sums, len(listed))
	if err := json.Unmarshal(t.files["tournament.json"], t); err != nil || t.Format != format || t.Players < 1 {
		panic(fmt.Errorf("%s holds no tournament in the format %s: %q, %w", folder, format, t.Format, err))
	}
	for number, line := range lines(t.files["schedule.jsonl"]) {
		t.schedule = append(t.schedule, as[match](line))
		hold(t.schedule[number].Match == number && len(t.schedule[number].Seats) == t.Players, "line %d of schedule.jsonl is not match %d", number+1, number)
	}
}

func digest(data []byte) string       { return fmt.Sprintf("%x", sha256.Sum256(data)) }
func unhex(text string) []byte        { data, _ := hex.DecodeString(text); return data } // what is no hex is no bytes
func same(a, b any) bool              { return fmt.Sprint(a) == fmt.Sprint(b) }
func as[T any](data []byte) (value T) { _ = json.Unmarshal(data, &value); return value } // what is none is empty, and fits nothing
func lines(data []byte) [][]byte      { all := bytes.Split(data, []byte("\n")); return all[:len(all)-1] }
func waiting(number, attempt int) (open match) {
	open.Match, open.Attempt, open.State = number, attempt, "scheduled"
	return open
}

// checkJournal follows the chain of hashes, and compares the other files with what it says.
func (t *tournament) checkJournal() {
	t.became, t.chapter, t.back, t.pruned = map[int]match{}, map[int]int{}, map[int]int{}, map[int]bool{}
	for number, line := range lines(t.files["matches.jsonl"]) {
		t.matches = append(t.matches, as[match](line))
		t.became[number] = waiting(number, 1)
	}
	before, count := strings.Repeat("0", 64), 0
	for _, line := range lines(t.files["journal.txt"]) {
		hash, text, _ := strings.Cut(string(line), " ")
		e := as[entry]([]byte(text))
		hold(digest([]byte(before+"\n"+text)) == hash && e.Number == count, "line %d of journal.txt is not the next of its chain", count+1)
		t.follow(e)
		before, count = hash, count+1
	}
	hold(count == t.Entries && before == t.Head, "the journal has %d entries and the head %s, not %d and %s", count, before, t.Entries, t.Head)
	for number, match := range t.matches {
		hold(same(t.became[number], match), "match %s/%d is not what the journal says of it", t.Name, number)
	}
	hold(same(t.told.origin, t.origin), "tournament.json has another commitment, root, text or salt than the journal")
	hold(same(t.told.Settings, t.Settings) && same(t.told.Entrants, t.Entrants) && same(t.draws, t.Nonces), "tournament.json has other settings, entrants or nonces than the journal")
}

// follow takes in the next entry.
func (t *tournament) follow(e entry) {
	was, now, fits, adopted := t.became[e.Match], &t.told, true, t.count["adopted entries"] > 0
	become := func(next match) { t.became[next.Match], t.reached = next, max(t.reached, next.Match+1) }
	for place, table := range e.Tables { // of a round; bots that are started anew for each match may share deals
		if table.Deal > 0 && !same(now.Settings["hosted"], map[string]any{}) {
			t.back[e.First+place] = place - slices.Index(e.Tables, table)
		}
	}
	for _, number := range e.Annulled { // the result stays, and counts no longer
		told := t.became[number]
		fits, told.State = fits && told.State == "finished", "void"
		become(told)
	}
	for _, run := range as[[][2]int](e.Matches) { // whose records the host has removed
		for number := run[0]; number <= min(run[1], len(t.matches)); number++ {
			t.pruned[number] = true
		}
	}
	if e.Ruling == "replayed" {
		t.pruned[e.Match] = false
		become(waiting(e.Match, was.Attempt+1))
	}
	switch t.count[e.Kind+" entries"]++; e.Kind {
	case "adopted", "extended", "round", "ruling", "pruned":
	case "created":
		now.origin, now.Settings, fits = e.origin, e.Settings, t.count["created entries"] == 1
	case "reopened": // repeatable deals go on with their root, others have a new one
		t.before = append(t.before, now.origin)
		e.Dealt = map[bool]string{true: now.Dealt, false: "secret"}[e.Commitment == now.Commitment]
		now.origin = e.origin
	case "state":
		t.reached = max(t.reached, map[string]int{"running": 1}[e.State])
		now.Root, now.SeedText, now.Salt = e.Root, e.SeedText, e.Salt
	case "entered":
		now.Entrants = append(now.Entrants, e.Entrants...)
	case "scheduled":
		t.parts = append(t.parts, e)
	case "undone": // the last join or extension is as if it had not been
		part, bots := max(1, len(t.parts))-1, max(0, len(now.Entrants)-len(e.Bots))
		fits = part > 0 && t.parts[part].First == e.First && t.reached <= e.First
		t.parts, now.Entrants = t.parts[:part], now.Entrants[:bots]
		t.draws = slices.DeleteFunc(t.draws, func(of draw) bool { return of.First == e.First })
	case "commitments":
		fits = t.reached <= e.First && (len(t.parts) == 0 || t.parts[len(t.parts)-1].First == e.First)
		t.draws = append(t.draws, e.draw)
	case "nonces":
		place := slices.IndexFunc(t.draws, func(of draw) bool { return of.Draw == e.Draw })
		hold(place >= 0 && t.draws[place].First >= t.reached, "journal entry %d tells nonces that were not promised, or too late", e.Number)
		for seat, of := range t.draws[place].Entrants {
			nonce, there := e.Nonces[of.Name]
			kept := of.Nonce == "" && len(unhex(nonce)) == 32 && nonceCommitment(t.Name, e.Draw, unhex(nonce)) == of.Commitment
			hold(kept || !there, "%s had promised another nonce for draw %d", of.Name, e.Draw)
			t.draws[place].Entrants[seat].Nonce += nonce
		}
	case "result":
		fits = was.State == "scheduled" && (e.Attempt == was.Attempt || adopted)
		e.match.State, t.chapter[e.Match] = "finished", len(t.before)
		become(e.match)
	case "aside":
		fits, was.State = was.State == "scheduled", e.State
		become(was)
	case "again":
		fits = was.State != "finished" && (e.Attempt == was.Attempt || e.Attempt == was.Attempt+1 || adopted)
		become(waiting(e.Match, e.Attempt))
	default:
		panic(fmt.Errorf("journal entry %d is of a kind that this program does not know (%s): 'referee verify' checks the tournament", e.Number, e.Kind))
	}
	hold(fits, "journal entry %d (%s) does not fit what came before", e.Number, e.Kind)
}

// checkSchedule compares the schedule with its digest, and with what was told of it before the first match.
func (t *tournament) checkSchedule() {
	told, next := lines(t.files["schedule.jsonl"]), 0
	for _, e := range t.parts {
		end := next + as[int](e.Matches)
		hold(e.First == next && end >= next && end <= len(told) && digest(bytes.Join(append(told[next:end:end], nil), []byte("\n"))) == e.SHA256,
			"the matches from %d on are not those of journal entry %d", next, e.Number)
		next = end
	}
	hold(digest(t.files["schedule.jsonl"]) == t.Schedule && next == len(told) && next == len(t.matches),
		"schedule.jsonl has another digest than tournament.json says, or other matches than matches.jsonl")
}

// framed joins parts, each behind its length in four bytes, so that no two lists of parts give the same bytes.
func framed(parts ...[]byte) (all []byte) {
	for _, part := range parts {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(part))), part...)
	}
	return all
}

// rootOf is the root that follows from a text and its salt; without a salt, from the text alone.
func rootOf(text string, salt []byte) string {
	if len(salt) > 0 {
		return digest(framed([]byte("referee salted root"), []byte(text), salt))
	}
	return digest([]byte("referee root " + text))
}

// nonceCommitment is what an entrant told of its nonce before it knew those of the others.
func nonceCommitment(tournament string, draw int, nonce []byte) string {
	return digest(framed([]byte("referee nonce"), []byte(tournament), fmt.Append(nil, draw), nonce))
}

// noncesDigest is what goes into the seeds from the first match of a draw on.
func noncesDigest(tournament string, of draw) []byte {
	parts := [][]byte{[]byte("referee nonces"), []byte(tournament), fmt.Append(nil, of.Draw), fmt.Append(nil, of.First)}
	for _, entrant := range of.Entrants {
		parts = append(parts, []byte(entrant.Name), unhex(entrant.Commitment), unhex(entrant.Nonce))
	}
	return unhex(digest(framed(parts...)))
}

// matchSeed is HMAC-SHA-256 of the root; nonces is nil where no entrant gave one.
func matchSeed(root []byte, tournament string, deal, attempt int, nonces []byte) string {
	parts := [][]byte{[]byte(tournament), fmt.Append(nil, deal), fmt.Append(nil, attempt)}
	if nonces != nil {
		parts = [][]byte{[]byte("referee seed with nonces"), parts[0], nonces, parts[1], parts[2]}
	}
	mac := hmac.New(sha256.New, root)
	mac.Write(framed(parts...))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkRoots: each root is the one that was promised, and follows from what it is said to follow from.
func (t *tournament) checkRoots() {
	for _, of := range append(t.before, t.origin) {
		hold(of.Root == "" || digest(unhex(of.Root)) == of.Commitment, "the commitment is not the SHA-256 of the root")
		hold(of.SeedText == nil || rootOf(fmt.Sprint(of.SeedText), unhex(of.Salt)) == of.Root, "the root does not follow from the seed's text and salt")
		hold(of.Root == "" || (of.Dealt == "secret") == (of.SeedText == nil) && (of.Dealt == "salted") == (of.Salt != ""), "the deals are not %s", of.Dealt)
	}
}

// checkSeeds: every record is the one whose hash was noted, and its seed follows from root and nonces.
func (t *tournament) checkSeeds() {
	nonces, next := []byte(nil), 0
	for number, match := range t.matches {
		t.count[match.State]++
		t.count["anew"] += min(1, match.Attempt-1)
		for ; next < len(t.Nonces) && t.Nonces[next].First <= number; next++ {
			nonces = noncesDigest(t.Name, t.Nonces[next])
		}
		rotates := t.Settings["mirror"] == true || t.Settings["rotate"] == true // the matches of a block share the deal of their first
		deal := number - map[bool]int{true: number % t.Players, false: t.back[number]}[rotates]
		name, root := fmt.Sprintf("%s/%d", t.Name, number), append(t.before, t.origin)[t.chapter[number]].Root
		record, there := t.files[fmt.Sprintf("records/%d.json", number)]
		hold(there == (match.Record != "" && !t.pruned[number]), "match %s: its record is missing, or was not to be there", name)
		if there {
			told := as[map[string]any](record)
			inner, _ := told["record"].(map[string]any)
			hold(digest(record) == match.Record && same(told["match"], name) && same(told["names"], t.schedule[number].Seats) && same(inner["seed"], match.Seed),
				"match %s: its record is not the one that was stored", name)
		}
		hold(match.Record == "" || root == "" || matchSeed(unhex(root), t.Name, deal, match.Attempt, nonces) == match.Seed, "match %s: its seed does not follow from the root and the nonces", name)
		t.count["gone"] += map[bool]int{true: 1}[match.Record != "" && !there]
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// vectors are computed by the server (tests/tournament/test_vectors.py), which is tested with the same file.
type vectors struct {
	Roots []struct{ Text, Salt, Root, Commitment string }
	Draws []struct {
		Tournament, Digest string
		Draw               draw
	}
	Seeds []struct {
		Root, Tournament, Nonces, Seed string
		Deal, Attempt                  int
	}
	Schedule struct {
		Players      int
		Text, Digest string
		Parts        []struct {
			First, Matches int
			SHA256         string
		}
	}
	Journal struct {
		Entries []string
		Head    string
	}
	Ratings []struct {
		DrawProbability float64 `json:"draw_probability"`
		Bots            []string
		Results         []match
		Ratings         map[string]belief
		Digest          string
	}
	Versions struct {
		Players           int
		VersionSigma      float64 `json:"version_sigma"`
		Bots              []string
		Digest            string
		Schedule, Matches []match
		Standings         json.RawMessage
	}
}

func read(t *testing.T) (all vectors) {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRootsAndTheirCommitments(t *testing.T) {
	for _, of := range read(t).Roots {
		if root := rootOf(of.Text, unhex(of.Salt)); root != of.Root || digest(unhex(root)) != of.Commitment {
			t.Errorf("the root of %q is %s, not %s", of.Text, root, of.Root)
		}
	}
}

func TestDrawsOfNonces(t *testing.T) {
	for _, of := range read(t).Draws {
		if sum := noncesDigest(of.Tournament, of.Draw); string(sum) != string(unhex(of.Digest)) {
			t.Errorf("draw %d of %s has the digest %x, not %s", of.Draw.Draw, of.Tournament, sum, of.Digest)
		}
		for _, entrant := range of.Draw.Entrants {
			if entrant.Nonce != "" && nonceCommitment(of.Tournament, of.Draw.Draw, unhex(entrant.Nonce)) != entrant.Commitment {
				t.Errorf("%s has another commitment", entrant.Name)
			}
		}
	}
}

func TestSeedsOfMatches(t *testing.T) {
	for _, of := range read(t).Seeds {
		var nonces []byte
		if of.Nonces != "" {
			nonces = unhex(of.Nonces)
		}
		if seed := matchSeed(unhex(of.Root), of.Tournament, of.Deal, of.Attempt, nonces); seed != of.Seed {
			t.Errorf("deal %d of %s has the seed %s, not %s", of.Deal, of.Tournament, seed, of.Seed)
		}
	}
}

func TestTheDigestOfAScheduleAndOfItsParts(t *testing.T) {
	of := read(t).Schedule
	check := func(text string) error {
		told := &tournament{Players: of.Players, Schedule: of.Digest, files: map[string][]byte{"schedule.jsonl": []byte(text)}}
		for _, part := range of.Parts {
			told.parts = append(told.parts, entry{draw: draw{First: part.First}, Matches: fmt.Append(nil, part.Matches), SHA256: part.SHA256})
		}
		told.matches = make([]match, strings.Count(text, "\n"))
		if text != of.Text {
			told.Schedule = digest([]byte(text)) // a host that writes tournament.json anew too: the journal tells
		}
		return held(told.checkSchedule)
	}
	if err := check(of.Text); err != nil {
		t.Error(err)
	}
	if check(strings.Replace(of.Text, "ada", "bob", 1)) == nil {
		t.Error("another schedule than the journal tells was taken for the same")
	}
}

func TestHashesOfTheJournal(t *testing.T) {
	of, head := read(t).Journal, strings.Repeat("0", 64)
	for _, entry := range of.Entries {
		head = digest([]byte(head + "\n" + entry))
	}
	if head != of.Head {
		t.Errorf("the head is %s, not %s", head, of.Head)
	}
}

func TestRatingsOfManyPlayersWithTiesAndUpsets(t *testing.T) {
	for _, of := range read(t).Ratings {
		now, counts := map[string]belief{}, map[string]row{}
		for _, bot := range of.Bots {
			now[bot] = belief{startMu, startSigma}
		}
		for _, result := range of.Results {
			before := make([]belief, len(result.Seats))
			for seat, bot := range result.Seats {
				before[seat] = now[bot]
			}
			for seat, after := range rate(before, result.Ranks, of.DrawProbability) {
				bot, rank := result.Seats[seat], result.Ranks[seat]
				now[bot] = after
				of := counts[bot]
				of.Matches, of.Ranks, of.Scores = of.Matches+1, of.Ranks+rank, of.Scores+100-10*rank
				if rank == 1 {
					of.Wins++
				}
				if rank == len(result.Seats) {
					of.Faults++
				}
				counts[bot] = of
			}
		}
		var rows []row
		for bot, wanted := range of.Ratings {
			if math.Abs(now[bot].Mu-wanted.Mu) > near/100 || math.Abs(now[bot].Sigma-wanted.Sigma) > near/100 {
				t.Errorf("%s with %d at a table: %v, not %v", bot, len(of.Results[0].Seats), now[bot], wanted)
			}
			one := counts[bot]
			one.Bot, one.belief = bot, wanted
			rows = append(rows, one)
		}
		if sum := standingsDigest(rows); sum != of.Digest {
			t.Errorf("the digest of the standings is %s, not %s", sum, of.Digest)
		}
	}
}

func TestRatingsOfVersionsThatAreToldApart(t *testing.T) {
	of := read(t).Versions
	check := func(sigma float64) error {
		told := &tournament{Players: of.Players, Standings: of.Digest, schedule: of.Schedule, matches: of.Matches}
		told.Settings = map[string]any{"version_sigma": sigma}
		told.files = map[string][]byte{"standings.json": of.Standings}
		for _, bot := range of.Bots {
			told.Entrants = append(told.Entrants, entrant{Name: bot})
		}
		return held(told.checkRatings)
	}
	if err := check(of.VersionSigma); err != nil {
		t.Error(err)
	}
	for _, other := range []float64{0, of.VersionSigma + 0.1} {
		if err := check(other); err == nil || !strings.Contains(err.Error(), "standings.json has") {
			t.Errorf("ratings with version_sigma %v were taken for those with %v: %v", of.VersionSigma, other, err)
		}
	}
}

// One question to a bot, the match it belongs to, and how that match ended.

package arena

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

// Decision is what Decide is given.
type Decision struct {
	// Match is what stays the same through the match; Game and Seat are taken from it.
	Match *Match
	Game  string
	Seat  int
	// Number of the question within its match. There are gaps: all seats share the count.
	Number int
	// Legal holds moves in canonical order. Answer one of them, or any other legal move where Complete is false.
	Legal    []string
	Complete bool
	// ViewBytes is all that this seat may know, as it came: handy to hash, for dice that repeat themselves.
	// View and ViewOf read it.
	ViewBytes []byte
	// Budget is the free time for this decision, Bank what the match still holds beyond it.
	Budget, Bank time.Duration
	// Again: this was asked before, and the connection was lost or the server was late.
	Again bool
	// Rejected is empty, or the referee's sentence about the move just tried: answer otherwise.
	Rejected string
}

// View is the game's typed message (a proto.Message), or a JSON value (map[string]any) where the game shows JSON.
// The error of a view that cannot be read is an *UnknownViewError, or says what is wrong with its bytes.
func (d *Decision) View() (any, error) { return readView(d.Match.ViewType, d.ViewBytes) }

func (d *Decision) String() string {
	return fmt.Sprintf("decision %d of %s match %s", d.Number, d.Game, d.Match.ID)
}

// Match is what stays the same through a match.
type Match struct {
	ID          string
	Game        string
	GameVersion int
	Seat        int
	// Names of who sits where, this bot included.
	Names []string
	// Options of the game, every one with its value.
	Options map[string]any
	// Limit is the free time for every decision, Bank that for the whole match beyond the limit.
	Limit, Bank time.Duration
	// Tournament is empty in practice.
	Tournament string
	// ViewType is the full name of the message that views are, or "json".
	ViewType string
	// SeedCommitment is the SHA-256 (hex) of the seed that Result.Seed reveals.
	SeedCommitment string
	// NoncesDigest is the SHA-256 (hex) over the entrants' nonces that went into the seed; empty: there were none.
	NoncesDigest string
}

// Result is how a match ended, by seat where there are several values.
type Result struct {
	Match  *Match
	Ranks  []int
	Scores []int
	// Terminations are words such as "finished" and "timeout"; "unspecified" is one that this SDK does not know.
	Terminations []string
	// Texts hold a sentence where a seat did not finish.
	Texts []string
	// Reason is the game's word for how it ended, Seed (hex) lets anybody replay the match.
	Reason, Seed string
	// ViewBytes is this seat's final view; empty if the match was broken off.
	ViewBytes []byte
}

// View is this seat's final view, as in Decision; nil if the match was broken off.
func (r *Result) View() (any, error) {
	if len(r.ViewBytes) == 0 {
		return nil, nil
	}
	return readView(r.Match.ViewType, r.ViewBytes)
}

func newMatch(start *arenav1.MatchStart) (*Match, error) {
	match := &Match{
		ID:             start.GetMatchId(),
		Game:           start.GetGame(),
		GameVersion:    int(start.GetGameVersion()),
		Seat:           int(start.GetSeat()),
		Names:          start.GetNames(),
		Options:        map[string]any{},
		Limit:          milliseconds(start.GetTimeControl().GetLimitMs()),
		Bank:           milliseconds(start.GetTimeControl().GetBankMs()),
		Tournament:     start.GetTournament(),
		ViewType:       start.GetViewType(),
		SeedCommitment: start.GetSeedCommitment(),
		NoncesDigest:   start.GetNoncesDigest(),
	}
	if text := start.GetOptionsJson(); text != "" {
		if err := json.Unmarshal([]byte(text), &match.Options); err != nil {
			return match, fmt.Errorf("the options of the match are no JSON object: %w", err)
		}
	}
	return match, nil
}

func newDecision(match *Match, asked *arenav1.Decide) *Decision {
	return &Decision{
		Match:     match,
		Game:      match.Game,
		Seat:      match.Seat,
		Number:    int(asked.GetDecision()),
		Legal:     asked.GetLegal(),
		Complete:  asked.GetComplete(),
		ViewBytes: asked.GetView(),
		Budget:    milliseconds(asked.GetBudgetMs()),
		Bank:      milliseconds(asked.GetBankMs()),
		Again:     asked.GetAgain(),
	}
}

func newResult(match *Match, end *arenav1.MatchEnd) *Result {
	told := end.GetResult()
	result := &Result{
		Match: match, Texts: told.GetTexts(), Reason: told.GetReason(), Seed: end.GetSeed(), ViewBytes: end.GetView(),
	}
	for _, rank := range told.GetRanks() {
		result.Ranks = append(result.Ranks, int(rank))
	}
	for _, score := range told.GetScores() {
		result.Scores = append(result.Scores, int(score))
	}
	for _, termination := range told.GetTerminations() {
		result.Terminations = append(result.Terminations, word(termination))
	}
	return result
}

// word is the lower-case word for a termination.
func word(termination arenav1.Termination) string {
	name, known := arenav1.Termination_name[int32(termination)]
	if !known {
		name = arenav1.Termination_TERMINATION_UNSPECIFIED.String()
	}
	return strings.ToLower(strings.TrimPrefix(name, "TERMINATION_"))
}

// sentence tells the author how a match ended.
func (r *Result) sentence() string {
	match := r.Match
	text := fmt.Sprintf("%s %s: rank %d of %d, score %d",
		match.Game, match.ID, at(r.Ranks, match.Seat), len(r.Ranks), at(r.Scores, match.Seat))
	var others []string
	for seat, name := range match.Names {
		if seat != match.Seat {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		text += " against " + strings.Join(others, ", ")
	}
	how, why := at(r.Terminations, match.Seat), at(r.Texts, match.Seat)
	switch {
	case why == "":
		return text
	case strings.HasPrefix(why, how):
		return text + " (" + why + ")"
	default:
		return text + " (" + how + ": " + why + ")"
	}
}

// at is a seat's value; the zero value where the server told fewer.
func at[T any](values []T, seat int) (value T) {
	if seat < len(values) {
		value = values[seat]
	}
	return value
}

func milliseconds(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

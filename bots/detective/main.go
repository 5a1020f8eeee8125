// A detective among the agents of STOP me GO: it finds out what kind of players the others are, and plays against those.
//
// Two agents who stop the same gangster both lose him. So whether a stop is good depends on the others alone, and
// people have habits: one stops by size, one stops at once, one waits until the line is full, one never stops at all.
// Three parts, a file each:
//
//  1. notes.go: a line-up of suspects for every seat. Each suspect is a habit, and every card that is turned up makes
//     those less likely who would have laid the other card. The notes are kept from round to round.
//  2. rounds.go: the rest of the round, played in the head. The others get a habit and a place for their stop, drawn
//     as likely as the notes say; the pile is shuffled; then the round is played to its end.
//  3. This one: both cards are tried in the same few hundred rounds, and the one that does better is laid.
//
// One of the suspects is a colleague: a detective as well. He tries both cards in his head too and comes to the same
// end, so the better card would be the worse one for both. Against him, the stop is laid just so often that he gains
// nothing by knowing it. The dice are a hash of the view: the same position gives the same card.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	arena "github.com/referee-arena/referee/sdk/go"
	"github.com/referee-arena/referee/sdk/go/games/stopmegov1"
)

// rounds that are played in the head for each card, with and without colleagues on the newcomer: a few milliseconds in all.
const rounds = 400

type detective struct {
	notes notes
}

func (b *detective) Decide(_ context.Context, d *arena.Decision) (string, error) {
	view, err := arena.ViewOf[*stopmegov1.View](d)
	if err != nil {
		return "", err
	}
	b.notes.read(view)
	hash := sha256.Sum256(d.ViewBytes)
	seed, die := binary.LittleEndian.Uint64(hash[:8]), float64(binary.LittleEndian.Uint32(hash[8:]))/(1<<32)
	b.notes.mine = b.boldness(view, seed)
	if view.GetStopInHand() && die < b.notes.mine {
		return "stop", nil
	}
	return "go", nil
}

// boldness is how likely to stop the newcomer: surely or not at all, unless a colleague makes the difference.
func (b *detective) boldness(view *stopmegov1.View, seed uint64) float64 {
	if gain := b.gain(view, 1, seed); gain >= 0 {
		return 1 // even if every colleague stops him too
	} else if alone := b.gain(view, 0, seed); alone <= 0 {
		return 0 // even if no colleague does
	} else {
		return alone / (alone - gain) // at this one, both cards are worth the same to all colleagues
	}
}

// gain of a stop over a go, if colleagues stop the newcomer with this probability.
func (b *detective) gain(view *stopmegov1.View, colleagues float64, seed uint64) (gain float64) {
	for n := range uint64(rounds) {
		gain += b.imagine(view, 1, colleagues, rand.New(rand.NewPCG(seed, n)))
		gain -= b.imagine(view, 0, colleagues, rand.New(rand.NewPCG(seed, n)))
	}
	return gain / rounds
}

// imagine how the round ends if this card is laid, and what that is worth.
func (b *detective) imagine(view *stopmegov1.View, stop, colleagues float64, dice *rand.Rand) float64 {
	winner := imagined(view, &b.notes, dice).play(stop, colleagues)
	switch {
	case winner == nobody:
		return 0
	case winner == int(view.GetSeat()):
		return 1
	case view.GetTokens()[winner] == 2: // his third token would be the end
		return -0.5
	default:
		return 0
	}
}

func main() {
	arena.Run(arena.Each(func() arena.Bot { return &detective{} }))
}

package main

import (
	"math/rand/v2"
	"slices"

	"github.com/referee-arena/referee/sdk/go/games/stopmegov1"
)

const (
	nobody      = -1
	mostEscapes = 50
)

// round is a round as it may be: all that is hidden has been drawn.
type round struct {
	me      int
	kinds   []int  // the habit of each seat
	inHand  []bool // whether each seat holds its stop
	line    []uint32
	stops   [][]int // the seats that stopped each gangster in line
	pile    []uint32
	escaped []uint32
	escapes int
	dice    *rand.Rand
}

// imagined draws a round that fits the view and the notes; the newcomer has no cards yet.
func imagined(view *stopmegov1.View, notes *notes, dice *rand.Rand) *round {
	players := len(view.GetScores())
	r := &round{
		me: int(view.GetSeat()), kinds: make([]int, players), inHand: make([]bool, players),
		line: slices.Clone(view.GetTable()), stops: make([][]int, len(view.GetTable())),
		escaped: slices.Clone(view.GetDiscarded()), escapes: len(view.GetArrests()), dice: dice,
	}
	for gangster := uint32(1); gangster <= 10; gangster++ {
		if !slices.Contains(r.line, gangster) && !slices.Contains(r.escaped, gangster) {
			r.pile = append(r.pile, gangster)
		}
	}
	r.shuffle()
	for seat := range players {
		if seat == r.me {
			r.inHand[seat] = true
			continue
		}
		kind, place := notes.accuse(seat, dice)
		r.kinds[seat], r.inHand[seat] = kind, place < 0
		if place >= 0 {
			r.stops[place] = append(r.stops[place], seat)
		}
	}
	return r
}

// play the round to its end. Given is how likely I, and any colleagues, stop the newcomer; from then on we follow a
// habit as everybody does.
func (r *round) play(stop, colleagues float64) (winner int) {
	for first := true; ; first = false {
		newcomer := len(r.line) - 1
		for seat, holds := range r.inHand {
			likely := suspects[r.kinds[seat]].habit(r.line[newcomer], r.line[:newcomer])
			if first && seat == r.me {
				likely = stop
			} else if first && r.kinds[seat] == colleague {
				likely = colleagues
			}
			if die := r.dice.Float64(); holds && die < likely {
				r.stops[newcomer] = append(r.stops[newcomer], seat)
				r.inHand[seat] = false
			}
		}
		if len(r.line) == fullLine && !r.escape() {
			return r.best()
		}
		if r.escapes == mostEscapes {
			return nobody
		}
		r.crime()
	}
}

// escape of the first in line, if he has none or several stops.
func (r *round) escape() bool {
	if len(r.stops[0]) == 1 {
		return false
	}
	for _, seat := range r.stops[0] {
		r.inHand[seat] = true
	}
	r.escaped = append(r.escaped, r.line[0])
	r.line, r.stops = r.line[1:], r.stops[1:]
	r.escapes++
	return true
}

func (r *round) crime() {
	if len(r.pile) == 0 {
		r.pile, r.escaped = r.escaped, nil
		r.shuffle()
	}
	r.line, r.stops = append(r.line, r.pile[0]), append(r.stops, nil)
	r.pile = r.pile[1:]
}

// best is the seat with the best catch: the highest, but the 1 beats the 10.
func (r *round) best() (winner int) {
	catches := [11]int{}
	for place, stops := range r.stops {
		if len(stops) == 1 {
			catches[r.line[place]] = stops[0] + 1
		}
	}
	if catches[10] > 0 && catches[1] > 0 {
		return catches[1] - 1
	}
	for _, seat := range slices.Backward(catches[:]) {
		if seat > 0 {
			return seat - 1
		}
	}
	return nobody
}

func (r *round) shuffle() {
	r.dice.Shuffle(len(r.pile), func(a, b int) { r.pile[a], r.pile[b] = r.pile[b], r.pile[a] })
}

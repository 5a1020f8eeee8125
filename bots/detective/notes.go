package main

import (
	"math/rand/v2"

	"github.com/referee-arena/referee/sdk/go/games/stopmegov1"
)

const fullLine = 4

// colleague is the suspect who plays as this bot does.
const colleague = 0

// habit is how likely a player who has his stop in hand lays it on a newcomer, given the line before him.
type habit func(newcomer uint32, line []uint32) float64

// suspects, and how likely they are before anything is known.
var suspects = []struct {
	habit habit
	prior float64
}{
	colleague: {bySize, 10}, // what he really does, only the notes can say
	1:         {bySize, 4},
	{func(newcomer uint32, line []uint32) float64 { return 0.5 }, 1},                  // tosses a coin
	{func(newcomer uint32, line []uint32) float64 { return 0.25 }, 2},                 // takes his time
	{func(newcomer uint32, line []uint32) float64 { return 0.9 }, 0.5},                // cannot wait
	{func(newcomer uint32, line []uint32) float64 { return when(newcomer >= 8) }, 1},  // wants the big ones only
	{func(newcomer uint32, line []uint32) float64 { return when(len(line) == 3) }, 1}, // waits for a full line
	{func(newcomer uint32, line []uint32) float64 { return 0.01 }, 0.5},               // sleeps
}

// bySize: the bigger the gangster the more likely, and in a hurry when the next arrest may end the round.
func bySize(newcomer uint32, line []uint32) float64 {
	size := float64(newcomer)
	for _, waiting := range line {
		if newcomer == 1 && waiting == 10 {
			size = 11
		}
	}
	if len(line) == fullLine-1 {
		size += 4
	}
	return size / 16
}

// when leaves a little doubt: nobody is quite like a suspect.
func when(likely bool) float64 {
	if likely {
		return 0.85
	}
	return 0.1
}

// suspicion is one suspect for one seat: how likely he is the one, and if so where his stop is.
type suspicion struct {
	weight float64
	line   []float64 // on each gangster in line
	hand   float64
}

// notes about all seats; one's own line-up is kept like the others' and never looked at.
type notes struct {
	seats [][]suspicion
	line  []uint32 // gangsters, the last of them without cards
	mine  float64  // how likely a detective stops the last of them
	round uint32
	asked int // crimes of the round up to the question that was read last
}

// read what happened since the last question.
func (n *notes) read(view *stopmegov1.View) {
	if n.seats == nil {
		n.lineUp(len(view.GetScores()))
	}
	crimes := len(view.GetArrests()) + len(view.GetTable())
	if n.round == view.GetRound() && n.asked == crimes {
		return // the same question once more
	}
	n.lay()
	for _, event := range view.GetEvents() {
		switch event.GetKind() {
		case stopmegov1.EventKind_EVENT_KIND_ROUND_STARTED:
			n.newRound()
		case stopmegov1.EventKind_EVENT_KIND_CRIME:
			n.line = append(n.line, event.GetGangster())
		case stopmegov1.EventKind_EVENT_KIND_ESCAPED, stopmegov1.EventKind_EVENT_KIND_CAPTURED,
			stopmegov1.EventKind_EVENT_KIND_DISCARDED:
			n.turnUp(event.GetStops())
		}
	}
	n.round, n.asked = view.GetRound(), crimes
	if len(n.line) != len(view.GetTable()) { // something was missed, as after a restart: the round from its beginning
		n.again(view)
	}
}

func (n *notes) again(view *stopmegov1.View) {
	n.newRound()
	for _, arrest := range view.GetArrests() {
		n.line = append(n.line, arrest.GetGangster())
	}
	crimes := append(n.line, view.GetTable()...)
	n.line = nil
	for place, gangster := range crimes {
		n.line = append(n.line, gangster)
		n.mine = bySize(gangster, n.line[:len(n.line)-1]) // what was thought of him then is forgotten
		if place == len(crimes)-1 {
			return
		}
		n.lay()
		if arrest := place + 1 - fullLine; arrest >= 0 {
			n.turnUp(view.GetArrests()[arrest].GetStops())
		}
	}
}

func (n *notes) lineUp(players int) {
	for range players {
		var seat []suspicion
		for _, suspect := range suspects {
			seat = append(seat, suspicion{weight: suspect.prior, hand: 1})
		}
		n.seats = append(n.seats, seat)
	}
}

// newRound gives everybody his stop back.
func (n *notes) newRound() {
	n.line = nil
	for _, seat := range n.seats {
		for kind := range seat {
			seat[kind].line, seat[kind].hand = nil, 1
		}
	}
}

// lay a card of everybody on the newcomer, face down.
func (n *notes) lay() {
	if len(n.line) == 0 {
		return
	}
	last := len(n.line) - 1
	for _, seat := range n.seats {
		for kind := range seat {
			likely := suspects[kind].habit(n.line[last], n.line[:last])
			if kind == colleague {
				likely = 0.1 + 0.8*n.mine // he sees another hand than mine
			}
			laid := seat[kind].hand * likely
			seat[kind].line = append(seat[kind].line, laid)
			seat[kind].hand -= laid
		}
	}
}

// turnUp the cards on the first in line: the heart of the matter.
func (n *notes) turnUp(stops []uint32) {
	if len(n.line) == 0 || len(n.seats[0][0].line) == 0 {
		return
	}
	n.line = n.line[1:]
	for seat, suspects := range n.seats {
		stopped := false
		for _, one := range stops {
			stopped = stopped || int(one) == seat
		}
		for kind := range suspects {
			suspects[kind].turnUp(stopped)
		}
	}
}

func (s *suspicion) turnUp(stopped bool) {
	first := s.line[0]
	s.line = s.line[1:]
	if stopped { // he has it back, and all his other cards are go
		s.weight *= max(first, 1e-6)
		clear(s.line)
		s.hand = 1
		return
	}
	left := max(1-first, 1e-6)
	s.weight *= left
	for place := range s.line {
		s.line[place] /= left
	}
	s.hand /= left
}

// accuse draws one of the suspects for a seat, as likely as they are, and where his stop is: a place in line, or -1.
func (n *notes) accuse(seat int, dice *rand.Rand) (kind, place int) {
	total := 0.0
	for _, suspicion := range n.seats[seat] {
		total += suspicion.weight
	}
	left := dice.Float64() * total
	for kind = range n.seats[seat] {
		if left -= n.seats[seat][kind].weight; left < 0 {
			break
		}
	}
	left = dice.Float64()
	for place, odds := range n.seats[seat][kind].line {
		if left -= odds; left < 0 {
			return kind, place
		}
	}
	return kind, -1
}

// The ratings: TrueSkill in the order of the schedule. A match is a chain: the performance of each player is compared with
// that of the next in rank, and messages pass along it until they change no more. A normal distribution is kept as p, its
// precision, and t, its mean times p.

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf16"
)

const startMu, startSigma, beta, leastDraws, sweeps, enough = 25.0, 25.0 / 3, 25.0 / 6, 0.001, 10, 0.0001
const near = 1e-6 // how far two programs may come apart: the last digits of exp and erfc differ between languages

type belief struct{ Mu, Sigma float64 }
type normal struct{ p, t float64 }

func (n normal) plus(o normal) normal  { return normal{n.p + o.p, n.t + o.t} }
func (n normal) minus(o normal) normal { return normal{n.p - o.p, n.t - o.t} }

// likely leads from a skill to a performance, or back: the same mean, and less certain.
func (n normal) likely() normal { s := 1 / (1 + beta*beta*n.p); return normal{s * n.p, s * n.t} }

// combined is the sum (sign 1) or the difference (-1) of two.
func combined(a, b normal, sign float64) normal {
	p := 1 / (1/a.p + 1/b.p)
	return normal{p, p * (a.t/a.p + sign*b.t/b.p)}
}

func cdf(x float64) float64 { return 0.5 * math.Erfc(-x*math.Sqrt(0.5)) }
func pdf(x float64) float64 { return math.Exp(-0.5*x*x) / math.Sqrt(2*math.Pi) }

// trim is what a win, or a tie, says of a difference: how far its mean moves, and by what share it becomes surer.
func trim(difference, margin float64, tie bool) (v, w float64) {
	if !tie {
		x := difference - margin
		v = pdf(x) / cdf(x)
		return v, v * (v + x)
	}
	a, b := margin-math.Abs(difference), -margin-math.Abs(difference)
	inside := cdf(a) - cdf(b)
	v = (pdf(b) - pdf(a)) / inside
	return math.Copysign(1, difference) * v, v*v + (a*pdf(a)-b*pdf(b))/inside
}

// rate gives the beliefs after a match of two or more players, by seat.
func rate(before []belief, ranks []int, draws float64) []belief {
	margin := math.Sqrt2 * math.Erfinv(max(draws, leastDraws)) * math.Sqrt2 * beta
	order := make([]int, len(ranks))
	for seat := range order {
		order[seat] = seat
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(ranks[a]-ranks[b], cmp.Compare(before[a].Mu, before[b].Mu), cmp.Compare(before[a].Sigma, before[b].Sigma))
	})
	size, last := len(order), len(order)-2
	skills, performances, told := make([]normal, size), make([]normal, size), make([]normal, size) // told: by the outcomes
	fromAbove, fromBelow := make([]normal, size), make([]normal, size)                             // by the neighbours in rank
	for place, seat := range order {
		p := 1 / (before[seat].Sigma * before[seat].Sigma)
		skills[place] = normal{p, p * before[seat].Mu}
		performances[place] = skills[place].likely()
	}
	compare := func(place int) float64 { // the difference of two neighbours, trimmed to the outcome; by how much that changes it
		one, two := performances[place].plus(fromAbove[place]), performances[place+1].plus(fromBelow[place+1])
		gap := combined(one, two, -1)
		root := math.Sqrt(gap.p)
		v, w := trim(gap.t/root, margin*root, ranks[order[place]] == ranks[order[place+1]])
		trimmed := normal{gap.p / (1 - w), (gap.t + root*v) / (1 - w)}
		change := told[place].plus(gap).minus(trimmed)
		told[place] = trimmed.minus(gap)
		return max(math.Abs(change.t), math.Sqrt(math.Abs(change.p)))
	}
	tellWorse := func(one int) { fromAbove[one+1] = combined(performances[one].plus(fromAbove[one]), told[one], -1) }
	tellBetter := func(one int) { fromBelow[one] = combined(told[one], performances[one+1].plus(fromBelow[one+1]), 1) }
	for sweep, change := 0, 1.0; sweep < sweeps && !(change <= enough); sweep++ {
		if change = 0; last == 0 {
			change = compare(0)
		}
		for place := range last {
			change = max(change, compare(place))
			tellWorse(place)
		}
		for place := last; place > 0; place-- {
			change = max(change, compare(place))
			tellBetter(place)
		}
	}
	tellBetter(0)
	tellWorse(last)
	after := slices.Clone(before)
	for start, end := 0, 1; end <= len(order); end++ {
		seat := order[start]
		if end < len(order) && before[order[end]] == before[seat] && ranks[order[end]] == ranks[seat] {
			continue // nothing tells these players apart: they share the average
		}
		mu, variance := 0.0, 0.0
		for place := start; place < end; place++ {
			learnt := skills[place].plus(fromAbove[place].plus(fromBelow[place]).likely())
			mu, variance = mu+learnt.t/learnt.p/float64(end-start), variance+1/learnt.p/float64(end-start)
		}
		for _, seat := range order[start:end] { // no match makes a rating less certain
			after[seat] = belief{mu, min(math.Sqrt(variance), before[seat].Sigma)}
		}
		start = end
	}
	return after
}

type row struct {
	Bot string
	belief
	Matches, Wins, Ranks, Scores, Faults int
}

// checkRatings rates all results anew and compares; the digest is over the numbers as they were published.
func (t *tournament) checkRatings() error {
	var told struct {
		DrawProbability float64 `json:"draw_probability"`
		Rows            []row
	}
	if err := json.Unmarshal(t.files["standings.json"], &told); err != nil {
		return wrong("standings.json cannot be read: %v", err)
	}
	rows := map[string]row{}
	for _, entrant := range t.Entrants {
		rows[entrant.Name] = row{Bot: entrant.Name, belief: belief{startMu, startSigma}}
	}
	for number, match := range t.matches {
		if match.State != "finished" {
			continue
		}
		beliefs := make([]belief, t.Players)
		for seat, name := range t.schedule[number].Seats {
			if rows[name].Bot != name || len(match.Ranks) != t.Players || len(match.Scores) != t.Players || len(match.Terminations) != t.Players {
				return wrong("match %s/%d: it has no result for each of its seats, or %s is no entrant", t.Name, number, name)
			}
			beliefs[seat] = rows[name].belief
		}
		if t.Players > 1 { // alone, there is nothing to learn from
			beliefs = rate(beliefs, match.Ranks, told.DrawProbability)
		}
		for seat, name := range t.schedule[number].Seats {
			r, one := rows[name], map[bool]int{true: 1}
			rows[name] = row{name, beliefs[seat], r.Matches + 1, r.Wins + one[match.Ranks[seat] == 1], r.Ranks + match.Ranks[seat],
				r.Scores + match.Scores[seat], r.Faults + one[match.Terminations[seat] != "finished"]}
		}
	}
	for _, published := range told.Rows {
		own, same := rows[published.Bot], published
		same.belief = own.belief
		if same != own || len(rows) != len(told.Rows) || !(math.Abs(own.Mu-published.Mu) < near && math.Abs(own.Sigma-published.Sigma) < near) {
			return wrong("standings.json has %+v in %d rows, but from the %d bots' results follows %+v", published, len(told.Rows), len(rows), own)
		}
	}
	if sum := standingsDigest(told.Rows); t.Standings != "" && sum != t.Standings {
		return wrong("the standings have the digest %s, tournament.json says %s", sum, t.Standings)
	}
	return nil
}

// standingsDigest is over one line of JSON per bot, by name, as Python writes it: ASCII only, numbers in hex.
func standingsDigest(rows []row) string {
	text := ""
	for _, r := range slices.SortedFunc(slices.Values(rows), func(a, b row) int { return cmp.Compare(a.Bot, b.Bot) }) {
		name := ""
		for _, unit := range utf16.Encode([]rune(strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(r.Bot))) {
			name += map[bool]string{true: string(rune(unit)), false: fmt.Sprintf(`\u%04x`, unit)}[unit < 0x7f]
		}
		numbers := strings.NewReplacer("p+0", "p+", "p-0", "p-").Replace(fmt.Sprintf(`"%.13x", "%.13x"`, r.Mu, r.Sigma))
		text += fmt.Sprintf("[\"%s\", %s, %d, %d, %d, %d, %d]\n", name, numbers, r.Matches, r.Wins, r.Ranks, r.Scores, r.Faults)
	}
	return digest([]byte(text))
}

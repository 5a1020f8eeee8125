// The ratings: TrueSkill in the order of the schedule. A match is a chain: the performance of each player is compared with that of the next in
// rank, and messages pass along it until they change no more. A normal distribution is kept as p, its precision, and t, its mean times p.

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

// player is one of a match: its skill and performance, what its neighbours in rank tell it, and the outcome against the next one.
type player struct {
	seat                                      int
	skill, performance, above, below, outcome normal
}

// rate gives the beliefs after a match of two or more players, by seat.
func rate(before []belief, ranks []int, draws float64) []belief {
	margin := math.Sqrt2 * math.Erfinv(max(draws, leastDraws)) * math.Sqrt2 * beta
	order, last := make([]player, len(ranks)), len(ranks)-2
	for seat, of := range before {
		skill := normal{1 / (of.Sigma * of.Sigma), 1 / (of.Sigma * of.Sigma) * of.Mu}
		order[seat] = player{seat: seat, skill: skill, performance: skill.likely()}
	}
	slices.SortStableFunc(order, func(one, two player) int {
		return cmp.Or(ranks[one.seat]-ranks[two.seat], cmp.Compare(before[one.seat].Mu, before[two.seat].Mu), cmp.Compare(before[one.seat].Sigma, before[two.seat].Sigma))
	})
	compare := func(one, two *player) float64 { // the difference of two neighbours, trimmed to the outcome; by how much that changes it
		gap := combined(one.performance.plus(one.above), two.performance.plus(two.below), -1)
		root := math.Sqrt(gap.p)
		v, w := trim(gap.t/root, margin*root, ranks[one.seat] == ranks[two.seat])
		trimmed := normal{gap.p / (1 - w), (gap.t + root*v) / (1 - w)}
		change := one.outcome.plus(gap).minus(trimmed)
		one.outcome = trimmed.minus(gap)
		return max(math.Abs(change.t), math.Sqrt(math.Abs(change.p)))
	}
	tellWorse := func(one, two *player) { two.above = combined(one.performance.plus(one.above), one.outcome, -1) }
	tellBetter := func(one, two *player) { one.below = combined(one.outcome, two.performance.plus(two.below), 1) }
	for sweep, change := 0, 1.0; sweep < sweeps && !(change <= enough); sweep++ {
		change = 0
		for step := range max(1, 2*last) { // down to the last pair, and up again
			place := min(step, 2*last-step)
			change = max(change, compare(&order[place], &order[place+1]))
			map[bool]func(*player, *player){true: tellWorse, false: tellBetter}[step < last](&order[place], &order[place+1])
		}
	}
	tellBetter(&order[0], &order[1])
	tellWorse(&order[last], &order[last+1])
	after := slices.Clone(before)
	for _, of := range order {
		mu, variance, alike := 0.0, 0.0, 0.0
		for _, other := range order { // those whom nothing tells apart share the average
			if before[other.seat] == before[of.seat] && ranks[other.seat] == ranks[of.seat] {
				learnt := other.skill.plus(other.above.plus(other.below).likely())
				mu, variance, alike = mu+learnt.t/learnt.p, variance+1/learnt.p, alike+1
			}
		} // no match makes a rating less certain
		after[of.seat] = belief{mu / alike, min(math.Sqrt(variance/alike), before[of.seat].Sigma)}
	}
	return after
}

type row struct {
	Bot string
	belief
	Matches, Wins, Ranks, Scores, Faults int
}

// checkRatings rates all results anew and compares; the digest is over the numbers as they were published.
func (t *tournament) checkRatings() {
	var told struct {
		DrawProbability float64 `json:"draw_probability"`
		Rows            []row
	}
	hold(json.Unmarshal(t.files["standings.json"], &told) == nil, "standings.json cannot be read")
	sigma, _ := t.Settings["version_sigma"].(float64)
	rows, versions := map[string]row{}, map[string]bool{}
	for _, of := range t.Entrants {
		rows[of.Name] = row{Bot: of.Name, belief: belief{startMu, startSigma}}
	}
	for number, match := range t.matches {
		if match.State != "finished" {
			continue
		}
		seats, beliefs := t.schedule[number].Seats, make([]belief, t.Players)
		match.Versions = append(match.Versions, make([]int, t.Players)...) // without a version: 0
		for seat, name := range seats {
			hold(rows[name].Bot == name && len(match.Ranks) == t.Players && len(match.Scores) == t.Players && len(match.Terminations) == t.Players,
				"match %s/%d: it has no result for each of its seats, or %s is no entrant", t.Name, number, name)
			beliefs[seat] = rows[name].belief
			version := fmt.Sprintf("%d of %s", match.Versions[seat], name)
			beliefs[seat].Sigma = max(beliefs[seat].Sigma, map[bool]float64{true: sigma}[rows[name].Matches > 0 && !versions[version]])
			versions[version] = true
		}
		if t.Players > 1 { // alone, there is nothing to learn from
			beliefs = rate(beliefs, match.Ranks, told.DrawProbability)
		}
		for seat, name := range seats {
			r, one := rows[name], map[bool]int{true: 1}
			rows[name] = row{name, beliefs[seat], r.Matches + 1, r.Wins + one[match.Ranks[seat] == 1], r.Ranks + match.Ranks[seat],
				r.Scores + match.Scores[seat], r.Faults + one[match.Terminations[seat] != "finished"]}
		}
	}
	for _, published := range told.Rows {
		own, same := rows[published.Bot], published
		same.belief = own.belief
		hold(same == own && len(rows) == len(told.Rows) && math.Abs(own.Mu-published.Mu) < near && math.Abs(own.Sigma-published.Sigma) < near,
			"standings.json has %+v in %d rows, but from the %d bots' results follows %+v", published, len(told.Rows), len(rows), own)
	}
	sum := standingsDigest(told.Rows)
	hold(t.Standings == "" || sum == t.Standings, "the standings have the digest %s, tournament.json says %s", sum, t.Standings)
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

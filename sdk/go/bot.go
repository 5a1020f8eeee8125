// Package arena connects a bot to a Referee server: write Decide, call Run, and it plays.
//
// The smallest bot is a function:
//
//	func decide(_ context.Context, d *arena.Decision) (string, error) { return d.Legal[0], nil }
//
//	func main() { arena.Run(arena.Func(decide)) }
package arena

import "context"

// Version of this SDK, as the server hears it.
const Version = "0.1.0"

// Bot decides. An error, or a panic, resigns the match in which it happens; the other matches go on.
//
// The context is cancelled when the answer is no longer wanted: the match has ended, the question was replaced, or the
// program stops. It has no deadline; where one is wanted, context.WithTimeout(ctx, d.Budget) makes it.
type Bot interface {
	Decide(ctx context.Context, d *Decision) (move string, err error)
}

// Starter is a Bot that wants to hear of the start of its match. An error resigns the match.
type Starter interface {
	Start(m *Match) error
}

// Ender is a Bot that wants to hear how its match ended.
type Ender interface {
	End(r *Result)
}

// Entrant is what Run plays with: a function (Func), an object per match (Each) or one object for all matches (Shared).
type Entrant struct {
	bot    func() Bot
	shared bool
}

// Func is a bot without memory: one function for all matches, called for several of them at once.
func Func(decide func(ctx context.Context, d *Decision) (string, error)) Entrant {
	return Entrant{bot: func() Bot { return function(decide) }}
}

// Each is a bot with memory: every match has an object of its own, whose methods are called one after the other.
func Each(bot func() Bot) Entrant {
	return Entrant{bot: bot}
}

// Shared is one object that plays all matches. Its methods are called one after the other, for whatever match, and it
// takes one match at a time unless Settings.Concurrency says otherwise.
func Shared(bot Bot) Entrant {
	return Entrant{bot: func() Bot { return bot }, shared: true}
}

type function func(ctx context.Context, d *Decision) (string, error)

func (f function) Decide(ctx context.Context, d *Decision) (string, error) { return f(ctx, d) }

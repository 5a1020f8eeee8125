// The conformbot of the Go SDK: does what the first legal move says, so that the conformance kit can test the SDK.
//
// What it does is described in sdk/README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	arena "github.com/referee-arena/referee/sdk/go"
	"github.com/referee-arena/referee/sdk/go/games/flip7v1"
)

// conformbot plays one match.
type conformbot struct {
	match *arena.Match
	asked int
}

func (b *conformbot) Start(match *arena.Match) error {
	b.match = match
	note("conformbot: start %s seat %d of %s", match.ID, match.Seat, strings.Join(match.Names, ","))
	if match.ID == "no-start" {
		return errors.New("told to fail")
	}
	return nil
}

func (b *conformbot) Decide(ctx context.Context, d *arena.Decision) (string, error) {
	b.asked++
	if len(d.Legal) == 0 {
		return "pass", nil
	}
	first := d.Legal[0]
	switch {
	case first == "fail":
		return "", errors.New("told to fail")
	case strings.HasPrefix(first, "think:"):
		return think(ctx, strings.TrimPrefix(first, "think:"), d.Legal[1])
	case first == "count":
		return strconv.Itoa(b.asked), nil
	case first == "view":
		return fromView(d), nil
	case first == "not-text":
		return "\xff\xfe", nil // bytes that are no UTF-8: the nearest that Go has
	case d.Rejected != "":
		return d.Legal[len(d.Legal)-1], nil
	default:
		return first, nil
	}
}

func (b *conformbot) End(result *arena.Result) {
	seat := b.match.Seat
	note("conformbot: end %s rank %d %s", b.match.ID, result.Ranks[seat], result.Terminations[seat])
	if b.match.ID == "no-end" {
		panic("told to fail")
	}
}

func think(ctx context.Context, milliseconds, move string) (string, error) {
	long, err := strconv.Atoi(milliseconds)
	if err != nil {
		return "", err
	}
	select {
	case <-time.After(time.Duration(long) * time.Millisecond):
		return move, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func fromView(d *arena.Decision) string {
	view, err := d.View()
	if err != nil {
		return "unreadable"
	}
	switch view := view.(type) {
	case map[string]any:
		return fmt.Sprint(view["answer"])
	case *flip7v1.View:
		return fmt.Sprintf("round %d", view.GetRound())
	default:
		return "unreadable"
	}
}

func note(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) }

func main() {
	arena.Run(arena.Each(func() arena.Bot { return &conformbot{} }))
}

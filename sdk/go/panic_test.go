// Where an author is shown that his bot has panicked.

package arena

import (
	"context"
	"strings"
	"testing"
)

func TestTheStackOfAPanicBeginsInTheBot(t *testing.T) {
	none := []string{}
	for name, bot := range map[string]func(context.Context, *Decision) (string, error){
		"a panic":                    func(context.Context, *Decision) (string, error) { panic("out of ideas") },
		"an index that is not there": func(_ context.Context, d *Decision) (string, error) { return none[d.Number], nil },
		"a pointer to nothing":       func(context.Context, *Decision) (string, error) { var d *Decision; return d.Rejected, nil },
	} {
		err := func() (err error) {
			defer recovered(&err)
			_, err = bot(context.Background(), &Decision{})
			return err
		}()
		lines := strings.Split(traced(err), "\n")
		if !strings.HasPrefix(lines[0], "panic: ") || !strings.Contains(lines[1], "TestTheStackOfAPanicBeginsInTheBot") ||
			!strings.Contains(lines[2], "panic_test.go:") {
			t.Errorf("after %s:\n%s", name, strings.Join(lines[:min(len(lines), 8)], "\n"))
		}
	}
}

func TestTheStackOfAPanicHasNothingOfTheClient(t *testing.T) {
	server := serve(t)
	client := server.play(t, Func(func(context.Context, *Decision) (string, error) { panic("out of ideas") }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "hit"))
	stream.hear()
	if !client.heard("panic: out of ideas\n") || !client.heard("panic_test.go:") || client.heard("(*Client)") {
		t.Error("the trace has frames of the client, or none of the bot")
	}
}

package arena

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

// thinker thinks about each question until a move is sent to `move`.
type thinker struct {
	asked chan *Decision
	gone  chan int // the number of a question whose context was cancelled
	move  chan string
}

func newThinker() *thinker {
	return &thinker{make(chan *Decision, 10), make(chan int, 10), make(chan string)}
}

func (b *thinker) Decide(ctx context.Context, d *Decision) (string, error) {
	if d.Legal[0] != "think" {
		return d.Legal[0], nil
	}
	b.asked <- d
	select {
	case move := <-b.move:
		return move, nil
	case <-ctx.Done():
		b.gone <- d.Number
		return "", ctx.Err()
	}
}

func TestWhatIsReadyDoesNotWaitForALongThought(t *testing.T) {
	server, bot := serve(t), newThinker()
	server.play(t, Each(func() Bot { return bot }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), started("m/2"), asked("m/1", 1, "think"), asked("m/2", 1, "quick"))
	stream.hearAct("m/2", 1, "quick")
	bot.move <- "slow"
	stream.hearAct("m/1", 1, "slow")
}

func TestALostAnswerIsRepeatedWithTheQuestionAndNotOtherwise(t *testing.T) {
	server := serve(t)
	var times atomic.Int32
	client := server.play(t, Func(func(_ context.Context, d *Decision) (string, error) {
		return fmt.Sprint("answer ", times.Add(1)), nil
	}), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), started("m/2"), asked("m/1", 5, "x"))
	stream.hearAct("m/1", 5, "answer 1")
	stream.say(asked("m/2", 6, "x"))
	stream.hearAct("m/2", 6, "answer 2")
	stream.lose()

	stream, hello := server.opened(t)
	if hello.GetResume() != "session" {
		t.Errorf("resume is %q", hello.GetResume())
	}
	stream.say(&arenav1.RefereeBody{Body: &arenav1.RefereeBody_Welcome{Welcome: &arenav1.Welcome{
		ProtocolVersion: 1, Session: "second", Resumed: []string{"m/1", "m/2"}}}})
	stream.say(started("m/1"), started("m/2"), asked("m/1", 5, "x"))
	stream.hearAct("m/1", 5, "answer 1") // the answer in m/2 had arrived: it is not said again
	stream.say(asked("m/2", 7, "x"))
	stream.hearAct("m/2", 7, "answer 3")
	if !client.heard("lost the connection to " + server.where + "; trying again in 0.1 s") {
		t.Errorf("said: %q", client.said)
	}
}

func TestAThoughtLastsThroughAReconnect(t *testing.T) {
	server, bot := serve(t), newThinker()
	server.play(t, Each(func() Bot { return bot }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "think"))
	<-bot.asked
	stream.lose()
	stream = server.greeted(t, "m/1")
	stream.say(started("m/1"), asked("m/1", 1, "think"), started("m/2"), asked("m/2", 1, "now"))
	stream.hearAct("m/2", 1, "now") // so the repeated question has been read
	bot.move <- "done"
	stream.hearAct("m/1", 1, "done")
	if len(bot.asked) != 0 {
		t.Error("the question was put to the bot twice")
	}
}

func TestAnotherQuestionReplacesTheOneBefore(t *testing.T) {
	server, bot := serve(t), newThinker()
	server.play(t, Each(func() Bot { return bot }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "think"))
	<-bot.asked
	stream.say(asked("m/1", 2, "new"))
	stream.hearAct("m/1", 2, "new")
	if number := <-bot.gone; number != 1 {
		t.Errorf("cancelled: %d", number)
	}
}

func TestTheEndOfAMatchCancelsTheThought(t *testing.T) {
	server, bot := serve(t), newThinker()
	client := server.play(t, Each(func() Bot { return bot }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "think"))
	<-bot.asked
	stream.say(over("m/1"), started("m/2"), asked("m/2", 1, "on"))
	stream.hearAct("m/2", 1, "on")
	<-bot.gone
	if client.Errors() != 0 {
		t.Error("a cancelled thought is no error of the bot")
	}
}

func TestAnErrorOrAPanicResignsItsMatchOnly(t *testing.T) {
	server := serve(t)
	client := server.play(t, Func(func(_ context.Context, d *Decision) (string, error) {
		switch d.Legal[0] {
		case "fail":
			return "", errors.New("told to fail")
		case "panic":
			panic("told to panic")
		}
		return d.Legal[0], nil
	}), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), started("m/2"), started("m/3"))
	for match, legal := range map[string]string{"m/1": "fail", "m/2": "panic"} {
		stream.say(asked(match, 4, legal))
		resign := stream.hear()[0].GetResign()
		if resign.GetMatchId() != match || !strings.Contains(resign.GetReason(), "told to "+legal) {
			t.Errorf("%s: %v", match, resign)
		}
		if !client.heard("decision 4 of flip7 match " + match + " went wrong in decide; resigning this match.") {
			t.Errorf("said: %q", client.said)
		}
	}
	if !client.heard("client_test.go:") {
		t.Error("a panic is shown with its stack")
	}
	stream.say(asked("m/3", 1, "hit"))
	stream.hearAct("m/3", 1, "hit")
	if client.Errors() != 2 {
		t.Errorf("%d errors", client.Errors())
	}
}

type unstartable struct{ thinker }

func (unstartable) Start(*Match) error { return errors.New("no book of openings") }

func TestABotThatCannotStartResigns(t *testing.T) {
	server := serve(t)
	client := server.play(t, Each(func() Bot { return &unstartable{} }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"))
	if resign := stream.hear()[0].GetResign(); !strings.Contains(resign.GetReason(), "no book of openings") {
		t.Errorf("%v", resign)
	}
	stream.lose()
	stream = server.greeted(t, "m/1")
	stream.say(started("m/1"), asked("m/1", 1, "hit"))
	if resign := stream.hear()[0].GetResign(); resign.GetMatchId() != "m/1" {
		t.Errorf("%v", resign)
	}
	if client.Errors() != 1 {
		t.Errorf("%d errors", client.Errors())
	}
}

func TestStrictStopsAtTheFirstErrorAndStillResigns(t *testing.T) {
	server := serve(t)
	client := server.play(t, Func(func(context.Context, *Decision) (string, error) {
		return "", errors.New("told to fail")
	}), Settings{Strict: true})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "x"))
	if stream.hear()[0].GetResign() == nil {
		t.Error("no resignation")
	}
	var told *Error
	if err := client.ended(t); !errors.As(err, &told) || told.Exit != 1 ||
		told.Text != "stopped at the first error in decide, as --strict asks: told to fail" {
		t.Errorf("%v", err)
	}
}

func TestConcurrencyByKindOfBot(t *testing.T) {
	for entrant, want := range map[*Entrant]uint32{
		ptr(Func(first)): 16, ptr(Each(func() Bot { return &careless{} })): 16, ptr(Shared(&careless{})): 1,
	} {
		server := serve(t)
		server.play(t, *entrant, Settings{})
		if _, hello := server.opened(t); hello.GetConcurrency() != want {
			t.Errorf("concurrency is %d, not %d", hello.GetConcurrency(), want)
		}
	}
}

func ptr[T any](value T) *T { return &value }

func TestPracticeEndsWithLeave(t *testing.T) {
	server := serve(t)
	client := server.play(t, Func(first), Settings{Practice: &Practice{Game: "flip7", Against: []string{"odds"}}})
	stream := server.greeted(t)
	if wish := stream.hear()[0].GetPractice(); wish.GetGame() != "flip7" || wish.GetMatches() != 1 {
		t.Errorf("%v", wish)
	}
	stream.say(started("p/1"), over("p/1"))
	if stream.hear()[0].GetLeave() == nil {
		t.Error("no Leave")
	}
	stream.end <- nil
	if err := client.ended(t); err != nil {
		t.Error(err)
	}
	if !client.heard("1 matches: mean rank 1.00, 1 first, 0 resigned by errors") {
		t.Errorf("said: %q", client.said)
	}
}

func TestARefusalIsFinal(t *testing.T) {
	server := serve(t)
	client := server.play(t, Func(first), Settings{})
	stream, _ := server.opened(t)
	stream.end <- status.Error(codes.AlreadyExists, "mybot is connected already")
	var told *Error
	if err := client.ended(t); !errors.As(err, &told) || told.Exit != 2 ||
		told.Text != server.where+" refused: mybot is connected already" {
		t.Errorf("%v", err)
	}
}

func TestACancelledContextEndsPlayAtOnce(t *testing.T) {
	server, bot := serve(t), newThinker()
	client := server.play(t, Each(func() Bot { return bot }), Settings{})
	stream := server.greeted(t)
	stream.say(started("m/1"), asked("m/1", 1, "think"))
	<-bot.asked
	client.stop()
	if err := client.ended(t); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-bot.gone
}

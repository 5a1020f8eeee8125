// In which order a bot is asked, how often at once, and how its answers travel together.

package arena

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

func TestAllQuestionsOfAMessageAreAnsweredInOneMessage(t *testing.T) {
	server := serve(t)
	server.play(t, Func(first), Settings{})
	stream := server.greeted(t)
	var starts, questions []*arenav1.RefereeBody
	for n := range 12 {
		starts = append(starts, started(fmt.Sprint("m/", n)))
		questions = append(questions, asked(fmt.Sprint("m/", n), 1, "hit"))
	}
	stream.say(starts...)
	most := 0
	for round := range uint32(20) { // a busy machine may hold one thread up for longer than the 20 ms, but not always
		for _, question := range questions {
			question.GetDecide().Decision = round + 1
		}
		stream.say(questions...)
		for heard := 0; heard < len(questions); {
			bodies := stream.hear()
			heard, most = heard+len(bodies), max(most, len(bodies))
		}
	}
	if most != len(questions) {
		t.Errorf("the largest message held %d of %d answers", most, len(questions))
	}
}

// ordered notes in which matches it was asked.
type ordered struct {
	lock    sync.Mutex
	matches []string
}

func (b *ordered) Decide(_ context.Context, d *Decision) (string, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.matches = append(b.matches, d.Match.ID)
	return "hit", nil
}

// asksInOrder asks in forty matches at once, and tells whether the bot was asked in the same order.
func asksInOrder(stream *scriptedStream, bot *ordered, decision uint32) bool {
	var bodies []*arenav1.RefereeBody
	var want []string
	for n := range 40 {
		bodies = append(bodies, started(fmt.Sprint("m/", n)), asked(fmt.Sprint("m/", n), decision, "hit"))
		want = append(want, fmt.Sprint("m/", n))
	}
	stream.say(bodies...)
	for heard := 0; heard < len(want); {
		heard += len(stream.hear())
	}
	bot.lock.Lock()
	defer bot.lock.Unlock()
	got := bot.matches
	bot.matches = nil
	return slices.Equal(got, want)
}

func TestASharedObjectIsAskedInTheOrderOfTheQuestions(t *testing.T) {
	server, bot := serve(t), &ordered{}
	server.play(t, Shared(bot), Settings{})
	stream := server.greeted(t)
	for decision := range uint32(20) {
		if !asksInOrder(stream, bot, decision) {
			t.Fatal("asked in another order")
		}
	}
}

// Matches have goroutines of their own: the next is called when the one before is about to enter Decide. On one
// processor that is the order of the calls, but for a thread that is interrupted at that very moment.
func TestSeveralMatchesAreAskedInTheOrderOfTheQuestions(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	server, bot := serve(t), &ordered{}
	server.play(t, Func(bot.Decide), Settings{})
	stream := server.greeted(t)
	inOrder := 0
	for decision := range uint32(20) {
		if asksInOrder(stream, bot, decision) {
			inOrder++
		}
	}
	if inOrder < 10 {
		t.Errorf("%d of 20 times in order", inOrder)
	}
}

// careless counts how many calls are inside at once, without any lock.
type careless struct{ inside, most atomic.Int32 }

func (b *careless) Decide(context.Context, *Decision) (string, error) {
	b.most.Store(max(b.most.Load(), b.inside.Add(1)))
	defer b.inside.Add(-1)
	return "hit", nil
}

func TestASharedObjectIsCalledOnceAtATime(t *testing.T) {
	server, bot := serve(t), &careless{}
	server.play(t, Shared(bot), Settings{Concurrency: 8})
	stream := server.greeted(t)
	var bodies []*arenav1.RefereeBody
	for n := range 50 {
		bodies = append(bodies, started(fmt.Sprint("m/", n)), asked(fmt.Sprint("m/", n), 1, "hit"))
	}
	stream.say(bodies...)
	for heard := 0; heard < 50; {
		heard += len(stream.hear())
	}
	if bot.most.Load() != 1 {
		t.Errorf("%d calls at once", bot.most.Load())
	}
}

// slowFirst thinks only in the first match.
type slowFirst struct{}

func (slowFirst) Decide(_ context.Context, d *Decision) (string, error) {
	if d.Match.ID == "m/1" {
		time.Sleep(150 * time.Millisecond)
	}
	return "hit", nil
}

func TestAnAnswerThatHadToWaitForAnotherIsLateToo(t *testing.T) {
	server := serve(t)
	playing := server.play(t, Shared(slowFirst{}), Settings{Concurrency: 2})
	stream := server.greeted(t)
	waits := asked("m/2", 4, "hit")
	waits.GetDecide().BudgetMs = 50
	stream.say(started("m/1"), started("m/2"), asked("m/1", 1, "hit"), waits)
	for heard := 0; heard < 2; {
		heard += len(stream.hear())
	}
	if !playing.heard("decision 4 of match m/2 took ") || !playing.heard("its budget was 0.1 s") {
		t.Errorf("not told: %v", playing.said)
	}
}

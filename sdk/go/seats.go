// Questions and answers: the bot in one match, and the question before it.

package arena

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

// seat is the bot in one match. The client's lock guards it.
type seat struct {
	match    *Match
	bot      Bot
	desk     *desk
	question *question // the latest
	// resigned is set if the bot could not start the match: it is never asked. It was said on the stream `said`, last.
	resigned *arenav1.BotBody
	said     *stream
}

// question is what the bot is asked in one match.
type question struct {
	decision *Decision
	// came is when it was put: the referee's clock runs from there, whatever the bot does first.
	came time.Time
	// reply is an Act or a Resign; nil while the bot thinks.
	reply *arenav1.BotBody
	// stream and frame with which the question came last. An answer that is ready only after that stream has ended is
	// kept until the question is repeated.
	stream *stream
	frame  *frame
	cancel context.CancelFunc
}

// forget the question: its answer is not wanted any more.
func (s *seat) forget() {
	if s.question != nil {
		s.question.cancel()
		s.question = nil
	}
}

// asked is called with every question of the server, in their order.
func (c *Client) asked(asked *arenav1.Decide, stream *stream, frame *frame) {
	c.lock.Lock()
	seat := c.seats[asked.GetMatchId()]
	if seat == nil {
		c.lock.Unlock()
		return
	}
	if latest := seat.question; latest != nil && latest.decision.Number == int(asked.GetDecision()) {
		// Asked again: the answer was lost on the way, or is still being thought about.
		if latest.reply != nil {
			stream.put(latest.reply)
		} else if latest.stream != stream {
			frame.left++
			latest.stream, latest.frame = stream, frame
		}
		c.lock.Unlock()
		return
	}
	begun := c.ask(seat, newDecision(seat.match, asked), stream, frame)
	c.lock.Unlock()
	<-begun // the next question is put to the bot after this one
}

// ask puts a question to the bot, in place of the one before. The lock is held.
func (c *Client) ask(seat *seat, decision *Decision, stream *stream, frame *frame) (begun <-chan struct{}) {
	seat.forget()
	ctx, cancel := context.WithCancel(context.Background())
	question := &question{decision: decision, came: time.Now(), stream: stream, frame: frame, cancel: cancel}
	seat.question = question
	frame.left++
	return c.hand(seat.desk, func(begin func()) {
		c.think(ctx, seat, question, begin)
		cancel()
	})
}

// think is the bot's work on one question.
func (c *Client) think(ctx context.Context, seat *seat, question *question, begin func()) {
	decision := question.decision
	var move string
	var trace error
	began := time.Now()
	if c.unstarted(seat) == nil && ctx.Err() == nil {
		begin()
		move, trace = decide(ctx, seat.bot, decision)
	}
	took := time.Since(began)

	c.lock.Lock()
	defer c.lock.Unlock()
	defer func() { c.answered(question.stream, question.frame) }()
	if seat.question != question { // it was replaced, or the match has ended
		return
	}
	switch {
	case seat.resigned != nil:
		question.reply = seat.resigned
	case trace != nil:
		question.reply = c.resign(decision, trace)
	default:
		if spent := time.Since(question.came); decision.Budget > 0 && spent > decision.Budget {
			c.warn(fmt.Sprintf("decision %d of match %s took %.1f s, its budget was %.1f s; the rest came from the bank",
				decision.Number, decision.Match.ID, spent.Seconds(), decision.Budget.Seconds()))
		}
		if err := c.record.decided(decision, move, took); err != nil {
			c.fail(err)
		}
		question.reply = &arenav1.BotBody{Body: &arenav1.BotBody_Act{Act: &arenav1.Act{
			MatchId: decision.Match.ID, Decision: uint32(decision.Number), MoveText: move,
		}}}
	}
	if seat.resigned != nil && seat.said == question.stream {
		return // it was said when the bot could not start
	}
	if question.stream == c.stream { // else the question is repeated, if the answer is still wanted
		question.stream.put(question.reply)
	}
}

// decide asks the bot; whatever goes wrong there comes back as an error with its trace.
func decide(ctx context.Context, bot Bot, decision *Decision) (move string, trace error) {
	defer recovered(&trace)
	move, err := bot.Decide(ctx, decision)
	if err == nil && !utf8.ValidString(move) {
		err = fmt.Errorf("Decide returned %q, which is no text in UTF-8", move)
	}
	return move, err
}

// recovered turns a panic of the bot into an error.
func recovered(trace *error) {
	if reason := recover(); reason != nil {
		*trace = &panicked{fmt.Sprintf("panic: %v", reason), fromThePanic(string(debug.Stack()))}
	}
}

// fromThePanic is the bot's part of a stack: without what runs above the frame that panicked (the recovery, the
// runtime), and without the client below, which called the bot.
func fromThePanic(stack string) string {
	_, below, _ := strings.Cut(stack, "\npanic(")
	for begun := false; !begun || strings.HasPrefix(below, "runtime."); begun = true { // a frame is two lines
		_, below, _ = strings.Cut(below, "\n")
		_, below, _ = strings.Cut(below, "\n")
	}
	ofTheBot, _, _ := strings.Cut(below, "\ngithub.com/referee-arena/referee/sdk/go.(*Client).")
	return ofTheBot
}

type panicked struct {
	text  string
	stack string
}

func (p *panicked) Error() string { return p.text }

// resign is the answer to a question in which the bot went wrong. The lock is held.
func (c *Client) resign(decision *Decision, trace error) *arenav1.BotBody {
	c.warn(fmt.Sprintf("%s\n%v went wrong in decide; resigning this match.", traced(trace), decision))
	if c.settings.Strict {
		c.fail(&Error{Text: "stopped at the first error in decide, as --strict asks: " + oneLine(trace), Exit: exitResigned})
	}
	return c.resignation(decision.Match.ID, "error in decide: "+oneLine(trace))
}

func (c *Client) resignation(match, reason string) *arenav1.BotBody {
	c.errors++
	letters := []rune(reason)
	reason = string(letters[:min(len(letters), 200)])
	return &arenav1.BotBody{Body: &arenav1.BotBody_Resign{Resign: &arenav1.Resign{MatchId: match, Reason: reason}}}
}

// traced is an error with its stack, where it has one.
func traced(trace error) string {
	var panicked *panicked
	if errors.As(trace, &panicked) {
		return fmt.Sprintf("%s\n%s", panicked.text, panicked.stack)
	}
	return fmt.Sprintf("%+v", trace)
}

func oneLine(trace error) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(trace.Error()), " "), "�")
}

// unstarted is the resignation of a match that the bot could not start.
func (c *Client) unstarted(seat *seat) *arenav1.BotBody {
	c.lock.Lock()
	defer c.lock.Unlock()
	return seat.resigned
}

// desk calls the methods of one object: one after the other, in the order in which the calls were handed in.
type desk struct {
	lock    sync.Mutex
	waiting []func(begin func())
	busy    bool
}

var already = func() chan struct{} { done := make(chan struct{}); close(done); return done }()

// hand in a call. `begun` is closed when it has begun, or at once if the desk is busy with another.
func (c *Client) hand(desk *desk, call func(begin func())) (begun <-chan struct{}) {
	c.calls.Add(1)
	desk.lock.Lock()
	defer desk.lock.Unlock()
	desk.waiting = append(desk.waiting, call)
	if desk.busy {
		return already
	}
	desk.busy = true
	first := make(chan struct{})
	go func() {
		begin := sync.OnceFunc(func() { close(first) })
		for call := desk.next(); call != nil; call = desk.next() {
			call(begin)
			begin()
			c.calls.Done()
		}
	}()
	return first
}

// next is the call that waits longest; nil, and the desk is free, if there is none.
func (d *desk) next() (call func(begin func())) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if len(d.waiting) == 0 {
		d.busy = false
		return nil
	}
	call, d.waiting = d.waiting[0], d.waiting[1:]
	return call
}

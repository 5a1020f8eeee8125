// Everything the referee says besides questions: welcome, starts and ends of matches, rejections, notices.

package arena

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

// read handles the bodies of a message in order. What this SDK does not know, it skips.
func (c *Client) read(message *arenav1.PlayResponse, stream *stream, where string) (err error) {
	frame := &frame{left: 1}
	for _, body := range message.GetBodies() {
		switch body := body.GetBody().(type) {
		case *arenav1.RefereeBody_Decide:
			c.asked(body.Decide, stream, frame)
		case *arenav1.RefereeBody_Welcome:
			err = c.welcomed(body.Welcome, stream, where)
		case *arenav1.RefereeBody_MatchStart:
			err = c.started(body.MatchStart, stream)
		case *arenav1.RefereeBody_Rejected:
			err = c.rejected(body.Rejected, stream, frame)
		case *arenav1.RefereeBody_MatchEnd:
			err = c.ended(body.MatchEnd)
		case *arenav1.RefereeBody_Notice:
			err = c.noticed(body.Notice)
		case *arenav1.RefereeBody_Nonces:
			err = c.drawing(body.Nonces, stream)
		case *arenav1.RefereeBody_Drain:
			c.tell(body.Drain.GetText())
		}
		if err != nil {
			return err
		}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.answered(stream, frame)
	return nil
}

func (c *Client) welcomed(welcome *arenav1.Welcome, stream *stream, where string) error {
	if version := welcome.GetProtocolVersion(); version != protocolVersion {
		return refused(fmt.Sprintf("%s speaks protocol %d, this SDK %d: update the older of the two",
			welcome.GetServer(), version, protocolVersion))
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	fresh := c.welcomes == 0
	c.welcomes++
	stream.welcome = true
	c.session = welcome.GetSession()
	if len(welcome.GetAddresses()) > 0 {
		c.addresses = c.addresses[:1]
		for _, address := range welcome.GetAddresses() {
			if address != c.settings.Server {
				c.addresses = append(c.addresses, address)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.seats)) {
		if seat := c.seats[id]; !slices.Contains(welcome.GetResumed(), id) {
			c.warn("match " + id + " is no longer this bot's: it went on without it, or is played again later")
			seat.forget()
			delete(c.seats, id)
			if seat.match.Tournament == "" {
				c.practised++
			}
		}
	}
	c.tell(fmt.Sprintf("connected to %s at %s as %s", welcome.GetServer(), where, welcome.GetName()))
	switch {
	case c.leaving:
		c.sayLeave()
	case c.settings.Practice != nil:
		c.practise(welcome, stream, fresh)
	case fresh:
		c.tell("waiting for matches (Ctrl-C to leave)")
	}
	return nil
}

// practise asks for the matches that are missing, unless the server still knows that they are to come.
func (c *Client) practise(welcome *arenav1.Welcome, stream *stream, fresh bool) {
	if welcome.GetPracticeLeft() > 0 && !fresh {
		return
	}
	running := 0
	for _, id := range welcome.GetResumed() {
		if seat := c.seats[id]; seat == nil || seat.match.Tournament == "" {
			running++
		}
	}
	practice := c.settings.Practice
	if missing := practice.Matches - c.practised - running; missing > 0 {
		stream.put(&arenav1.BotBody{Body: &arenav1.BotBody_Practice{Practice: &arenav1.Practice{
			Game: practice.Game, Against: practice.Against, Matches: uint32(missing), OptionsJson: practice.Options,
		}}})
	} else if running == 0 {
		c.leave()
	}
}

// leave takes no new matches. The lock is held.
func (c *Client) leave() {
	if !c.leaving {
		c.leaving = true
		c.sayLeave()
	}
}

func (c *Client) sayLeave() {
	if c.stream != nil && c.stream.welcome {
		c.stream.put(&arenav1.BotBody{Body: &arenav1.BotBody_Leave{Leave: &arenav1.Leave{}}})
		c.stream.flush()
	}
}

func (c *Client) started(start *arenav1.MatchStart, stream *stream) error {
	if err := c.record.note("start", start); err != nil {
		return err
	}
	c.lock.Lock()
	if c.seats[start.GetMatchId()] != nil { // repeated after a reconnect
		c.lock.Unlock()
		return nil
	}
	match, err := newMatch(start)
	seat := &seat{match: match, desk: c.desk}
	if seat.desk == nil {
		seat.desk = &desk{}
	}
	c.seats[match.ID] = seat
	begun := c.hand(seat.desk, func(func()) {
		if err == nil {
			err = c.sitDown(seat)
		}
		if err != nil {
			c.cannotStart(seat, stream, err)
		}
	})
	c.lock.Unlock()
	select {
	case <-begun: // and done: questions are put to the bot in their order, also the first of several matches
	case <-time.After(flushAfter):
	}
	return nil
}

// sitDown makes the bot of a match and lets it hear of the start.
func (c *Client) sitDown(seat *seat) (trace error) {
	defer recovered(&trace)
	seat.bot = c.entrant.bot()
	if starter, hears := seat.bot.(Starter); hears {
		return starter.Start(seat.match)
	}
	return nil
}

func (c *Client) cannotStart(seat *seat, stream *stream, trace error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.warn(fmt.Sprintf("%s\nthe bot could not start match %s; resigning it.", traced(trace), seat.match.ID))
	seat.resigned = c.resignation(seat.match.ID, "error in start: "+oneLine(trace))
	if c.settings.Strict {
		c.fail(&Error{Text: "stopped at the first error in start, as --strict asks: " + oneLine(trace), Exit: exitResigned})
	}
	if stream == c.stream && seat.question == nil { // a question that waits is answered with the resignation
		seat.said = stream
		stream.put(seat.resigned)
		stream.flush()
	}
}

func (c *Client) rejected(rejected *arenav1.Rejected, stream *stream, frame *frame) error {
	if err := c.record.note("rejected", rejected); err != nil {
		return err
	}
	c.lock.Lock()
	seat := c.seats[rejected.GetMatchId()]
	var decision *Decision
	if seat != nil && seat.question != nil && seat.question.decision.Number == int(rejected.GetDecision()) {
		decision = seat.question.decision
	}
	c.warn(refusal(rejected, decision))
	if seat != nil && rejected.GetQuestion() != nil {
		decision = newDecision(seat.match, rejected.GetQuestion())
	}
	if !rejected.GetOpen() || seat == nil || decision == nil {
		c.lock.Unlock()
		return nil
	}
	again := *decision
	again.Rejected = rejected.GetMessage()
	begun := c.ask(seat, &again, stream, frame)
	c.lock.Unlock()
	<-begun
	return nil
}

// refusal is the sentence about a rejected move. `decision` is nil if the question is not known any more.
func refusal(rejected *arenav1.Rejected, decision *Decision) string {
	text := fmt.Sprintf("match %s, decision %d: %s was refused: %s.",
		rejected.GetMatchId(), rejected.GetDecision(), quote(rejected.GetMoveText()), rejected.GetMessage())
	if decision != nil && len(decision.Legal) > 0 {
		were, shown := "were", decision.Legal
		if !decision.Complete {
			were = "would have been, among others"
		}
		if len(shown) > 12 {
			shown = append(slices.Clone(shown[:12]), "…")
		}
		text += fmt.Sprintf(" Legal %s: %s.", were, strings.Join(shown, " | "))
	}
	if rejected.StrikesLeft != nil {
		text += fmt.Sprintf(" Strikes left: %d.", rejected.GetStrikesLeft())
	}
	return text
}

func (c *Client) ended(end *arenav1.MatchEnd) error {
	if err := c.record.note("end", end); err != nil {
		return err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	seat := c.seats[end.GetMatchId()]
	if seat != nil {
		delete(c.seats, end.GetMatchId())
		seat.forget()
		result := newResult(seat.match, end)
		c.tally.add(at(result.Ranks, seat.match.Seat))
		c.hand(seat.desk, func(func()) { c.tellEnd(seat, result) })
	}
	practice := c.settings.Practice
	if practice != nil && (seat == nil || seat.match.Tournament == "") {
		if c.practised++; c.practised >= practice.Matches {
			c.leave()
		}
	}
	return nil
}

func (c *Client) tellEnd(seat *seat, result *Result) {
	c.tell(result.sentence())
	ender, hears := seat.bot.(Ender)
	if !hears || c.unstarted(seat) != nil {
		return
	}
	var trace error
	func() {
		defer recovered(&trace)
		ender.End(result)
	}()
	if trace != nil {
		c.warn(fmt.Sprintf("%s\nthe bot's end() failed after match %s", traced(trace), seat.match.ID))
	}
}

func (c *Client) drawing(call *arenav1.Nonces, stream *stream) error {
	if err := c.record.note("nonces", call); err != nil {
		return err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if answer := c.nonces.answer(call); answer != nil {
		stream.put(&arenav1.BotBody{Body: &arenav1.BotBody_Nonce{Nonce: answer}})
		stream.flush()
	} else if c.nonces.broken(call) {
		c.warn("tournament " + call.GetTournament() + " is played with other nonces than were agreed on: ask the host why")
	}
	return nil
}

func (c *Client) noticed(notice *arenav1.Notice) error {
	if err := c.record.note("notice", notice); err != nil {
		return err
	}
	if notice.GetCode() != arenav1.NoticeCode_NOTICE_CODE_REFUSED {
		c.tell(notice.GetText())
		return nil
	}
	text := notice.GetText()
	if practice := c.settings.Practice; practice != nil && len(practice.Against) == 0 {
		text += " (name the others with --against BOT,BOT)"
	}
	return refused(text)
}

// A bot's side of the stream: connects, comes back after a lost connection, leaves.

package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	protocolVersion = 1
	firstPause      = 100 * time.Millisecond
	longestPause    = 5 * time.Second
	// A bot that thinks long has its finished answers sent on the way.
	flushAfter = 20 * time.Millisecond
	// A bot that does not heed its context is not waited for when the program ends.
	patienceAtTheEnd = 2 * time.Second
)

// Client is one bot on one server, for programs with a loop of their own; Run is all that others need.
type Client struct {
	entrant  Entrant
	settings *Settings
	record   *recording

	lock    sync.Mutex // over all that follows, and over what seats, questions and streams hold
	seats   map[string]*seat
	desk    *desk // where one object plays all matches, it has one desk
	stream  *stream
	session string
	// welcomes counts the streams that have worked.
	welcomes int
	// addresses hold the one that was given, then those that the server has told; turn is the one being tried.
	addresses []string
	turn      int
	// practised counts practice matches that have ended, or were lost with a connection.
	practised int
	leaving   bool
	errors    int
	tally     tally
	nonces    nonces
	failed    error
	calls     sync.WaitGroup // of the bot's methods
}

// NewClient checks the settings and opens the file of the recording. The error is an *Error.
func NewClient(entrant Entrant, settings Settings) (*Client, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	record, err := newRecording(settings.Record)
	if err != nil {
		return nil, err
	}
	chosen := settings.withDefaults(entrant.shared)
	client := &Client{
		entrant: entrant, settings: chosen, record: record,
		seats: map[string]*seat{}, addresses: []string{chosen.Server}, nonces: nonces{},
	}
	if entrant.shared {
		client.desk = &desk{}
	}
	return client, nil
}

// Play plays until told to leave, or until the practice that was asked for is over, and reconnects by itself. Call it
// once. The error is an *Error, or the cause for which the context was cancelled.
func (c *Client) Play(ctx context.Context) error {
	defer c.record.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := c.playOn(ctx)
	c.settle()
	c.lock.Lock()
	leaving, sum := c.leaving, c.tally
	c.lock.Unlock()
	if sum.matches > 0 && (leaving || c.settings.Practice != nil) {
		c.tell(sum.sentence(c.Errors()))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Leave takes no new matches; Play returns when the running ones have ended.
func (c *Client) Leave() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.leave()
}

// Playing is how many matches are running.
func (c *Client) Playing() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return len(c.seats)
}

// Errors is how many matches were resigned because of an error in the bot.
func (c *Client) Errors() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.errors
}

// playOn opens one stream after the other.
func (c *Client) playOn(ctx context.Context) error {
	patience, pause, lostAt := c.settings.FirstPatience, firstPause, time.Now()
	for {
		if failed := c.failure(); failed != nil {
			return failed
		}
		worked := c.welcomes
		where := c.addresses[c.turn%len(c.addresses)]
		err := c.playStream(ctx, where)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.lock.Lock()
		done := c.leaving && (err == nil || len(c.seats) == 0)
		c.lock.Unlock()
		var reason *Error
		switch {
		case err == nil:
			reason = gone(where + " ended the stream")
		case !errors.As(err, &reason):
			return err
		case !reason.Again && (reason.Exit != exitRefused || where == c.settings.Server || c.welcomes != worked):
			return err // a further address may be wrong, while the one that was given will be there again
		}
		if done {
			return nil
		}
		if c.welcomes != worked { // patience starts anew, with the address that was given
			patience, pause, lostAt, c.turn = c.settings.Patience, firstPause, time.Now(), 0
		} else { // it does not answer: another address may
			c.turn++
		}
		left := patience - time.Since(lostAt)
		if left < firstPause {
			return &Error{fmt.Sprintf("%s; gave up after %g seconds", reason.Text, patience.Seconds()), reason.Exit, false}
		}
		pause = min(pause, left)
		c.warn(fmt.Sprintf("%s; trying again in %.1f s", reason.Text, pause.Seconds()))
		select {
		case <-time.After(time.Duration(float64(pause) * (0.7 + 0.3*rand.Float64()))): // not all bots at once
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

// settle lets the bot hear of the ends that have been told, and cancels what it still thinks about.
func (c *Client) settle() {
	c.lock.Lock()
	for _, seat := range c.seats {
		seat.forget()
	}
	c.lock.Unlock()
	settled := make(chan struct{})
	go func() {
		c.calls.Wait()
		close(settled)
	}()
	select {
	case <-settled:
	case <-time.After(patienceAtTheEnd):
	}
}

// tell the author, unless he wants it quiet; warn in any case.
func (c *Client) tell(text string) {
	if !c.settings.Quiet {
		c.settings.Say(text)
	}
}

func (c *Client) warn(text string) { c.settings.Say(text) }

// tally is how the matches of a bot went, in sum.
type tally struct{ matches, ranks, first int }

func (t *tally) add(rank int) {
	t.matches++
	t.ranks += rank
	if rank == 1 {
		t.first++
	}
}

func (t *tally) sentence(errors int) string {
	mean := float64(t.ranks) / float64(t.matches)
	return fmt.Sprintf("%d matches: mean rank %.2f, %d first, %d resigned by errors", t.matches, mean, t.first, errors)
}

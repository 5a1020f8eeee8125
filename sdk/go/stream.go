// One stream to the server: what is ready is sent in as few messages as possible, for cost is per message.

package arena

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

const largestMessage = 64 << 20

// stream holds what is to be sent. The client's lock guards it.
type stream struct {
	out   []*arenav1.BotBody
	timer *time.Timer   // runs while something is held back
	wake  chan struct{} // tells the sender that `out` is to go
	// welcome: Leave and Practice are said after the Welcome.
	welcome bool
}

// frame is one message of the server. Its answers travel together.
type frame struct {
	// left counts the questions of the frame that the bot thinks about, and one more while the frame is read.
	left int
}

// playStream opens a stream and plays on it to its end: nil if the server ended it with OK.
func (c *Client) playStream(ctx context.Context, where string) error {
	explain := func(err error) error { return meaning(err, where, c.settings, c.welcomes == 0) }
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	connection, err := c.connect(where)
	if err != nil {
		return err
	}
	defer connection.Close()
	if c.settings.Token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.settings.Token)
	}
	call, err := arenav1.NewMatchServiceClient(connection).Play(ctx)
	if err != nil {
		return explain(err)
	}
	hello := &arenav1.BotBody{Body: &arenav1.BotBody_Hello{Hello: c.hello()}}
	// If a message cannot be sent, Recv tells why.
	if err := call.Send(&arenav1.PlayRequest{Bodies: []*arenav1.BotBody{hello}}); err != nil && !errors.Is(err, io.EOF) {
		return explain(err)
	}
	stream := &stream{wake: make(chan struct{}, 1)}
	c.lock.Lock()
	c.stream = stream
	c.lock.Unlock()
	defer func() {
		c.lock.Lock()
		c.stream = nil
		c.lock.Unlock()
	}()
	go c.send(ctx, cancel, stream, call)
	for {
		message, err := call.Recv()
		if failed := c.failure(); failed != nil {
			return failed
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return explain(err)
		}
		if err := c.read(message, stream, where); err != nil {
			return err
		}
	}
}

func (c *Client) connect(where string) (*grpc.ClientConn, error) {
	protection := insecure.NewCredentials()
	if c.settings.TLS {
		pool, err := c.settings.authorities()
		if err != nil {
			return nil, err
		}
		protection = credentials.NewTLS(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	}
	connection, err := grpc.NewClient(where,
		grpc.WithTransportCredentials(protection),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestMessage)),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
	)
	if err != nil {
		return nil, wrong("--server", quote(where)+" is not an address: write HOST:PORT or unix:PATH")
	}
	return connection, nil
}

func (c *Client) hello() *arenav1.Hello {
	return &arenav1.Hello{
		ProtocolVersion: protocolVersion,
		Name:            c.settings.Name,
		Games:           c.settings.Games,
		Concurrency:     uint32(c.settings.Concurrency),
		WithoutLegal:    c.settings.WithoutLegal,
		Client:          "arena-go " + Version,
		Resume:          c.session,
		GivesNonces:     true,
	}
}

// send is the stream's sender. What becomes ready while a message is on its way goes with the next one.
func (c *Client) send(ctx context.Context, cancel func(), stream *stream, call arenav1.MatchService_PlayClient) {
	for {
		select {
		case <-stream.wake:
		case <-ctx.Done():
			return
		}
		c.lock.Lock()
		out, failed := stream.out, c.failed
		stream.out = nil
		c.lock.Unlock()
		if len(out) > 0 && call.Send(&arenav1.PlayRequest{Bodies: out}) != nil {
			return // the reader hears why
		}
		if failed != nil { // the last words are said: the server ends the stream when it has read them
			_ = call.CloseSend()
			time.AfterFunc(time.Second, cancel)
			return
		}
	}
}

// put a body into the next message. The lock is held.
func (s *stream) put(body *arenav1.BotBody) { s.out = append(s.out, body) }

// flush sends what is ready. The lock is held.
func (s *stream) flush() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	select {
	case s.wake <- struct{}{}:
	default: // it has been told already
	}
}

// answered: one question less that a frame waits for. What is ready is sent with the last of them, or after a while.
// The lock is held.
func (c *Client) answered(stream *stream, frame *frame) {
	frame.left--
	switch {
	case len(stream.out) == 0:
	case frame.left == 0:
		stream.flush()
	case stream.timer == nil:
		stream.timer = time.AfterFunc(flushAfter, func() {
			c.lock.Lock()
			defer c.lock.Unlock()
			stream.flush()
		})
	}
}

// fail ends the program after what is ready has been sent. The lock is held.
func (c *Client) fail(err error) {
	if c.failed == nil {
		c.failed = err
	}
	if c.stream != nil {
		c.stream.flush()
	}
}

func (c *Client) failure() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failed
}

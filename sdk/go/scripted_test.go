// A scripted server on a real socket: the tests say what it says, and look at what the client sends.

package arena

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

// hang is how long a test waits for what must come.
const hang = 120 * time.Second

type scripted struct {
	arenav1.UnimplementedMatchServiceServer
	where   string
	streams chan *scriptedStream
}

// scriptedStream is one stream as the server sees it. A status sent to `end` ends it.
type scriptedStream struct {
	t    *testing.T
	call arenav1.MatchService_PlayServer
	end  chan error
}

func (s *scripted) Play(call arenav1.MatchService_PlayServer) error {
	stream := &scriptedStream{call: call, end: make(chan error, 1)}
	s.streams <- stream
	select {
	case err := <-stream.end:
		return err
	case <-call.Context().Done():
		return nil
	}
}

func serve(t *testing.T) *scripted {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	script := &scripted{where: listener.Addr().String(), streams: make(chan *scriptedStream, 10)}
	arenav1.RegisterMatchServiceServer(server, script)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return script
}

// played is a client that plays in the background.
type played struct {
	*Client
	stop context.CancelFunc
	done chan error
	lock sync.Mutex
	said []string
}

func (s *scripted) play(t *testing.T, entrant Entrant, settings Settings) *played {
	t.Helper()
	playing := &played{done: make(chan error, 1)}
	settings.Server = s.where
	settings.Say = func(text string) {
		playing.lock.Lock()
		defer playing.lock.Unlock()
		playing.said = append(playing.said, text)
	}
	client, err := NewClient(entrant, settings)
	if err != nil {
		t.Fatal(err)
	}
	playing.Client = client
	ctx, cancel := context.WithCancel(context.Background())
	playing.stop = cancel
	t.Cleanup(cancel)
	go func() { playing.done <- client.Play(ctx) }()
	return playing
}

func (p *played) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(hang):
		t.Fatal("the client does not end")
		return nil
	}
}

func (p *played) heard(text string) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return strings.Contains(strings.Join(p.said, "\n"), text)
}

// opened is the next stream, after its Hello.
func (s *scripted) opened(t *testing.T) (*scriptedStream, *arenav1.Hello) {
	t.Helper()
	select {
	case stream := <-s.streams:
		stream.t = t
		bodies := stream.hear()
		if len(bodies) != 1 || bodies[0].GetHello() == nil {
			t.Fatalf("not a Hello: %v", bodies)
		}
		return stream, bodies[0].GetHello()
	case <-time.After(hang):
		t.Fatal("no stream is opened")
		return nil, nil
	}
}

// greeted is the next stream, after Hello and Welcome.
func (s *scripted) greeted(t *testing.T, resumed ...string) *scriptedStream {
	t.Helper()
	stream, _ := s.opened(t)
	stream.say(&arenav1.RefereeBody{Body: &arenav1.RefereeBody_Welcome{Welcome: &arenav1.Welcome{
		Name: "mybot", ProtocolVersion: 1, Server: "Referee 9", Session: "session", Resumed: resumed,
	}}})
	return stream
}

func (s *scriptedStream) say(bodies ...*arenav1.RefereeBody) {
	s.t.Helper()
	if err := s.call.Send(&arenav1.PlayResponse{Bodies: bodies}); err != nil {
		s.t.Fatal(err)
	}
}

// hear is the next message of the client.
func (s *scriptedStream) hear() []*arenav1.BotBody {
	s.t.Helper()
	message, err := s.call.Recv()
	if err != nil {
		s.t.Fatal(err)
	}
	return message.GetBodies()
}

// hearAct is the next message, which is one answer.
func (s *scriptedStream) hearAct(match string, decision uint32, move string) {
	s.t.Helper()
	bodies := s.hear()
	if act := bodies[0].GetAct(); len(bodies) != 1 || act.GetMatchId() != match || act.GetDecision() != decision ||
		act.GetMoveText() != move {
		s.t.Fatalf("not %s to decision %d of %s: %v", move, decision, match, bodies)
	}
}

func (s *scriptedStream) lose() { s.end <- status.Error(codes.Unavailable, "away") }

func started(match string) *arenav1.RefereeBody {
	return &arenav1.RefereeBody{Body: &arenav1.RefereeBody_MatchStart{MatchStart: &arenav1.MatchStart{
		MatchId: match, Game: "flip7", Names: []string{"mybot", "odds"}, ViewType: "json",
		TimeControl: &arenav1.TimeControl{LimitMs: 60_000},
	}}}
}

func asked(match string, decision uint32, legal ...string) *arenav1.RefereeBody {
	return &arenav1.RefereeBody{Body: &arenav1.RefereeBody_Decide{Decide: &arenav1.Decide{
		MatchId: match, Decision: decision, Legal: legal, Complete: true, View: []byte(`{"answer":"x"}`), BudgetMs: 60_000,
	}}}
}

func over(match string) *arenav1.RefereeBody {
	return &arenav1.RefereeBody{Body: &arenav1.RefereeBody_MatchEnd{MatchEnd: &arenav1.MatchEnd{
		MatchId: match, Result: &arenav1.MatchResult{Ranks: []uint32{1, 2}, Scores: []int32{10, 5},
			Terminations: []arenav1.Termination{1, 1}, Texts: []string{"", ""}, Reason: "finished"},
	}}}
}

func first(_ context.Context, d *Decision) (string, error) { return d.Legal[0], nil }

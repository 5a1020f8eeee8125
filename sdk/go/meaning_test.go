package arena

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/referee-arena/referee/sdk/go/arenav1"
)

func TestAStatusHasItsSentence(t *testing.T) {
	const host = "; the host makes one with 'referee bot add NAME'"
	for _, test := range []struct {
		code     codes.Code
		details  string
		settings Settings
		first    bool
		want     string
		exit     int
	}{
		{codes.Unauthenticated, "", Settings{Token: "x"}, true, "W did not accept the token: check REFEREE_TOKEN or --token" + host, 2},
		{codes.Unauthenticated, "", Settings{}, true, "W did not accept the token: give it with --token or REFEREE_TOKEN" + host, 2},
		{codes.Unimplemented, "unknown", Settings{}, true, "W is a gRPC server, but no Referee server of this version: unknown", 2},
		{codes.PermissionDenied, "no", Settings{}, true, "W refused: no", 2},
		{codes.ResourceExhausted, "full", Settings{}, false, "W refused: full", 2},
		{codes.Unavailable, "the server is stopping; come back in a while", Settings{}, false, "W: the server is stopping; come back in a while", 3},
		{codes.Unavailable, "error reading from server: EOF", Settings{}, false, "lost the connection to W", 3},
		{codes.Unavailable, `desc = "error reading server preface: EOF"`, Settings{}, true, "cannot reach a Referee server at W (EOF; if it speaks TLS, give --tls or --ca FILE)", 3},
		{codes.Unavailable, "", Settings{TLS: true}, true, "cannot reach a Referee server at W (no answer)", 3},
		{codes.Unavailable, "name resolver error: produced zero addresses", Settings{TLS: true}, true, "cannot reach a Referee server at W (there is no such host)", 3},
		{codes.DeadlineExceeded, "no Hello", Settings{}, true, "lost the connection to W (no Hello)", 3},
		{codes.Unavailable, "tls: failed to verify certificate: x509: certificate signed by unknown authority", Settings{TLS: true}, true, "the certificate of W is not trusted: give the one to trust with --ca FILE", 2},
		{codes.Unavailable, "x509: certificate is valid for a, not b", Settings{TLS: true}, true, "the certificate of W is made out to another name: ask for the server by that name", 2},
	} {
		got := meaning(status.Error(test.code, test.details), "W", &test.settings, test.first)
		if got.Text != test.want || got.Exit != test.exit || got.Again != (test.exit == 3) {
			t.Errorf("%v %q: %+v", test.code, test.details, got)
		}
	}
}

func TestNothingListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	where := listener.Addr().String()
	listener.Close()
	for _, server := range []string{where, "unix:" + t.TempDir() + "/none"} {
		client, err := NewClient(Func(first), Settings{Server: server, FirstPatience: time.Nanosecond, Quiet: true})
		if err != nil {
			t.Fatal(err)
		}
		err = client.Play(context.Background())
		var told *Error
		if !errors.As(err, &told) || told.Exit != 3 || told.Again ||
			!strings.HasPrefix(told.Text, "no Referee server listens at "+server+"; gave up after ") {
			t.Errorf("%v", err)
		}
	}
}

func TestTLSWithAPlainServer(t *testing.T) {
	client, err := NewClient(Func(first), Settings{Server: serve(t).where, TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	err = client.Play(context.Background())
	if err == nil || !strings.HasSuffix(err.Error(), " does not speak TLS: leave out --tls and --ca") {
		t.Errorf("%v", err)
	}
}

func TestARefusedMoveIsTold(t *testing.T) {
	left := uint32(2)
	rejected := &arenav1.Rejected{MatchId: "m/1", Decision: 1, MoveText: "fold", Message: "nobody folds", StrikesLeft: &left}
	decision := &Decision{Legal: []string{"hit", "stay"}, Complete: true}
	want := "match m/1, decision 1: 'fold' was refused: nobody folds. Legal were: hit | stay. Strikes left: 2."
	if got := refusal(rejected, decision); got != want {
		t.Error(got)
	}
	rejected.StrikesLeft = nil
	if got := refusal(rejected, nil); got != "match m/1, decision 1: 'fold' was refused: nobody folds." {
		t.Error(got)
	}
}

func TestTheEndOfAMatchIsTold(t *testing.T) {
	match := &Match{ID: "league/4", Game: "flip7", Seat: 1, Names: []string{"odds", "me", "random"}}
	result := &Result{Match: match, Ranks: []int{1, 3, 2}, Scores: []int{9, 8, 7},
		Terminations: []string{"finished", "timeout", "finished"}, Texts: []string{"", "no answer in time", ""}}
	want := "flip7 league/4: rank 3 of 3, score 8 against odds, random (timeout: no answer in time)"
	if got := result.sentence(); got != want {
		t.Error(got)
	}
	if got := (&Result{Match: match}).sentence(); got != "flip7 league/4: rank 0 of 0, score 0 against odds, random" {
		t.Error(got) // a server that tells nothing does no harm
	}
}

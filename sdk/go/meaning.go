// From a gRPC status to a sentence for the author of a bot, and whether waiting can mend it.

package arena

import (
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Exit codes of a program that calls Run.
const (
	exitDone        = 0
	exitResigned    = 1
	exitRefused     = 2
	exitUnreachable = 3
	exitInterrupted = 130
)

// Error is a sentence for the bot's author, and the exit code that goes with it: 1 an error in the bot (with Strict),
// 2 wrong use or refused by the server, 3 the server cannot be reached or the machine failed.
type Error struct {
	Text string
	Exit int
	// Again: trying again may help.
	Again bool
}

func (e *Error) Error() string { return e.Text }

func refused(text string) *Error { return &Error{Text: text, Exit: exitRefused} }

func gone(text string) *Error { return &Error{Text: text, Exit: exitUnreachable, Again: true} }

// meaning of an error that ended a stream, or kept it from being opened. `first`: there has been no Welcome yet.
func meaning(err error, where string, settings *Settings, first bool) *Error {
	details := status.Convert(err).Message()
	switch status.Code(err) {
	case codes.Unauthenticated:
		hint := "give it with --token or REFEREE_TOKEN"
		if settings.Token != "" {
			hint = "check REFEREE_TOKEN or --token"
		}
		return refused(where + " did not accept the token: " + hint +
			"; the host makes one with 'referee bot add NAME'")
	case codes.Unimplemented:
		return refused(where + " is a gRPC server, but no Referee server of this version: " + details)
	case codes.AlreadyExists, codes.FailedPrecondition, codes.InvalidArgument, codes.PermissionDenied,
		codes.ResourceExhausted:
		return refused(where + " refused: " + details)
	case codes.Unavailable:
		return unreachable(details, where, settings, first)
	default:
		if details != "" {
			details = " (" + details + ")"
		}
		return gone("lost the connection to " + where + details)
	}
}

// unreachable tells apart why a server is UNAVAILABLE. gRPC leaves only texts to go by.
func unreachable(details, where string, settings *Settings, first bool) *Error {
	has := func(text string) bool { return strings.Contains(details, text) }
	switch {
	case has("x509: certificate is valid for"), has("x509: certificate is not valid for"),
		has("x509: cannot validate certificate for"):
		return refused("the certificate of " + where + " is made out to another name: ask for the server by that name")
	case has("x509: "), has("failed to verify certificate"):
		return refused("the certificate of " + where + " is not trusted: give the one to trust with --ca FILE")
	case has("first record does not look like a TLS handshake"):
		return refused(where + " does not speak TLS: leave out --tls and --ca")
	case has("connection refused"), has("no such file or directory"):
		return gone("no Referee server listens at " + where)
	case has("stopping"):
		return gone(where + ": " + details)
	case !first:
		return gone("lost the connection to " + where)
	}
	why := strings.Trim(details[strings.LastIndex(details, ": ")+1:], ` "`)
	switch why {
	case "":
		why = "no answer"
	case "produced zero addresses":
		why = "there is no such host"
	}
	if !settings.TLS {
		why += "; if it speaks TLS, give --tls or --ca FILE"
	}
	return gone("cannot reach a Referee server at " + where + " (" + why + ")")
}

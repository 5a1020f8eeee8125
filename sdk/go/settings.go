// How a bot connects and plays: what Run reads from the command line and the environment.

package arena

import (
	"crypto/x509"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Settings of a client. The zero value connects to localhost:7700 without a token.
type Settings struct {
	// Server is HOST:PORT or unix:PATH; empty means localhost:7700.
	Server string
	Token  string
	// Name is sent to have it checked against the token.
	Name string
	// Games that the bot plays; empty means all.
	Games []string
	// Concurrency is how many matches to play at once; 0 means 16, or 1 where one object plays all matches.
	Concurrency int
	// WithoutLegal: the bot does without lists of legal moves.
	WithoutLegal bool
	// TLS, and CA: a file of certificates to trust (PEM) in place of the machine's own; it implies TLS.
	TLS bool
	CA  string
	// Practice is nil for a bot that waits for matches.
	Practice *Practice
	// Record names a file to keep what the bot saw and answered.
	Record string
	// Strict stops at the first error in Decide; Quiet tells nothing but errors and warnings.
	Strict, Quiet bool
	// FirstPatience and Patience are how long to keep trying for the first connection, and after a stream that had
	// worked; 0 means 15 seconds and 600 seconds.
	FirstPatience, Patience time.Duration
	// Say gets every sentence for the author; nil means a line on stderr. It is called by
	// several goroutines and must not call the client.
	Say func(text string)
}

// Practice is a wish for practice matches.
type Practice struct {
	Game string
	// Against names who takes the other seats: house bots, bots that practise too, or "anyone".
	Against []string
	// Matches is how many; 0 means 1.
	Matches int
	// Options of the game, as a JSON object.
	Options string
}

const (
	defaultServer        = "localhost:7700"
	defaultFirstPatience = 15 * time.Second
	defaultPatience      = 600 * time.Second
)

// flags that Run reads, in the order in which --help tells them.
var flags = []struct{ name, value, variable, about string }{
	{"--server", "HOST:PORT", "REFEREE_SERVER", "where the referee listens, or unix:PATH (default: " + defaultServer + ")"},
	{"--token", "TOKEN", "REFEREE_TOKEN", "the bot's token, from the host"},
	{"--name", "NAME", "REFEREE_NAME", "the bot's name, to have it checked against the token"},
	{"--concurrency", "N", "REFEREE_CONCURRENCY", "how many matches to play at once"},
	{"--tls", "", "REFEREE_TLS", "the server speaks TLS"},
	{"--ca", "FILE", "REFEREE_CA", "certificate to trust, PEM (implies --tls)"},
	{"--practice", "GAME", "", "play practice matches of this game, then stop"},
	{"--against", "BOT,…", "", "who takes the other seats: house bots, bots that practise too, or 'anyone'"},
	{"--matches", "N", "", "how many practice matches (default: 1)"},
	{"--options", "JSON", "", "options of the practised game"},
	{"--record", "FILE", "", "keep what the bot saw and answered, a JSON object per line"},
	{"--strict", "", "", "stop at the first error in Decide"},
	{"--quiet", "", "", "print nothing but errors and warnings"},
	{"--help", "", "", "or -h: show this help and exit"},
}

// ReadSettings reads flags, and the environment where a flag is missing. `help` is true if --help or -h was among them.
// The error is an *Error that names the flag.
func ReadSettings(arguments []string, getenv func(string) string) (settings *Settings, help bool, err error) {
	if slices.Contains(arguments, "--help") || slices.Contains(arguments, "-h") {
		return nil, true, nil
	}
	given, err := readFlags(arguments)
	if err != nil {
		return nil, false, err
	}
	source := map[string]string{} // what to name in an error: the flag, or the variable that stands in for it
	for _, flag := range flags {
		source[flag.name] = flag.name
		if _, there := given[flag.name]; !there && flag.variable != "" && getenv(flag.variable) != "" {
			given[flag.name], source[flag.name] = getenv(flag.variable), flag.variable
		}
		if value := given[flag.name]; !utf8.ValidString(value) {
			return nil, false, wrong(source[flag.name], strconv.QuoteToASCII(value)+" is no text")
		}
	}
	_, strict := given["--strict"]
	_, quiet := given["--quiet"]
	settings = &Settings{
		Server: given["--server"], Token: strings.TrimSpace(given["--token"]), Name: given["--name"],
		TLS: isOn(given["--tls"]), CA: given["--ca"], Record: given["--record"], Strict: strict, Quiet: quiet,
	}
	if _, there := given["--server"]; !there {
		settings.Server = defaultServer
	} else if settings.Server == "" {
		return nil, false, badAddress("")
	}
	if text, there := given["--concurrency"]; there {
		if settings.Concurrency, err = whole(text, 0); err != nil {
			return nil, false, wrong(source["--concurrency"], err.Error())
		}
	}
	if settings.Practice, err = readPractice(given); err != nil {
		return nil, false, err
	}
	if text := getenv("REFEREE_PATIENCE"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0) || seconds > math.MaxInt32 {
			return nil, false, wrong("REFEREE_PATIENCE", quote(text)+" is no number of seconds")
		}
		settings.Patience = max(time.Duration(seconds*float64(time.Second)), 1)
		settings.FirstPatience = settings.Patience
	}
	return settings, false, settings.check()
}

func readFlags(arguments []string) (map[string]string, error) {
	given := map[string]string{}
next:
	for len(arguments) > 0 {
		word := arguments[0]
		name, value, joined := strings.Cut(word, "=")
		arguments = arguments[1:]
		for _, flag := range flags {
			switch {
			case flag.name != name:
				continue
			case flag.value == "" && joined:
				return nil, wrong(name, "it takes no value")
			case flag.value == "":
				value = "1"
			case !joined && (len(arguments) == 0 || strings.HasPrefix(arguments[0], "--")):
				return nil, wrong(name, "its value is missing; write "+name+" "+flag.value)
			case !joined:
				value, arguments = arguments[0], arguments[1:]
			}
			given[name] = value
			continue next
		}
		return nil, unknown(word)
	}
	return given, nil
}

func unknown(word string) error {
	if !strings.HasPrefix(word, "-") {
		return refused(quote(word) + " belongs to no flag; --help shows all of them")
	}
	flag, _, _ := strings.Cut(word, "=")
	if near := meant(flag); near != "" {
		return wrong(flag, "there is no such flag; did you mean "+near+"?")
	}
	return wrong(flag, "there is no such flag; --help shows all of them")
}

func readPractice(given map[string]string) (*Practice, error) {
	game := given["--practice"]
	if game == "" {
		for _, flag := range []string{"--against", "--matches", "--options"} {
			if _, there := given[flag]; there {
				return nil, refused(flag + " goes with --practice GAME")
			}
		}
		return nil, nil
	}
	practice := &Practice{Game: game, Matches: 1, Options: given["--options"]}
	for _, name := range strings.Split(given["--against"], ",") {
		if name = strings.TrimSpace(name); name != "" {
			practice.Against = append(practice.Against, name)
		}
	}
	if text, there := given["--matches"]; there {
		matches, err := whole(text, 1)
		if err != nil {
			return nil, wrong("--matches", err.Error())
		}
		practice.Matches = matches
	}
	return practice, nil
}

// check says what could never work, whether it was read or set by the program.
func (s *Settings) check() error {
	if s.Server != "" && !isAddress(s.Server) {
		return badAddress(s.Server)
	}
	for _, letter := range s.Token {
		if letter <= ' ' || letter > '~' {
			return wrong("--token", "it has characters that no token has; copy it again")
		}
	}
	if s.CA != "" {
		_, err := s.authorities()
		return err
	}
	return nil
}

// authorities are the certificates of the file CA; nil, the machine's own, if there is none.
func (s *Settings) authorities() (*x509.CertPool, error) {
	if s.CA == "" {
		return nil, nil
	}
	if about, err := os.Stat(s.CA); err != nil || !about.Mode().IsRegular() {
		return nil, wrong("--ca", "there is no file "+s.CA)
	}
	pem, err := os.ReadFile(s.CA)
	if err != nil {
		return nil, wrong("--ca", "cannot read "+s.CA+": "+cause(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, wrong("--ca", s.CA+" holds no certificate (PEM)")
	}
	return pool, nil
}

// withDefaults is a copy in which nothing is left open.
func (s Settings) withDefaults(shared bool) *Settings {
	if s.Server == "" {
		s.Server = defaultServer
	}
	if s.Concurrency == 0 {
		s.Concurrency = 16
		if shared {
			s.Concurrency = 1
		}
	}
	if s.FirstPatience == 0 {
		s.FirstPatience = defaultFirstPatience
	}
	if s.Patience == 0 {
		s.Patience = defaultPatience
	}
	if s.Practice != nil {
		practice := *s.Practice
		practice.Matches = max(practice.Matches, 1)
		s.Practice = &practice
	}
	if s.Say == nil {
		s.Say = func(text string) { fmt.Fprintln(os.Stderr, text) }
	}
	s.TLS = s.TLS || s.CA != ""
	return &s
}

// isAddress: whether it is HOST:PORT, an IPv6 address in brackets, or unix:PATH.
func isAddress(server string) bool {
	if path, unix := strings.CutPrefix(server, "unix:"); unix {
		return path != ""
	}
	host, text, err := net.SplitHostPort(server)
	port, bad := strconv.ParseUint(text, 10, 16)
	return err == nil && bad == nil && port > 0 && host != "" && !strings.ContainsAny(host, "/ \t\r\n")
}

func isOn(text string) bool {
	switch strings.ToLower(text) {
	case "", "0", "no", "off", "false":
		return false
	}
	return true
}

func whole(text string, least int) (int, error) {
	number, err := strconv.ParseUint(text, 10, 30)
	if err != nil || len(text) > 9 {
		return 0, fmt.Errorf("%s is not a whole number", quote(text))
	}
	if int(number) < least {
		return 0, fmt.Errorf("%d is the least", least)
	}
	return int(number), nil
}

func badAddress(server string) *Error {
	return wrong("--server", quote(server)+" is not an address: write HOST:PORT or unix:PATH")
}

func wrong(flag, what string) *Error { return refused(flag + ": " + what) }

// quote puts a text between single quotes, on one line.
func quote(text string) string {
	quoted := strconv.Quote(text)
	return "'" + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "'"
}

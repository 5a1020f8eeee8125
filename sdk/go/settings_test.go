package arena

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func reading(arguments []string, environment map[string]string) (*Settings, bool, error) {
	return ReadSettings(arguments, func(name string) string { return environment[name] })
}

func TestSettingsFromFlagsAndEnvironment(t *testing.T) {
	for name, test := range map[string]struct {
		arguments   []string
		environment map[string]string
		want        Settings
	}{
		"nothing": {nil, nil, Settings{Server: "localhost:7700"}},
		"flags": {
			[]string{"--server", "host:1", "--token=abc", "--name", "me", "--concurrency=3", "--tls", "--strict", "--quiet"}, nil,
			Settings{Server: "host:1", Token: "abc", Name: "me", Concurrency: 3, TLS: true, Strict: true, Quiet: true},
		},
		"environment": {
			nil, map[string]string{"REFEREE_SERVER": "unix:/x", "REFEREE_TOKEN": " abc\n", "REFEREE_TLS": "1"},
			Settings{Server: "unix:/x", Token: "abc", TLS: true},
		},
		"a flag wins": {
			[]string{"--name", "flag"}, map[string]string{"REFEREE_NAME": "variable", "REFEREE_TLS": "No"},
			Settings{Server: "localhost:7700", Name: "flag"},
		},
		"practice": {
			[]string{"--practice", "flip7", "--against", "odds, random,", "--matches", "3", "--options", "{}"}, nil,
			Settings{Server: "localhost:7700", Practice: &Practice{"flip7", []string{"odds", "random"}, 3, "{}"}},
		},
		"patience": {
			nil, map[string]string{"REFEREE_PATIENCE": "1.5"},
			Settings{Server: "localhost:7700", Patience: 1500 * time.Millisecond, FirstPatience: 1500 * time.Millisecond},
		},
	} {
		if got, help, err := reading(test.arguments, test.environment); err != nil || help || !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	folder := t.TempDir()
	noCertificate := filepath.Join(folder, "none.pem")
	if err := os.WriteFile(noCertificate, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for sentence, arguments := range map[string][]string{
		"--server: 'nonsense' is not an address: write HOST:PORT or unix:PATH":   {"--server", "nonsense"},
		"--server: 'http://x:1' is not an address: write HOST:PORT or unix:PATH": {"--server=http://x:1"},
		"--server: ':1' is not an address: write HOST:PORT or unix:PATH":         {"--server", ":1"},
		"--server: 'a:0' is not an address: write HOST:PORT or unix:PATH":        {"--server", "a:0"},
		"--server: 'a:65536' is not an address: write HOST:PORT or unix:PATH":    {"--server", "a:65536"},
		"--server: 'a:b' is not an address: write HOST:PORT or unix:PATH":        {"--server", "a:b"},
		"--server: '::1:1' is not an address: write HOST:PORT or unix:PATH":      {"--server", "::1:1"},
		"--server: 'unix:' is not an address: write HOST:PORT or unix:PATH":      {"--server", "unix:"},
		"--token: it has characters that no token has; copy it again":            {"--token", "tökén"},
		"--against goes with --practice GAME":                                    {"--against", "odds"},
		"--matches goes with --practice GAME":                                    {"--matches", "2"},
		"--options goes with --practice GAME":                                    {"--options", "{}"},
		"--matches: 1 is the least":                                              {"--practice", "flip7", "--matches", "0"},
		"--concurrency: 'many' is not a whole number":                            {"--concurrency", "many"},
		"--name: its value is missing; write --name NAME":                        {"--name", "--tls"},
		"--tls: it takes no value":                                               {"--tls=yes"},
		"--conc: there is no such flag; did you mean --concurrency?":             {"--conc", "3"},
		"--serve: there is no such flag; did you mean --server?":                 {"--serve=a:1"},
		"-tsl: there is no such flag; did you mean --tls?":                       {"-tsl"},
		"--xx: there is no such flag; --help shows all of them":                  {"--xx"},
		"'stray' belongs to no flag; --help shows all of them":                   {"stray"},
		"--ca: there is no file " + folder:                                       {"--ca", folder},
		"--ca: " + noCertificate + " holds no certificate (PEM)":                 {"--ca", noCertificate},
		`--name: "\xff" is no text`:                                              {"--name", "\xff"},
	} {
		if _, _, err := reading(arguments, nil); err == nil || err.Error() != sentence || err.(*Error).Exit != 2 {
			t.Errorf("%v: %v, not %s", arguments, err, sentence)
		}
	}
	_, _, err := reading(nil, map[string]string{"REFEREE_CONCURRENCY": "many"})
	if err == nil || err.Error() != "REFEREE_CONCURRENCY: 'many' is not a whole number" {
		t.Error(err)
	}
}

func TestHelpTellsAllFlags(t *testing.T) {
	if _, help, err := reading([]string{"--quiet", "--help"}, nil); !help || err != nil {
		t.Error(help, err)
	}
	for _, flag := range flags {
		if !strings.Contains(helpText("mybot"), flag.name) || !strings.Contains(helpText("mybot"), flag.variable) {
			t.Error(flag.name)
		}
	}
}

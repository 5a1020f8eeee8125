// Run: from a program with a Decide to a bot that plays.

package arena

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// Run connects and plays until there is nothing more to play. It ends the program with a sentence and an exit code if
// it cannot, or if a match was resigned because of an error in the bot; otherwise it returns.
//
// It reads --server, --token, --name and more (--help), or REFEREE_SERVER, REFEREE_TOKEN, …; each change is applied
// after that: arena.Run(bot, func(s *arena.Settings) { s.Games = []string{"flip7"} }).
func Run(entrant Entrant, changes ...func(*Settings)) {
	if code := run(entrant, os.Args, changes); code != exitDone {
		os.Exit(code)
	}
}

func run(entrant Entrant, arguments []string, changes []func(*Settings)) int {
	settings, help, err := ReadSettings(arguments[1:], os.Getenv)
	program := filepath.Base(arguments[0])
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s\nerror: %v\n", usage(program), err)
		return exitRefused
	}
	if help {
		fmt.Println(helpText(program))
		return exitDone
	}
	for _, change := range changes {
		change(settings)
	}
	client, err := NewClient(entrant, *settings)
	if err == nil {
		ctx, cancel := context.WithCancelCause(context.Background())
		stop := heedSignals(client, cancel)
		err = client.Play(ctx)
		stop()
	}
	switch told := (*Error)(nil); {
	case errors.As(err, &told):
		fmt.Fprintf(os.Stderr, "error: %v\n", told)
		return told.Exit
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case client.Errors() > 0:
		return exitResigned
	}
	return exitDone
}

var (
	errIdle        = errors.New("interrupted without a running match")
	errInterrupted = errors.New("interrupted for the second time")
)

// heedSignals: the first SIGINT or SIGTERM leaves after the running matches, the second at once.
func heedSignals(client *Client, cancel context.CancelCauseFunc) (stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		if client.Playing() == 0 {
			client.Leave()
			cancel(errIdle)
		} else {
			fmt.Fprintln(os.Stderr, "leaving after the running matches; once more to leave at once")
			client.Leave()
		}
		<-signals
		cancel(errInterrupted)
		<-signals // a bot that heeds no context may still keep the program waiting
		os.Exit(exitInterrupted)
	}()
	return func() { signal.Stop(signals) }
}

func usage(program string) string {
	var parts []string
	for _, flag := range flags {
		parts = append(parts, "["+strings.TrimSpace(flag.name+" "+flag.value)+"]")
	}
	return "usage: " + program + " " + strings.Join(parts, " ")
}

func helpText(program string) string {
	var text strings.Builder
	text.WriteString(usage(program) + "\n\nA bot for a Referee server.\n\n")
	for _, flag := range flags {
		fmt.Fprintf(&text, "  %-20s  %s", strings.TrimSpace(flag.name+" "+flag.value), flag.about)
		if flag.variable != "" {
			text.WriteString(" [" + flag.variable + "]")
		}
		text.WriteByte('\n')
	}
	text.WriteString("\nThe variables in brackets stand in for missing flags.")
	return text.String()
}

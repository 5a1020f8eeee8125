package arena

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Every block of Go in the README is a whole program, and builds.
func TestTheProgramsOfTheReadmeBuild(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	if len(programs) < 4 {
		t.Fatalf("only %d programs", len(programs))
	}
	folder := t.TempDir()
	for number, program := range programs {
		file := filepath.Join(folder, fmt.Sprintf("program%d.go", number+1))
		if err := os.WriteFile(file, program[1], 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("program %d of the README: %v\n%s", number+1, err, out)
		}
		if out, err := exec.Command("gofmt", "-l", file).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("program %d of the README is not formatted: %v %s", number+1, err, out)
		}
	}
}

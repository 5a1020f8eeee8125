// Writes this module as the zip file that a proxy of Go modules keeps: every file below MODULE@VERSION/.
//
// Hidden files, build output and this program itself are left out; the same files give the same bytes.
package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "error: give the zip file and MODULE@VERSION, in the folder of the module")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "error: cannot write %s: %v\n", os.Args[1], err)
		os.Exit(3)
	}
}

func write(path, prefix string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(file)
	err = filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == ".":
			return err
		case strings.HasPrefix(entry.Name(), ".") || name == "bin" || name == "internal":
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		target, err := archive.Create(prefix + "/" + filepath.ToSlash(name))
		if err != nil {
			return err
		}
		_, err = target.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Close()
}

// --record FILE: what a bot saw and answered, a JSON object per line.

package arena

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// recording writes as it happens, so that a crash loses nothing. A nil recording keeps nothing.
type recording struct {
	lock sync.Mutex
	file *os.File
}

func newRecording(path string) (*recording, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, cannotRecord(path, err)
	}
	return &recording{file: file}, nil
}

// note keeps a message of the referee.
func (r *recording) note(kind string, message proto.Message) error {
	if r == nil {
		return nil
	}
	fields, err := plain(message)
	if err != nil {
		return cannotRecord(r.file.Name(), err)
	}
	return r.write(kind, fields)
}

// decided keeps a question and the bot's answer.
func (r *recording) decided(d *Decision, move string, took time.Duration) error {
	if r == nil {
		return nil
	}
	fields, err := json.Marshal(struct {
		Match    string          `json:"match"`
		Game     string          `json:"game"`
		Decision int             `json:"decision"`
		Seat     int             `json:"seat"`
		Legal    []string        `json:"legal"`
		View     json.RawMessage `json:"view"`
		Move     string          `json:"move"`
		MS       float64         `json:"ms"`
	}{d.Match.ID, d.Game, d.Number, d.Seat, append([]string{}, d.Legal...), shown(d), move, float64(took.Microseconds()) / 1000})
	if err != nil {
		return cannotRecord(r.file.Name(), err)
	}
	return r.write("decide", fields)
}

func (r *recording) close() {
	if r != nil {
		_ = r.file.Close() // what could not be written has been told
	}
}

// write puts time and type before the fields of a JSON object.
func (r *recording) write(kind string, fields []byte) error {
	head, err := json.Marshal(struct {
		Time float64 `json:"time"`
		Type string  `json:"type"`
	}{float64(time.Now().UnixMilli()) / 1000, kind})
	if err != nil {
		return cannotRecord(r.file.Name(), err)
	}
	line := bytes.NewBuffer(head[:len(head)-1])
	if len(fields) > len("{}") {
		line.WriteByte(',')
	}
	line.Write(fields[1:])
	line.WriteByte('\n')
	r.lock.Lock()
	defer r.lock.Unlock()
	if _, err := r.file.Write(line.Bytes()); err != nil {
		return cannotRecord(r.file.Name(), err)
	}
	return nil
}

// shown is the view of a decision as JSON; a view that cannot be read, as a text in hex.
func shown(d *Decision) json.RawMessage {
	if d.Match.ViewType == jsonView && json.Valid(d.ViewBytes) {
		return d.ViewBytes
	}
	if view, err := d.View(); err == nil {
		if fields, err := plain(view.(proto.Message)); err == nil {
			return fields
		}
	}
	return json.RawMessage(`"` + hex.EncodeToString(d.ViewBytes) + `"`)
}

// plain is a message in protobuf's JSON, with the names of the .proto and zero fields written out, on one line.
func plain(message proto.Message) ([]byte, error) {
	text, err := protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(message)
	if err != nil {
		return nil, err
	}
	var line bytes.Buffer
	err = json.Compact(&line, text) // protojson puts spaces in at random
	return line.Bytes(), err
}

func cannotRecord(path string, err error) *Error {
	return &Error{Text: "cannot record to " + path + ": " + cause(err), Exit: exitUnreachable}
}

// cause is why a file cannot be used, without its name.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

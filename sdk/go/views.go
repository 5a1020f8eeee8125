// From the bytes of a view to what a bot looks at: a typed message, or a JSON value.

package arena

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// The views that come with this SDK. Those of other games are known if the bot imports their generated code.
	_ "github.com/referee-arena/referee/sdk/go/games/encorev1"
	_ "github.com/referee-arena/referee/sdk/go/games/flip7v1"
	_ "github.com/referee-arena/referee/sdk/go/games/stopmegov1"
	_ "github.com/referee-arena/referee/sdk/go/games/stopv1"
)

const jsonView = "json"

// UnknownViewError says that there is no generated code for the view of this game.
type UnknownViewError struct {
	ViewType string
}

func (e *UnknownViewError) Error() string {
	return fmt.Sprintf("no generated code for the view '%s': play from Decision.Legal or from Decision.ViewBytes, "+
		"or import the game's generated package", e.ViewType)
}

// ViewOf is the view as a T: the generated message of the game, such as *flip7v1.View, or, where the game shows JSON,
// whatever encoding/json can fill: a struct of your own or map[string]any.
func ViewOf[T any](d *Decision) (T, error) {
	var view T
	if d.Match.ViewType == jsonView {
		if err := json.Unmarshal(d.ViewBytes, &view); err != nil {
			return view, fmt.Errorf("the view cannot be read: %w", err)
		}
		return view, nil
	}
	read, err := d.View()
	if err != nil {
		return view, err
	}
	view, fits := read.(T)
	if !fits {
		return view, fmt.Errorf("the view is a %T, not a %T", read, view)
	}
	return view, nil
}

func readView(viewType string, data []byte) (any, error) {
	if viewType == jsonView {
		var view any
		if err := json.Unmarshal(data, &view); err != nil {
			return nil, fmt.Errorf("the view cannot be read: %w", err)
		}
		return view, nil
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(viewType))
	if err != nil {
		return nil, &UnknownViewError{viewType}
	}
	view := kind.New().Interface()
	if err := proto.Unmarshal(data, view); err != nil {
		return nil, fmt.Errorf("the view cannot be read: %w", err)
	}
	return view, nil
}

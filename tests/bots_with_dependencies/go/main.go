// Takes the first legal move; the module fastjson reads the lines.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/valyala/fastjson"
)

func main() {
	reader := bufio.NewReader(os.Stdin)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		message, err := fastjson.ParseBytes(line)
		if err != nil {
			continue
		}
		if legal := message.GetArray("legal"); len(legal) > 0 {
			fmt.Printf("{\"decision\":%d,\"move\":%s}\n", message.GetInt("decision"), legal[0])
		}
	}
}

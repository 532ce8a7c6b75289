// Checks vectors from standard input against Go's int64. Prints what differs, and how many were checked.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func compare(name, form, said, wanted string) {
	if said != wanted {
		fmt.Printf("%s: %s is %s, not %s\n", name, form, said, wanted)
	}
}

func main() {
	checked := 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		var widths []uint
		var values []int64
		var id int64
		for _, part := range strings.Split(columns[1], ",") {
			bits, value, _ := strings.Cut(part, ":")
			widths = append(widths, uint(number(bits)))
			values = append(values, number(value))
			id = id<<widths[len(widths)-1] | values[len(values)-1]
		}
		compare(columns[0], "decimal", strconv.FormatInt(id, 10), columns[2])
		compare(columns[0], "hex", fmt.Sprintf("%016x", id), columns[3])
		compare(columns[0], "binary", fmt.Sprintf("%064b", id), columns[4])
		rest := number(columns[2])
		for at := len(widths) - 1; at >= 0; at-- {
			if value := rest & (1<<widths[at] - 1); value != values[at] {
				fmt.Printf("%s: decodes to %d in field %d\n", columns[0], value, at)
			}
			rest >>= widths[at]
		}
		checked++
	}
	fmt.Printf("checked %d\n", checked)
}

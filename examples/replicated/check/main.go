// Reads a history of registers (the lines of cairn-replicated-load --history) and asks Porcupine whether it is linearizable.
//
//	check [-seconds 300] HISTORY
//
// Exit status: 0 it is, 1 it is not, 2 it is no history, 3 no answer in time.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const absent = "-"

type input struct{ op, key, argument string }

// A register: its state is its value.
var register = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, operation := range history {
			key := operation.Input.(input).key
			byKey[key] = append(byKey[key], operation)
		}
		parts := make([][]porcupine.Operation, 0, len(byKey))
		for _, part := range byKey {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() interface{} { return absent },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		value, asked, result := state.(string), in.(input), out.(string)
		switch asked.op {
		case "get":
			return result == value, value
		case "put":
			return true, asked.argument
		case "del":
			return true, absent
		}
		expected, wanted, _ := strings.Cut(asked.argument, ">")
		switch result {
		case "ok":
			return value == expected, wanted
		case "differs":
			return value != expected, value
		}
		if value == expected { // unknown: if it happened, then so
			return true, wanted
		}
		return true, value
	},
	DescribeOperation: func(in, out interface{}) string {
		return fmt.Sprint(in.(input).op, " ", in.(input).argument, " -> ", out)
	},
}

func read(path string) ([]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var history []porcupine.Operation
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 7 {
			return nil, fmt.Errorf("%s:%d: %d fields, not 7", path, number, len(fields))
		}
		client, err1 := strconv.Atoi(fields[0])
		start, err2 := strconv.ParseInt(fields[5], 10, 64)
		end, err3 := strconv.ParseInt(fields[6], 10, 64)
		if err1 != nil || err2 != nil || err3 != nil || !strings.Contains(" get put cas del ", " "+fields[1]+" ") {
			return nil, fmt.Errorf("%s:%d: %q", path, number, lines.Text())
		}
		if fields[4] == "unknown" {
			end = math.MaxInt64 // it may happen at any time from its start on, or never
		}
		history = append(history, porcupine.Operation{
			ClientId: client, Input: input{fields[1], fields[2], fields[3]}, Output: fields[4], Call: start, Return: end,
		})
	}
	return history, lines.Err()
}

// The registers whose history is not linearizable by itself.
func culprits(history []porcupine.Operation) []string {
	var keys []string
	for _, part := range register.Partition(history) {
		if porcupine.CheckOperationsTimeout(register, part, time.Minute) == porcupine.Illegal {
			keys = append(keys, part[0].Input.(input).key)
		}
	}
	sort.Strings(keys)
	return keys
}

func main() {
	seconds := flag.Int("seconds", 300, "how long it may take")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: check [-seconds 300] HISTORY")
		os.Exit(2)
	}
	history, err := read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	result := porcupine.CheckOperationsTimeout(register, history, time.Duration(*seconds)*time.Second)
	registers := len(register.Partition(history))
	switch result {
	case porcupine.Ok:
		fmt.Printf("linearizable: %d operations on %d registers\n", len(history), registers)
	case porcupine.Illegal:
		fmt.Printf("NOT linearizable: %d operations on %d registers; wrong: %s\n", len(history), registers, strings.Join(culprits(history), " "))
		os.Exit(1)
	default:
		fmt.Printf("no answer in %d seconds: %d operations on %d registers\n", *seconds, len(history), registers)
		os.Exit(3)
	}
}

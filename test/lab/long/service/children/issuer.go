// A process that leases a worker ID with the example and makes IDs until it gets SIGTERM. Its job is JSON.
//
// It appends each round of IDs to a file by one system call, eight bytes an ID, and prints what happens to it.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"example.com/snowflake"
)

const (
	idsPerRound  = 40
	round        = 10 * time.Millisecond
	startTimeout = 80 * time.Second
)

type job struct {
	URLs                   []string
	Token, Namespace, File string
	Layout                 struct{ TimestampBits, WorkerBits, SequenceBits int }
	Lease                  *lease // nil for the defaults of the example
}

type lease struct{ WorkerCount, WindowMs, MaxSkewMs, RenewEveryMs, CallTimeoutMs int64 }

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	leaving := make(chan os.Signal, 1)
	signal.Notify(leaving, syscall.SIGTERM)
	file, err := os.OpenFile(j.File, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	ids, err := snowflake.Start(ctx, j.config())
	if err != nil {
		return err
	}
	if err := issue(ids, file, workersBy(j.config()), leaving); err != nil {
		return err
	}
	if err := ids.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err) // The service may be gone.
	}
	if _, err := ids.NextID(); !errors.Is(err, snowflake.ErrClosed) {
		return errors.New("a closed maker makes IDs")
	}
	report("stopped", nil)
	return nil
}

func (j job) config() snowflake.Config {
	c := snowflake.DefaultConfig(j.URLs, j.Token, j.Namespace)
	if j.Lease == nil {
		return c
	}
	c.TimestampBits, c.WorkerBits, c.SequenceBits = j.Layout.TimestampBits, j.Layout.WorkerBits, j.Layout.SequenceBits
	c.WorkerCount, c.WindowMs, c.MaxSkewMs = j.Lease.WorkerCount, j.Lease.WindowMs, j.Lease.MaxSkewMs
	c.RenewEvery = time.Duration(j.Lease.RenewEveryMs) * time.Millisecond
	c.CallTimeout = time.Duration(j.Lease.CallTimeoutMs) * time.Millisecond
	return c
}

// workersBy returns what reads the worker ID of an ID.
func workersBy(c snowflake.Config) func(int64) int64 {
	return func(id int64) int64 { return id >> c.SequenceBits & (1<<c.WorkerBits - 1) }
}

// issue makes IDs until the process is told to leave.
func issue(ids *snowflake.Maker, file *os.File, workerOf func(int64) int64, leaving <-chan os.Signal) error {
	state := ""
	for {
		made, err := nextRound(ids)
		switch {
		case err != nil && !errors.Is(err, snowflake.ErrNoLease):
			return err
		case err != nil && state != "failed":
			state = "failed"
			report(state, map[string]any{"error": err.Error()})
		case err == nil:
			var buffer bytes.Buffer
			if err := binary.Write(&buffer, binary.LittleEndian, made); err != nil {
				return err
			}
			if _, err := file.Write(buffer.Bytes()); err != nil {
				return err
			}
			if state != "issuing" {
				state = "issuing"
				report(state, map[string]any{"workerId": workerOf(made[0])})
			}
		}
		select {
		case <-leaving:
			return nil
		case <-time.After(round):
		}
	}
}

// nextRound returns a whole round, or an error.
func nextRound(ids *snowflake.Maker) ([]int64, error) {
	made := make([]int64, idsPerRound)
	for at := range made {
		id, err := ids.NextID()
		if err != nil {
			return nil, err
		}
		made[at] = id
	}
	return made, nil
}

func report(event string, fields map[string]any) {
	line := map[string]any{"event": event}
	for name, value := range fields {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

// Package snowflake makes IDs under a worker ID that it leases from nestjs-snowflake-service.
//
//	ids, err := snowflake.Start(ctx, snowflake.DefaultConfig(urls, token, "shop"))
//	if err != nil {
//		return err
//	}
//	defer ids.Close()
//	id, err := ids.NextID() // 382475217496248322
//
// The comments name the rules in docs/reference/protocol.md by their numbers.
package snowflake

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	// ErrClosed is returned by NextID after Close.
	ErrClosed = errors.New("snowflake: the maker is closed")
	// ErrNoLease is returned by NextID while no timestamp of the window is left.
	ErrNoLease = errors.New("snowflake: no timestamp of the window is left")
)

// RefusalError means that an operator has to change something, for example the token or the layout.
type RefusalError struct{ Reason string }

func (e *RefusalError) Error() string {
	return "snowflake: the service refuses this process: " + e.Reason
}

// Config says where the service is, and what the IDs look like.
type Config struct {
	URLs        []string // services with the same store
	Token       string
	Namespace   string
	RenewEvery  time.Duration
	CallTimeout time.Duration // more than 100 ms

	// All processes of a namespace need the same values of these.
	EpochMs, WorkerCount                    int64
	TimestampBits, WorkerBits, SequenceBits int
	WindowMs, MaxSkewMs                     int64
}

// DefaultConfig has the defaults of Node.js.
func DefaultConfig(urls []string, token, namespace string) Config {
	return Config{
		URLs: urls, Token: token, Namespace: namespace, RenewEvery: 10 * time.Second, CallTimeout: 2 * time.Second,
		EpochMs: 1_704_067_200_000, WorkerCount: 1024, TimestampBits: 41, WorkerBits: 10, SequenceBits: 12,
		WindowMs: 60_000, MaxSkewMs: 5_000,
	}
}

func (c Config) layout() string {
	epoch := time.UnixMilli(c.EpochMs).UTC().Format("2006-01-02T15:04:05.000Z")
	return fmt.Sprintf("v2 epoch=%s tick=1ms timestamp:%d worker:%d sequence:%d workers=0+%d",
		epoch, c.TimestampBits, c.WorkerBits, c.SequenceBits, c.WorkerCount)
}

// Maker makes IDs, and renews its lease in a goroutine. All methods can be called from any goroutine.
type Maker struct {
	config  Config
	client  http.Client
	address int
	nonce   string
	isRetry bool
	failed  int // requests in a row, up to 3
	closing chan struct{}
	ended   chan struct{}

	mu       sync.Mutex // guards what follows
	held     *lease
	clock    clock
	tickMs   int64 // the Unix time at which the last used tick begins
	sequence int64 // the last one used in that tick
	isClosed bool
	failure  error // of the last request for a lease
}

type lease struct {
	workerID                    int64
	fencingToken                string
	fromMs, untilMs, lastUsedMs int64
	isCopied                    bool // Another process with this memory has it.
}

// Start acquires a lease and renews it until Close. While there is none, it tries again until ctx is done. It returns a
// RefusalError at once.
func Start(ctx context.Context, config Config) (*Maker, error) {
	if len(config.URLs) == 0 {
		return nil, errors.New("snowflake: Config.URLs needs the address of the service")
	}
	m := &Maker{config: config, nonce: newNonce(), tickMs: config.EpochMs - 1, sequence: 1<<config.SequenceBits - 1,
		closing: make(chan struct{}), ended: make(chan struct{})}
	m.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for {
		pause, err := m.request(ctx)
		if err == nil {
			go m.renew()
			return m, nil
		}
		if errors.As(err, new(*RefusalError)) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("snowflake: no lease: %w (%v)", ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// NextID returns an ID that no other process of the namespace makes. It does no I/O. In JSON, write the ID as a string.
func (m *Maker) NextID() (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isClosed {
		return 0, ErrClosed
	}
	tickMs, sequence := m.clock.nowMs(), int64(0)
	if tickMs <= m.tickMs { // Rule 2.
		tickMs, sequence = m.tickMs, m.sequence+1
		if sequence>>m.config.SequenceBits != 0 {
			tickMs, sequence = tickMs+1, 0
		}
	}
	tick := tickMs - m.config.EpochMs
	if m.held.isCopied || tickMs > m.held.untilMs || tick>>m.config.TimestampBits != 0 { // Rule 1. It is above fromMs since apply.
		if m.failure != nil {
			return 0, fmt.Errorf("%w: %v", ErrNoLease, m.failure)
		}
		return 0, ErrNoLease
	}
	m.tickMs, m.sequence, m.held.lastUsedMs = tickMs, sequence, tickMs
	return (tick<<m.config.WorkerBits|m.held.workerID)<<m.config.SequenceBits | sequence, nil
}

// Close stops making IDs, and releases the worker ID. After an error, it stays taken until its window ends.
func (m *Maker) Close() error {
	m.mu.Lock()
	wasClosed := m.isClosed
	m.isClosed = true // Rule 7.
	m.mu.Unlock()
	if wasClosed {
		return nil
	}
	close(m.closing)
	<-m.ended
	return m.call(context.Background(), "/release", map[string]any{"workerId": m.held.workerID,
		"fencingToken": m.held.fencingToken, "lastUsedMs": m.held.lastUsedMs}, &struct{}{})
}

// renew is the only goroutine that sends requests until Close: rule 3.
func (m *Maker) renew() {
	defer close(m.ended)
	pause := m.config.RenewEvery
	for {
		select {
		case <-m.closing:
			return
		case <-time.After(pause):
		}
		var err error
		pause, err = m.request(context.Background())
		m.mu.Lock()
		m.failure = err
		m.mu.Unlock()
	}
}

// request acquires or renews a lease. It returns how long to wait before the next request, and no error after a grant.
func (m *Maker) request(ctx context.Context) (pause time.Duration, err error) {
	c := m.config
	body := map[string]any{"layout": c.layout(), "firstWorkerId": 0, "workerCount": c.WorkerCount, "windowMs": c.WindowMs,
		"maxSkewMs": c.MaxSkewMs, "nonce": m.nonce, "retry": m.isRetry, "assumeNew": false, "searchSeed": random() >> 33}
	if m.held != nil && !m.held.isCopied {
		body["claim"] = map[string]any{"workerId": m.held.workerID, "fencingToken": m.held.fencingToken,
			"untilMs": m.held.untilMs}
	}
	m.isRetry = true // Rule 4.
	started := time.Now()
	var got outcome
	if err = m.call(ctx, "", body, &got); err == nil {
		err = m.apply(got, started)
	}
	var waitMs int64
	switch {
	case err == nil:
		m.failed = 0
		return c.RenewEvery, nil
	case errors.As(err, new(*RefusalError)):
		waitMs = 1000
	case got.WaitMs+got.NextFreeInMs > 0:
		m.failed = 0
		if waitMs = got.WaitMs + got.NextFreeInMs; waitMs > 1000 {
			waitMs = 1000
		}
	default:
		// A process that starts asks less and less often: it may be one of a crowd that keeps the store busy.
		longestMs := uint64(250)
		if m.held == nil {
			longestMs = []uint64{250, 1000, 4000, 5000}[m.failed]
		}
		if m.failed < 3 {
			m.failed++
		}
		waitMs = int64(125 + random()%(longestMs-124))
	}
	return time.Duration(waitMs) * time.Millisecond, err
}

type outcome struct { // encoding/json finds these fields without regard to case.
	Outcome, FencingToken, Reason, StoredLayout, Field string
	WorkerID, FromMs                                   *int64 // nil if missing
	UntilMs, StoreNowMs, WaitMs, NextFreeInMs          int64
}

// apply does what rule 5 says. The lease of m can't have changed since the request was made.
func (m *Maker) apply(got outcome, started time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch got.Outcome {
	case "new":
		m.nonce, m.isRetry = newNonce(), false // Rule 4.
		if got.WorkerID == nil || *got.WorkerID>>m.config.WorkerBits != 0 || got.FromMs == nil || got.FencingToken == "" {
			return fmt.Errorf("snowflake: no store makes such a grant: %+v", got)
		}
		if err := m.checkWindow(*got.FromMs, got); err != nil {
			return err
		}
		if m.held == nil || grantOf(m.held.fencingToken) != got.FencingToken {
			m.held = &lease{*got.WorkerID, got.FencingToken, *got.FromMs, got.UntilMs, *got.FromMs, false}
			if m.tickMs < *got.FromMs {
				m.tickMs = *got.FromMs
			}
			m.sequence = 1<<m.config.SequenceBits - 1 // That tick counts as used up.
		}
	case "kept":
		if m.held == nil {
			return errors.New("snowflake: a lease that is not held was renewed")
		}
		if err := m.checkWindow(m.held.fromMs, got); err != nil {
			return err
		}
		m.nonce, m.isRetry = newNonce(), false // Rule 4.
		if got.FencingToken == "" {
			return fmt.Errorf("snowflake: a renewal has a fencing token: %+v", got)
		}
		m.held.fencingToken, m.held.untilMs = got.FencingToken, got.UntilMs
	case "copied":
		if m.held != nil {
			m.nonce, m.isRetry, m.held.isCopied = newNonce(), false, true
		}
		return errors.New("snowflake: the memory of this process exists twice")
	case "wait", "full", "alone":
		if got.Outcome == "alone" {
			m.address++
		}
		return fmt.Errorf("snowflake: no lease is granted now: %s %s", got.Outcome, got.Reason)
	default:
		return &RefusalError{fmt.Sprintf("%s (stored: %s%s)", got.Outcome, got.StoredLayout, got.Field)}
	}
	m.clock = m.clockAt(got.StoreNowMs, started)
	return nil
}

// grantOf returns the fencing token with which a lease began.
func grantOf(fencingToken string) string {
	grant, _, _ := strings.Cut(fencingToken, "~")
	return grant
}

func (m *Maker) checkWindow(fromMs int64, got outcome) error { // Rule 6.
	latestNowMs := got.StoreNowMs
	if m.held != nil && m.held.untilMs > latestNowMs {
		latestNowMs = m.held.untilMs
	}
	if got.UntilMs < fromMs || got.UntilMs > latestNowMs+m.config.WindowMs+m.config.MaxSkewMs {
		return fmt.Errorf("snowflake: no store grants a window from %d until %d", fromMs, got.UntilMs)
	}
	return nil
}

// call sends one request and decodes the response. After a failure, the next call goes to the next address.
func (m *Maker) call(ctx context.Context, path string, body map[string]any, answer any) (err error) {
	defer func() {
		if err != nil {
			m.address++
		}
	}()
	deadline := time.Now().Add(m.config.CallTimeout)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	service := strings.TrimRight(m.config.URLs[m.address%len(m.config.URLs)], "/")
	address := service + "/v1/leases/" + url.PathEscape(m.config.Namespace) + path
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%016x", random())
	request.Header.Set("Authorization", "Bearer "+m.config.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Snowflake-Call", name)
	request.Header.Set("Snowflake-Timeout-Ms", fmt.Sprint(m.config.CallTimeout.Milliseconds()-100))
	response, err := m.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(io.LimitReader(response.Body, 64<<10)); err != nil {
		return err
	}
	switch status := response.StatusCode; {
	case status == 408 || status == 425 || status == 429 || status >= 500:
		return fmt.Errorf("snowflake: status %d: %.500s", status, text)
	case status != http.StatusOK:
		return &RefusalError{fmt.Sprintf("status %d: %.500s", status, text)}
	case response.Header.Get("Snowflake-Call") != name: // Rule 3.
		return errors.New("snowflake: the response names another call")
	case time.Now().After(deadline): // Rule 3: the process was paused.
		return context.DeadlineExceeded
	}
	return json.Unmarshal(text, answer)
}

// clock is the machine's, read at one time and continued by the monotonic clock, so it steps only at a renewal.
type clock struct {
	read      time.Time
	correctMs int64
}

func (c clock) nowMs() int64 { return c.read.Add(time.Since(c.read)).UnixMilli() + c.correctMs }

func (m *Maker) clockAt(storeNowMs int64, started time.Time) clock {
	now := time.Now()
	offsetMs := storeNowMs - started.Add(now.Sub(started)/2).UnixMilli()
	if -m.config.MaxSkewMs <= offsetMs && offsetMs <= m.config.MaxSkewMs {
		offsetMs = 0
	}
	return clock{now, offsetMs}
}

func newNonce() string { return fmt.Sprintf("%016x:go/%d", random(), os.Getpid()) }

func random() uint64 {
	var number [8]byte
	if _, err := rand.Read(number[:]); err != nil {
		panic(err) // Two processes must not send the same nonce.
	}
	return binary.BigEndian.Uint64(number[:])
}

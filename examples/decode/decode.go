// decode.go

package snowflake

import "time"

const epochMs = 1704067200000 // 2024-01-01T00:00:00Z

func Decode(id int64) (timestamp time.Time, workerID, sequence int64) {
	return time.UnixMilli(id>>22 + epochMs), id >> 12 & 1023, id & 4095
}

// Compose returns the smallest ID of a millisecond if workerID and sequence are 0.
func Compose(timestamp time.Time, workerID, sequence int64) int64 {
	return (timestamp.UnixMilli()-epochMs)<<22 | workerID<<12 | sequence
}

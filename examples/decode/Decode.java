// Decode.java
import java.time.Instant;

public record Decode(Instant timestamp, int workerId, int sequence) {
    private static final long EPOCH_MS = 1704067200000L; // 2024-01-01T00:00:00Z

    public static Decode of(long id) {
        Instant timestamp = Instant.ofEpochMilli((id >> 22) + EPOCH_MS);
        return new Decode(timestamp, (int) (id >> 12 & 1023), (int) (id & 4095));
    }

    public long compose() {
        return timestamp.toEpochMilli() - EPOCH_MS << 22 | (long) workerId << 12 | sequence;
    }
}

import type { ServerWritableStream } from '@grpc/grpc-js';
import { defer, ignoreElements, type Observable } from 'rxjs';

type Stream = ServerWritableStream<unknown, object>;

/**
 * Sends batches to the client of a call, each of which is made when HTTP/2 has sent the one before. Completes after the last batch,
 * or when the client has ended the call.
 *
 * @param nextBatch makes a batch, and gets the number of those before it. If it throws, the stream fails.
 */
export function pacedStream(
  call: Stream,
  batchCount: number,
  nextBatch: (sent: number) => Promise<object>,
): Observable<never> {
  return defer(async () => {
    for (let sent = 0; sent < batchCount && isOpen(call); sent += 1) await send(call, nextBatch(sent));
  }).pipe(ignoreElements());
}

const isOpen = ({ cancelled, writableEnded }: Stream): boolean => !cancelled && !writableEnded;

/** Nothing here or in the caller refers to the batch while a client reads nothing: it takes many times the memory of its bytes. */
function send(call: Stream, made: Promise<object>): Promise<void> {
  return made.then((batch) => (isOpen(call) ? sentBatch(call, batch) : undefined));
}

/** Resolves when the batch has left for the client, which has room for it, or when the call ends. */
function sentBatch(call: Stream, batch: object): Promise<void> {
  const write = new PendingWrite(call);
  call.write(batch, write.end);
  return write.over;
}

class PendingWrite {
  private resolve!: () => void;
  readonly over = new Promise<void>((resolve) => (this.resolve = resolve));
  readonly end = (): void => {
    this.call.off('cancelled', this.end);
    this.resolve();
  };

  constructor(private readonly call: Stream) {
    call.once('cancelled', this.end);
  }
}

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
    for (let sent = 0; sent < batchCount && isOpen(call); sent += 1) {
      const batch = await nextBatch(sent);
      if (isOpen(call)) await sentBatch(call, batch);
    }
  }).pipe(ignoreElements());
}

const isOpen = ({ cancelled, writableEnded }: Stream): boolean => !cancelled && !writableEnded;

/** Resolves when the batch has left for the client, which has room for it, or when the call ends. */
function sentBatch(call: Stream, batch: object): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      call.off('cancelled', end);
      resolve();
    };
    call.once('cancelled', end);
    call.write(batch, end);
  });
}

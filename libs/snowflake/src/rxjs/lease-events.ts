import { Observable } from 'rxjs';
import { concealed } from '../core/errors/show-value.js';
import { InvalidOptionError } from '../core/index.js';
import type { LeaseEvent } from '../lease/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';

/**
 * Returns the events of an ID maker as an observable. It is cold and never errors: each subscription subscribes to the
 * maker, hears what happens from then on, and completes when the maker has stopped and its worker ID is released.
 *
 * What a `next` handler throws never reaches the maker. RxJS reports it as an uncaught exception, as it does for every
 * observable.
 *
 * @throws InvalidOptionError if `maker` is not an ID maker
 */
export function leaseEvents(maker: SnowflakeIdMaker): Observable<LeaseEvent> {
  if (typeof maker?.subscribe !== 'function') {
    const remedy = 'Pass an injected SnowflakeIdMaker.';
    throw new InvalidOptionError('maker', concealed(maker), 'is not an ID maker', remedy);
  }
  return new Observable((subscriber) => {
    // The release and its outcome follow the state `stopped`. A stopped maker returns the promise of its only stop.
    const completeAfterStop = (): void => void maker.stop().then(() => subscriber.complete());
    const unsubscribe = maker.subscribe((event) => {
      subscriber.next(event);
      if (event.type === 'state' && event.to === 'stopped') completeAfterStop();
    });
    if (maker.status().state === 'stopped') completeAfterStop();
    return unsubscribe;
  });
}

import type { WatchChange, WatchEvent } from 'nestjs-snowflake-console';
import { changed } from '../../../libs/snowflake-console/page/src/live/changed.js';
import type { HttpApp } from '../../adapters/http-apps.js';
import { waitFor } from '../../support/wait.js';
import { ask } from './console-app.js';

const TIMEOUT_MS = 20_000;

/** Reads the events of a console at `/snowflake`, as its page does. */
export class EventListener {
  private readonly reader: ReadableStreamDefaultReader<string>;
  private text = '';
  private latest: WatchEvent | undefined;
  /** How many characters the last event had. */
  lastLength = 0;

  private constructor(readonly response: Response) {
    this.reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Waits for a place: the app notices a moment later that the listener of another test has left. */
  static async open(app: HttpApp): Promise<EventListener> {
    return waitFor('a place for a listener', TIMEOUT_MS, async () => {
      const response = await ask(app, '/snowflake/api/events');
      if (response.status === 200) return new EventListener(response);
      await response.body?.cancel();
      return undefined;
    });
  }

  /** The next event; undefined if the answer has ended. */
  async next(): Promise<WatchEvent | undefined> {
    for (;;) {
      const end = this.text.indexOf('\n\n');
      if (end >= 0) {
        const block = this.text.slice(0, end);
        this.text = this.text.slice(end + 2);
        const [, name, data] = /^event: (watch|change)\ndata: (.*)$/s.exec(block) ?? [];
        if (data === undefined) continue;
        this.lastLength = data.length;
        const value = JSON.parse(data) as WatchEvent & WatchChange;
        this.latest = name === 'watch' ? value : (changed(this.latest, value) as WatchEvent);
        return this.latest;
      }
      const { done, value } = await this.reader.read();
      if (done) return undefined;
      this.text += value;
    }
  }

  /** Resolves to the next event that `wanted` accepts. Earlier events can be of an earlier reading or of a slow store. */
  async nextWith(wanted: (event: WatchEvent) => boolean): Promise<WatchEvent> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error('The events have ended.');
      if (wanted(event)) return event;
    }
  }

  leave(): Promise<void> {
    return this.reader.cancel();
  }
}

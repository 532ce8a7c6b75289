import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { OrdersProcess } from '../../apps/orders/test/support/orders-process.js';
import { startedApp } from '../../apps/shared/test/support/started-app.js';
import { MarkdownPage } from './markdown.js';
import { cleanUpAfterAll, temporaryFolder } from '../support/clean-up.js';

const readme = MarkdownPage.read('apps/orders/README.md');
const decoder = new IdDecoder(new BitLayout());
const ID = /^\d{15,19}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** One command of the page and what it printed. */
interface Step {
  readonly path: string;
  readonly body: string | undefined;
  readonly printed: unknown;
}

/** `$ command \` with lines that go on, and the JSON under it. */
function stepsOf(session: string): Step[] {
  return session.split(/^\$ /m).flatMap((part) => {
    const [command = '', ...output] = part.replaceAll('\\\n', ' ').split('\n');
    if (command === '') return [];
    const [, path = ''] = /^curl -s http:\/\/localhost:3000(\/\S*)/.exec(command) ?? [];
    return { path, body: /-d '([^']*)'/.exec(command)?.[1], printed: JSON.parse(output.join('')) as unknown };
  });
}

/** IDs and times as the page prints them → those of this run. */
class Likeness {
  private readonly actualId = new Map<string, string>();

  /** A text of the page with the IDs of this run in the place of the printed ones. */
  inThisRun(text: string): string {
    return text.replaceAll(/\d{15,19}/g, (printed) => this.actualId.get(printed) ?? printed);
  }

  /** `actual` as the page would have printed it: equal to `printed` if the two have the same form. */
  asPrinted(printed: unknown, actual: unknown, key = ''): unknown {
    if (typeof printed === 'string' && typeof actual === 'string') return this.text(printed, actual);
    if (key === 'timestampMs') return typeof actual === 'number' ? printed : actual;
    if (typeof printed !== 'object' || typeof actual !== 'object' || !printed || !actual) return actual;
    const entries = Object.entries(actual).map(([name, value]) => {
      const counterpart = (printed as Record<string, unknown>)[name];
      return [name, this.asPrinted(counterpart, value, name)];
    });
    return Array.isArray(actual) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }

  private text(printed: string, actual: string): string {
    if (TIME.test(printed) && TIME.test(actual)) return printed;
    if (!ID.test(printed) || !ID.test(actual)) return actual;
    const known = this.actualId.get(printed) ?? actual;
    this.actualId.set(printed, known);
    return known === actual ? printed : actual;
  }
}

describe('the session on the page of the demo', () => {
  const steps = readme.blocksIn('console').flatMap(({ text }) => stepsOf(text));
  const folder = temporaryFolder(cleanUpAfterAll());

  const orders = startedApp(() => OrdersProcess.spawn({}, folder));

  it('prints what the backend answers', async () => {
    expect(steps.map(({ path }) => path.replace(/\d{15,}/, ':id'))).toEqual([
      '/customers',
      '/orders',
      '/ids/:id',
    ]);
    const likeness = new Likeness();
    for (const { path, body, printed } of steps) {
      const response = await fetch(`${orders().client.url}${likeness.inThisRun(path)}`, {
        ...(body !== undefined && { method: 'POST', body: likeness.inThisRun(body) }),
        headers: { 'content-type': 'application/json' },
      });
      expect(likeness.asPrinted(printed, await response.json())).toEqual(printed);
      expect(response.ok).toBe(true);
    }
  });

  it('decodes the ID as the library does', () => {
    const printed = steps.at(-1)?.printed;
    const id = (printed as { readonly id: string }).id;
    const decoded = decoder.decode(id);
    expect(printed).toEqual({
      id: decoded.id,
      timestamp: decoded.timestamp.toISOString(),
      timestampMs: decoded.timestampMs,
      workerId: decoded.workerId,
      sequence: decoded.sequence,
    });
  });
});

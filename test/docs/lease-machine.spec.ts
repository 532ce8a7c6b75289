import { readFileSync } from 'node:fs';
import { TRANSITIONS } from '../../libs/snowflake/src/lease/lease-machine.js';
import { join } from 'node:path';
import { ROOT } from './markdown.js';

describe('the picture of the lease machine', () => {
  const svg = readFileSync(join(ROOT, 'docs/assets/lease-machine.svg'), 'utf8');

  it('describes every transition, and no other', () => {
    const [, description = ''] = /<desc id="desc">\n([\s\S]*?)\n\s*<\/desc>/.exec(svg) ?? [];
    const transitions = TRANSITIONS.map(({ on, from, to }) => {
      const what = to === undefined ? 'keeps the phase' : `leads to ${to}`;
      return `In ${from.join(', ')}: ${on.join(' or ')} ${what}.`;
    });
    expect(description.split('\n').map((line) => line.trim())).toEqual([...new Set(transitions)]);
  });

  it('shows every phase, and every event that leads to another one', () => {
    const shown = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);
    const changes = TRANSITIONS.filter(({ to }) => to !== undefined);
    const named = changes.flatMap(({ on, from, to }) => [...on, ...from, String(to)]);
    expect(
      [...new Set(named)].filter((name) => !shown.some((text) => text.split(/,? /).includes(name))),
    ).toEqual([]);
  });
});

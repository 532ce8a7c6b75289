/** What the parts of a layout's fingerprint are called in messages. */
const PARTS: Readonly<Record<string, string>> = {
  epoch: 'epoch',
  tick: 'tick',
  timestamp: 'timestamp bits',
  datacenter: 'datacenter bits',
  worker: 'worker bits',
  sequence: 'sequence bits',
  workers: 'range of worker IDs (first + count)',
};

/** Longer than any layout. The registry or a service can return a text of any length. */
const LONGEST = 200;

/** Returns a stored layout as errors keep it. */
export function shortLayout(stored: string): string {
  return stored.length > LONGEST ? `${stored.slice(0, LONGEST)}…` : stored;
}

/** Says in which parts two stored layouts differ, because nobody finds a digit in two lines of 80 characters. */
export function layoutDifference(storedText: string, own: string): string {
  const stored = shortLayout(storedText);
  const storedParts = partsOf(stored);
  const ownParts = partsOf(own);
  const differences = [...new Set([...storedParts.keys(), ...ownParts.keys()])]
    .filter((part) => storedParts.get(part) !== ownParts.get(part))
    .map(
      (part) =>
        `${PARTS[part] ?? part} ${storedParts.get(part) ?? 'none'} there, ${ownParts.get(part) ?? 'none'} here`,
    );
  return differences.length === 0 ? `"${stored}" there, "${own}" here` : differences.join('; ');
}

function partsOf(layout: string): Map<string, string> {
  return new Map(
    layout.split(' ').map((part) => {
      const [name = '', value = ''] = part.split(/[=:](.*)/s);
      return value === '' ? ['version', name] : [name, value];
    }),
  );
}

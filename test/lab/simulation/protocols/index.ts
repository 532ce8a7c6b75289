import type { Protocol } from '../protocol.js';
import { articleAsPrinted, articleRepaired } from './article.js';
import { expiringKey } from './expiring-key.js';
import { KEY_VALUE_REMOVALS, keyValue } from './key-value.js';
import { ours } from './ours.js';
import { REMOVALS } from './removals.js';
import { oursThroughServices } from './through-services.js';

export { KEY_VALUE_REMOVALS, keyValue } from './key-value.js';
export { ours } from './ours.js';
export { REMOVALS } from './removals.js';

/** This library's protocol and everything that it is compared with. */
export const PROTOCOLS: readonly Protocol[] = [
  ours(),
  keyValue(),
  articleAsPrinted,
  articleRepaired,
  expiringKey,
  ...REMOVALS.map((removal) => ours(removal)),
  ...KEY_VALUE_REMOVALS.map((removal) => keyValue(removal)),
].map((protocol) => protocol as unknown as Protocol);

/** Behind services. Run by name only, because nothing but the faults `services` is about them. */
const THROUGH_SERVICES: readonly Protocol[] = [
  oursThroughServices('ours through services'),
  oursThroughServices('any response taken', { takesAnyResponse: true }),
].map((protocol) => protocol as unknown as Protocol);

/** @throws Error that names the protocols there are */
export function protocolNamed(name: string): Protocol {
  const protocols = [...PROTOCOLS, ...THROUGH_SERVICES];
  const found = protocols.find((protocol) => protocol.name === name);
  if (found) return found;
  throw new Error(
    `No protocol "${name}"; there are ${protocols.map((protocol) => protocol.name).join(', ')}`,
  );
}

import type { Clock } from '../clock/clock.js';
import { systemClock } from '../clock/system-clock.js';
import { type IdCodec, requireCodec } from '../codecs/id-codec.js';
import { InvalidIdError } from '../errors/input-errors.js';
import { IdDecoder } from '../ids/decoder.js';
import { wordsOf } from '../ids/id-words.js';
import { layoutOf } from '../layout/layout-of.js';
import type { BitLayoutOptions, Instant } from '../layout/bit-layout-options.js';
import { instantMs } from '../layout/instant.js';
import type { LayoutPresetName } from '../layout/presets.js';
import {
  type Checked,
  checkedBy,
  checkedOptions,
  type OptionRules,
  unchecked,
  wholeNumber,
} from '../options/option-rule.js';
import type { ClientIdOptions } from './client-id-options.js';

const CODEC = checkedBy((option, value) => requireCodec(option, value as IdCodec<string>));
const INSTANT = checkedBy((option, value) => instantMs(option, value as Instant));

export const CLIENT_ID_OPTIONS = {
  codec: CODEC.optional(),
  layout: unchecked<BitLayoutOptions | LayoutPresetName>().optional(),
  epoch: unchecked<Instant>().optional(),
  madeFrom: INSTANT.optional(),
  madeBefore: INSTANT.optional(),
  maxAheadMs: wholeNumber(0, 86_400_000).optional(),
} satisfies OptionRules<ClientIdOptions>;

/** The ID in decimal digits, or what is wrong with the value, as the end of a sentence: `is missing`. */
export type ClientIdReading =
  | { readonly id: string; readonly problem?: undefined }
  | { readonly id?: undefined; readonly problem: string };

/** Reads IDs that clients send. Never throws for what a client sends. */
export class ClientIdReader {
  private readonly toDecimal: (text: string) => string;
  private readonly timeProblem: ((id: string) => string | undefined) | undefined;
  private readonly hint: string;

  /** @throws InvalidOptionError if the options don't fit each other */
  constructor(options: Checked<typeof CLIENT_ID_OPTIONS>, clock: Pick<Clock, 'now'> = systemClock) {
    const { codec } = options;
    this.toDecimal = codec ? (text) => codec.decode(text) : checkedDecimal;
    this.timeProblem = timeCheck(options, clock);
    const form = codec ? '' : ': a string of 1 to 19 digits, at most 9223372036854775807';
    this.hint = `Send the ID as the API returned it${form}.`;
  }

  /** @throws InvalidOptionError */
  static of(options: ClientIdOptions = {}, clock?: Pick<Clock, 'now'>): ClientIdReader {
    return new ClientIdReader(checkedOptions('options', options, CLIENT_ID_OPTIONS), clock);
  }

  read(value: unknown): ClientIdReading {
    if (value === undefined || value === null) return { problem: 'is missing' };
    if (typeof value === 'number') return { problem: "is a JSON number, which can't hold 64 bits exactly" };
    if (typeof value !== 'string') return { problem: 'is not a string' };
    try {
      const id = this.toDecimal(value);
      const problem = this.timeProblem?.(id);
      return problem === undefined ? { id } : { problem };
    } catch (error) {
      if (error instanceof InvalidIdError) return { problem: error.problem };
      throw error;
    }
  }

  /** Returns a message for the client, who sent a value with this problem under `name`. */
  message(name: string, problem: string): string {
    return `${name} is not a valid ID: it ${problem}. ${this.hint}`;
  }
}

function checkedDecimal(text: string): string {
  wordsOf(text);
  return text;
}

/** Returns a check of the time in an ID; undefined if no option needs the bit layout. */
function timeCheck(
  { layout, epoch, madeFrom, madeBefore, maxAheadMs }: Checked<typeof CLIENT_ID_OPTIONS>,
  clock: Pick<Clock, 'now'>,
): ((id: string) => string | undefined) | undefined {
  if ([layout, epoch, madeFrom, madeBefore, maxAheadMs].every((option) => option === undefined)) return;
  const decoder = new IdDecoder(layoutOf(layout, epoch));
  return (id) => {
    const { timestampMs } = decoder.decode(id);
    if (madeFrom !== undefined && timestampMs < madeFrom)
      return 'is older than the IDs that are accepted here';
    if (madeBefore !== undefined && timestampMs >= madeBefore)
      return 'is newer than the IDs that are accepted here';
    if (maxAheadMs !== undefined && timestampMs > clock.now() + maxAheadMs) return 'has a time in the future';
    return undefined;
  };
}

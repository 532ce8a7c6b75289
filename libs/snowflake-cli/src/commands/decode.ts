import type { Command } from 'commander';
import type { CodecName } from 'nestjs-snowflake/internal/core/codecs/text-codecs';
import { type BitLayout, type DecodedId, IdDecoder, InvalidIdError, visible } from 'nestjs-snowflake/core';
import { EXIT } from '../frame/exit-code.js';
import { errorText } from '../frame/report-error.js';
import type { Terminal } from '../frame/terminal.js';
import { bitPicture } from '../ids/bit-picture.js';
import { DOUBTS, doubtsAbout, RoundedShare } from '../ids/id-doubts.js';
import { localTime, relativeTime } from '../ids/show-time.js';
import { type FoundText, FoundTexts } from '../ids/found-texts.js';
import { LinesWithoutId } from '../ids/lines-without-id.js';
import type { FoundOrigin, OriginSearch } from '../ids/origin-search.js';
import { codecOption } from '../ids/text-codecs.js';
import { addLayoutOptions, layoutFrom, type LayoutFlags } from '../settings/layout-options.js';
import { addServerFlags, type StoreFlags } from './stores/store-flags.js';

interface DecodeFlags extends LayoutFlags, StoreFlags {
  readonly who?: true;
  readonly codec?: CodecName;
  readonly json?: true;
}

/** Adds `decode`. */
export function addDecode(program: Command, terminal: Terminal): void {
  const command = program
    .command('decode')
    .description('Show when IDs were generated, and with which worker ID.')
    .argument(
      '[id...]',
      'IDs to decode, or texts with IDs; if omitted or -, the lines of standard input, such as a log',
    )
    .addOption(codecOption('text form of the IDs (default: detected)'));
  addServerFlags(addLayoutOptions(command))
    .option(
      '--who',
      'name the process that generated each ID, by the store of --options; implied by --redis and others',
    )
    .option('--json', 'print one JSON object per line')
    .action(async (ids: string[], flags: DecodeFlags) => {
      const origins = asksWho(flags) ? await originsFrom(flags, terminal) : undefined;
      const layout = (isLayoutGiven(flags) ? undefined : origins?.layout) ?? (await layoutFrom(flags));
      const decoding = new Decoding(layout, flags, terminal, origins);
      if (ids.length > 0 && !ids.includes('-')) return decoding.decodeArguments(ids);
      if (terminal.isInputInteractive)
        terminal.printError('Type IDs, or paste lines with IDs. Press Ctrl+D to end.\n');
      return decoding.decodeLines();
    });
}

/** Most IDs are decoded without a store, so its clients are loaded only here. */
async function originsFrom(flags: DecodeFlags, terminal: Terminal): Promise<OriginSearch> {
  const { OriginSearch } = await import('../ids/origin-search.js');
  return OriginSearch.read(flags, terminal);
}

function asksWho({ who, redis, database, etcd, zookeeper }: DecodeFlags): boolean {
  return who === true || [redis, database, etcd, zookeeper].some((url) => url !== undefined);
}

/** Without a layout, that of the namespace is right. */
function isLayoutGiven({ layout, epoch, options }: DecodeFlags): boolean {
  return [layout, epoch, options].some((flag) => flag !== undefined);
}

class Decoding {
  private readonly decoder: IdDecoder;
  private readonly texts: FoundTexts;
  private readonly rounded = new RoundedShare();
  private shownCount = 0;

  constructor(
    private readonly layout: BitLayout,
    private readonly flags: DecodeFlags,
    private readonly terminal: Terminal,
    private readonly origins: OriginSearch | undefined,
  ) {
    this.decoder = new IdDecoder(layout);
    this.texts = new FoundTexts(layout, flags.codec);
  }

  decodeArguments(texts: readonly string[]): void {
    for (const text of texts) {
      const { ids, problem } = this.texts.find(text);
      for (const id of ids) this.decode(id);
      if (ids.length === 0) this.report(problem);
    }
    this.reportTexts();
  }

  /** Waits until the results of a line are written, so that memory use doesn't grow with the input. */
  async decodeLines(): Promise<void> {
    const without = new LinesWithoutId();
    let line = 0;
    for await (const given of this.terminal.inputLines()) {
      line++;
      const text = given.trim();
      if (text === '') continue;
      const found = this.texts.find(text);
      const wrong = without.add(line, found);
      if (wrong) this.report(wrong.problem, wrong.line);
      for (const id of found.ids) this.decode(id, line);
      await this.terminal.flush();
    }
    const { first, count } = without.end();
    if (first) this.report(first.problem, first.line);
    if (first && count > 1) this.terminal.printError(`error: No ID was found in ${count} lines.\n`);
    this.reportTexts();
  }

  /** Reports an ID that the layout can't read, and continues with the others. */
  private decode(found: FoundText, line?: number): void {
    try {
      this.show(this.decoder.decode(found.id), found, line);
    } catch (error) {
      this.report(error, line);
    }
  }

  private report(error: unknown, line?: number): void {
    if (!(error instanceof InvalidIdError)) throw error;
    this.terminal.printError(`${errorText(error, line === undefined ? '' : `line ${line}: `)}\n`);
    this.terminal.exitCode = EXIT.failure;
  }

  /** Reports what concerns all IDs that were found in texts. */
  private reportTexts(): void {
    const { card, time } = this.texts.leftOut;
    const left = [
      ...(card > 0 ? [`card numbers (${card})`] : []),
      ...(time > 0 ? [`times in microseconds (${time})`] : []),
    ].join(' and ');
    if (left !== '')
      this.terminal.printError(`Left out what looks like ${left}. To decode such a number, pass it alone.\n`);
    const { warning } = this.rounded;
    if (warning !== undefined) this.terminal.printError(`warning: ${warning}\n`);
  }

  private show(decoded: DecodedId, found: FoundText, line: number | undefined): void {
    const nowMs = this.terminal.now();
    const { text: input, key } = found;
    const doubts = doubtsAbout(this.decoder, decoded.id, { input, nowMs });
    const warnings = found.isWhole ? doubts : this.rounded.withoutRounded(doubts);
    const origin = this.origins?.find(decoded, this.layout);
    const place = found.isWhole ? {} : { line, key };
    if (this.flags.json) {
      const shown = { input, ...place, ...decoded.toJSON(), ...madeBy(origin), warnings };
      this.terminal.print(`${visible(JSON.stringify(shown))}\n`);
      return;
    }
    const lines = [
      ...placeLines(place),
      `UTC    ${decoded.timestamp.toISOString()}`,
      `local  ${localTime(decoded.timestampMs)}`,
      `age    ${relativeTime(decoded.timestampMs, nowMs)}`,
      ...(origin ? [`by     ${visible(this.origins?.textOf(origin) ?? '')}`] : []),
      '',
      ...bitPicture(decoded, this.layout, this.terminal),
      ...warnings.flatMap((doubt) => ['', this.terminal.style('yellow', `warning: ${DOUBTS[doubt]}`)]),
    ];
    const body = lines.map((each) => (each === '' ? '\n' : `  ${each}\n`)).join('');
    const gap = this.shownCount++ > 0 ? '\n' : '';
    this.terminal.print(`${gap}${this.terminal.style('bold', decoded.id)}\n${body}`);
  }
}

/** Returns where an ID was found in a longer text. */
function placeLines({ line, key }: { readonly line?: number; readonly key?: string }): string[] {
  const parts = [...(line === undefined ? [] : [`line ${line}`]), ...(key === undefined ? [] : [key])];
  return parts.length === 0 ? [] : [`found  ${parts.join(', ')}`];
}

/** Returns the origin as fields of a JSON object; none if nobody asked. */
function madeBy(found: FoundOrigin | undefined): object {
  return found === undefined ? {} : { madeBy: found };
}

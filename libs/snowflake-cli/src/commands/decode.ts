import type { Command } from 'commander';
import type { CodecName } from 'nestjs-snowflake/kit';
import { type BitLayout, type DecodedId, IdDecoder, InvalidIdError, visible } from 'nestjs-snowflake/core';
import { EXIT } from '../frame/exit-code.js';
import { errorText } from '../frame/report-error.js';
import type { Terminal } from '../frame/terminal.js';
import { bitPicture } from '../ids/bit-picture.js';
import { DOUBTS, doubtsAbout } from '../ids/id-doubts.js';
import { localTime, relativeTime } from '../ids/show-time.js';
import { type FoundOrigin, OriginSearch, originText } from '../ids/origin-search.js';
import { codecOption, IdReader } from '../ids/text-codecs.js';
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
    .description('Show when IDs were made, and with which worker ID.')
    .argument('[id...]', 'IDs to decode; if omitted or -, they are read from standard input, one per line')
    .addOption(codecOption('text form of the IDs (default: detected)'));
  addServerFlags(addLayoutOptions(command))
    .option(
      '--who',
      'name the process that made each ID, by the store of --options; implied by --redis and others',
    )
    .option('--json', 'print one JSON object per line')
    .action(async (ids: string[], flags: DecodeFlags) => {
      const origins = asksWho(flags) ? await OriginSearch.read(flags) : undefined;
      const layout = (isLayoutGiven(flags) ? undefined : origins?.layout) ?? (await layoutFrom(flags));
      const decoding = new Decoding(layout, flags, terminal, origins);
      if (ids.length > 0 && !ids.includes('-')) return decoding.decodeArguments(ids);
      if (terminal.isInputInteractive) terminal.printError('Type one ID per line. Press Ctrl+D to end.\n');
      return decoding.decodeLines();
    });
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
  private readonly reader: IdReader;
  private shownCount = 0;

  constructor(
    private readonly layout: BitLayout,
    private readonly flags: DecodeFlags,
    private readonly terminal: Terminal,
    private readonly origins: OriginSearch | undefined,
  ) {
    this.decoder = new IdDecoder(layout);
    this.reader = new IdReader(layout, flags.codec);
  }

  decodeArguments(ids: readonly string[]): void {
    for (const id of ids) this.decode(id);
  }

  /** Waits until each result is written, so that memory use doesn't grow with the input. */
  async decodeLines(): Promise<void> {
    let line = 0;
    for await (const text of this.terminal.inputLines()) {
      line++;
      const id = text.trim();
      if (id === '') continue;
      this.decode(id, `line ${line}: `);
      await this.terminal.flush();
    }
  }

  /** Reports an invalid ID and continues with the others. */
  private decode(text: string, place = ''): void {
    try {
      this.show(this.decoder.decode(this.reader.read(text)), text);
    } catch (error) {
      if (!(error instanceof InvalidIdError)) throw error;
      this.terminal.printError(`${errorText(error, place)}\n`);
      this.terminal.exitCode = EXIT.failure;
    }
  }

  private show(decoded: DecodedId, input: string): void {
    const nowMs = this.terminal.now();
    const warnings = doubtsAbout(this.decoder, decoded.id, { input, nowMs });
    const origin = this.origins?.find(decoded, this.layout);
    if (this.flags.json) {
      this.terminal.print(
        `${visible(JSON.stringify({ input, ...decoded.toJSON(), ...madeBy(origin), warnings }))}\n`,
      );
      return;
    }
    const lines = [
      `UTC    ${decoded.timestamp.toISOString()}`,
      `local  ${localTime(decoded.timestampMs)}`,
      `age    ${relativeTime(decoded.timestampMs, nowMs)}`,
      ...(origin ? [`by     ${visible(originText(origin))}`] : []),
      '',
      ...bitPicture(decoded, this.layout, this.terminal),
      ...warnings.flatMap((doubt) => ['', this.terminal.style('yellow', `warning: ${DOUBTS[doubt]}`)]),
    ];
    const body = lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
    const gap = this.shownCount++ > 0 ? '\n' : '';
    this.terminal.print(`${gap}${this.terminal.style('bold', decoded.id)}\n${body}`);
  }
}

/** Returns the origin as fields of a JSON object; none if nobody asked. */
function madeBy(found: FoundOrigin | undefined): object {
  return found === undefined ? {} : { madeBy: found };
}

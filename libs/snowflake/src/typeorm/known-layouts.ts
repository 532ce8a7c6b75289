import { IdDecoder, InvalidOptionError, type IdSource } from '../core/index.js';

/** Reads the IDs of one bit layout: a `SnowflakeIdMaker`, or an `IdDecoder` where no IDs are made. */
export type IdReader = Pick<IdDecoder, 'decode' | 'idRange'>;

/**
 * Every bit layout that was attached under the name of a generator. An entity and a find operator know that name and
 * no DataSource. A layout never changes, so nothing has to be forgotten; where the name is ambiguous, it is refused.
 */
const known = new Map<string, Map<string, IdDecoder>>();

/** Makes the layout of a source known. One that tells no layout, as a stand-in in a test may, is passed over. */
export function rememberLayout(generator: string, { layout }: IdSource): void {
  if (layout === undefined) return;
  const readers = known.get(generator) ?? new Map<string, IdDecoder>();
  known.set(generator, readers.set(layout.fingerprint, new IdDecoder(layout)));
}

/**
 * Who reads the IDs of a generator.
 *
 * @throws InvalidOptionError when no layout of that name is attached, or several
 */
export function readerOf(generator: string): IdReader {
  const readers = [...(known.get(generator)?.values() ?? [])];
  const [reader] = readers;
  if (reader !== undefined && readers.length === 1) return reader;
  const attached = reader === undefined ? 'no bit layout is' : `${readers.length} bit layouts are`;
  throw missingReader(`${attached} attached under the generator '${generator}' in this process`);
}

/** @param why what keeps the layout from being known, as the end of a sentence */
export function missingReader(why: string): InvalidOptionError {
  return new InvalidOptionError(
    'ids',
    undefined,
    `is left out, and ${why}`,
    'Pass the SnowflakeIdMaker of these IDs, or new IdDecoder(new BitLayout(…)), as the last argument.',
  );
}

/** @param label what people call the column */
export function textColumn(label: string, type: string): InvalidOptionError {
  return new InvalidOptionError(
    label,
    type,
    'sorts IDs as text, so that a range of IDs is no range of time',
    'Declare the column as bigint, or keep the time in a column of its own.',
  );
}

import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { SeriesDefinition } from '../src/core/series-definition.js';
import { writeDate } from '../src/core/civil-date.js';
import { runs } from '../../../test/support/runs.js';
import { databaseFor } from '../../../test/support/servers/index.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'Asia/Kolkata',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Apia',
];
const HOUR_MS = 3_600_000;
/** The hours around New Year and around the changes of summer time, of the years 2000 to 2024. */
const instants = fc
  .record({
    year: fc.integer({ min: 2000, max: 2024 }),
    day: fc.constantFrom('01-01', '03-10', '03-28', '04-03', '10-03', '10-18', '10-29', '11-04', '12-30'),
    offsetMs: fc.integer({ min: -4 * 24 * HOUR_MS, max: 4 * 24 * HOUR_MS }),
  })
  .map(({ year, day, offsetMs }) => Date.parse(`${year}-${day}T00:00:00Z`) + offsetMs);

describe('the date of a document in a zone [promise: series]', () => {
  let database: DataSource;
  beforeAll(async () => {
    database = await new DataSource({
      type: 'postgres',
      url: await databaseFor('postgres', 'zones'),
    }).initialize();
  });
  afterAll(() => database?.destroy());

  it('agrees with PostgreSQL around New Year and summer time', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...ZONES), instants), { minLength: 200, maxLength: 200 }),
        async (cases) => {
          const own = cases.map(([zone, ms]) => {
            const definition = new SeriesDefinition({ format: '{year}-{number}', resets: 'year', zone });
            return writeDate(definition.dateAt(ms));
          });
          const rows = await database.query<{ date: string }[]>(
            `SELECT to_char(to_timestamp(ms / 1000.0) AT TIME ZONE zone, 'YYYY-MM-DD') AS date
           FROM unnest($1::text[], $2::float8[]) WITH ORDINALITY AS given(zone, ms, at) ORDER BY at`,
            [cases.map(([zone]) => zone), cases.map(([, ms]) => ms)],
          );
          expect(own).toEqual(rows.map(({ date }) => date));
        },
      ),
      { numRuns: runs(100) },
    ));
});

import { staticLeaseStore } from '../../stores/fixed/fixed-worker-ids.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { SnowflakeOptions } from '../../maker/snowflake-options.js';
import { BitLayout } from '../layout/bit-layout.js';
import type { BitLayoutOptions } from '../layout/bit-layout-options.js';
import { suggestLayout } from '../layout/suggest-layout.js';

const store = staticLeaseStore({ workerId: 0 });
const maker = (options: object) => (): unknown =>
  new SnowflakeIdMaker({ store, ...options } as SnowflakeOptions);

describe('an unknown option', () => {
  it.each<[string, () => unknown, string]>([
    [
      'misspelt',
      maker({ epcoh: 0 }),
      'Unknown option "epcoh". Did you mean "epoch"? Valid options: store, layout,',
    ],
    [
      'of another case',
      maker({ datacenterID: 0 }),
      'Unknown option "datacenterID". Did you mean "datacenterId"?',
    ],
    ['of a group', maker({ windowMs: 9 }), 'Unknown option "windowMs". Did you mean "lease.windowMs"?'],
    ['of the top', maker({ layout: { epoch: 0 } }), 'Unknown option "layout.epoch". Did you mean "epoch"?'],
    [
      'in a group',
      maker({ lease: { windowMS: 9 } }),
      'Unknown option "lease.windowMS". Did you mean "lease.windowMs"?',
    ],
    ['like no other', maker({ colour: 1 }), 'Unknown option "colour". Valid options: store, layout,'],
    [
      'that may be a secret',
      maker({ 'hunter2-f00b4r': 1 }),
      'Unknown option "(not shown)". Valid options: store,',
    ],
    [
      'of a layout',
      () => new BitLayout({ worker: 1 } as BitLayoutOptions),
      'Unknown option "layout.worker". Did you mean "layout.workerBits"?',
    ],
    [
      'of a suggestion',
      () => suggestLayout({ year: 1 } as unknown as Parameters<typeof suggestLayout>[0]),
      'Did you mean "years"?',
    ],
  ])('%s is refused, with the name that was meant', (_which, call, message) => {
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }));
    expect(call).toThrow(message);
  });
});

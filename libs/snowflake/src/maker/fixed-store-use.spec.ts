import { staticLeaseStore } from '../stores/static/index.js';
import { VirtualClock } from '../testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

describe('a store of one grant', () => {
  it('says that it is not given to a second ID maker, not even when the first one was stopped', async () => {
    const clock = new VirtualClock();
    const store = staticLeaseStore({ workerId: 7, clock });
    const first = new SnowflakeIdMaker({ store }, { clock });
    await first.start();
    await first.stop();
    await expect(new SnowflakeIdMaker({ store }, { clock }).start()).rejects.toThrow(
      /^store has given its only worker ID to another ID maker for ever, even if that one was stopped/,
    );
  });
});

import { register } from 'prom-client';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import type { DoorUse } from '../door-use.js';

export const prometheus: DoorUse = {
  imports: [SnowflakePrometheusModule],
  async use() {
    const scrape = await register.metrics();
    return /^snowflake_worker_id\{.*\} \d+$/m.test(scrape);
  },
};

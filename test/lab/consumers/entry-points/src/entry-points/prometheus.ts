import { register } from 'prom-client';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import type { EntryPointUse } from '../entry-point-use.js';

export const prometheus: EntryPointUse = {
  imports: [SnowflakePrometheusModule],
  async use() {
    const scrape = await register.metrics();
    return /^snowflake_worker_id\{.*\} \d+$/m.test(scrape);
  },
};

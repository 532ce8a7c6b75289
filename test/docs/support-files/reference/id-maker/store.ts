import { memoryLeaseStore } from 'nestjs-snowflake/standalone';

export const store = memoryLeaseStore();

import { memoryLeaseStore } from 'nestjs-snowflake';

export const store = memoryLeaseStore();

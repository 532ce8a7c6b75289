import { sqlLeaseStore } from 'nestjs-snowflake/sql';

export const leaseStore = () =>
  sqlLeaseStore({ url: `sqlite:${process.env.LEASE_FILE}`, namespace: 'shop', createTable: true });

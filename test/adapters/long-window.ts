/**
 * A window that ends soon after the store is gone, and not while a busy machine keeps the process from renewing. Its calls
 * may take as long as such a machine does.
 */
export const LONG_WINDOW = {
  windowMs: 12_000,
  renewEveryMs: 400,
  callTimeoutMs: 1500,
  maxSkewMs: 3000,
  reserveMs: 2000,
  acquireTimeoutMs: 60_000,
  possibleLoss: 'ignore',
} as const;

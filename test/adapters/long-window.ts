/**
 * A window that ends soon after the store has become unreachable, but not while a busy host delays the renewals. The timeout
 * of its calls allows for such a host.
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

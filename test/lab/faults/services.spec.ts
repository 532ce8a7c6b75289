import { services } from './scenarios/services.js';
import { itPlays } from './support/it-plays.js';

// A file of its own, so that it runs beside faults.spec.ts: both wait for windows to pass.
describe('faults on real processes that lease through a service [promise: unique, after-loss, fail-closed]', () => {
  itPlays(services);
});

import everything from '../../jest.config.mjs';
import { PROOFS } from './proof.mjs';

/** `npm test`: what every change must pass, which is everything but the proofs. */
export default {
  ...everything,
  rootDir: '../..',
  testPathIgnorePatterns: [...everything.testPathIgnorePatterns, ...PROOFS],
  // They wait for servers and clocks as much as they compute.
  maxWorkers: 3,
};

import everything from '../../jest.config.mjs';

/** `npm test`: what every change must pass, which is everything but the lab. */
export default {
  ...everything,
  rootDir: '../..',
  testPathIgnorePatterns: [...everything.testPathIgnorePatterns, '<rootDir>/test/lab/'],
  // They wait for servers and clocks as much as they compute.
  maxWorkers: 3,
};

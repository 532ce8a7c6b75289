import { SCENARIOS } from './scenarios/index.js';
import { services } from './scenarios/services.js';
import { itPlays } from './support/it-plays.js';

describe('faults on real processes [promise: unique, after-loss, fail-closed]', () => {
  itPlays(SCENARIOS.filter((scenario) => !services.includes(scenario)));
});

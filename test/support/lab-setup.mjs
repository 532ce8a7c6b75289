import process from 'node:process';
import { provideChecker } from '../lab/model/checker.mjs';
import { prepareServers } from './global-setup.mjs';

/** Runs once before the lab: they need the model checker besides the servers, and make all runs (runs.ts). */
export default async function labSetup(config) {
  process.env.TEST_ALL_RUNS = 'true';
  await prepareServers(config, { isLab: true });
  await provideChecker();
}

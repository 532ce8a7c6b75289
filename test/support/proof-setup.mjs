import process from 'node:process';
import { provideChecker } from '../model/checker.mjs';
import prepareServers from './global-setup.mjs';

/** Runs once before the proofs: they need the model checker besides the servers, and make all runs (runs.ts). */
export default async function proofSetup(config) {
  process.env.TEST_ALL_RUNS = 'true';
  await prepareServers(config);
  await provideChecker();
}

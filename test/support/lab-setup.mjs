import process from 'node:process';
import { prepareServers } from './global-setup.mjs';

/** Runs once before the lab, which needs more packages than the other specs and makes all runs (runs.ts). */
export default function labSetup(config) {
  process.env.TEST_ALL_RUNS = 'true';
  return prepareServers(config, { isLab: true });
}

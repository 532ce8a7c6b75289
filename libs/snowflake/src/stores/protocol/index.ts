export { LeaseCall } from './lease-call.js';
export {
  Unreadable,
  type AsyncLeaseRegistry,
  type LeaseRegistry,
  type RegistryChanges,
  type ServerState,
  type WorkerRow,
} from './lease-registry.js';
export { run, runNow, type CorruptReply } from './questions.js';
export { releaseCall } from './release-call.js';

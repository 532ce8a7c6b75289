/**
 * What stores share that call a service over the network. It needs `fetch` alone. It is not API and has no semver: any release can
 * change it.
 *
 * @module
 */
export { DEFAULT_CALL_TIMEOUT_MS, deadlineIn } from './lease/call-deadline.js';
export { FieldReader } from './stores/remote/field-reader.js';
export { checkRemoteOptions, type RemoteServiceOptions } from './stores/remote/remote-options.js';
export { ServiceCalls } from './stores/remote/service-calls.js';

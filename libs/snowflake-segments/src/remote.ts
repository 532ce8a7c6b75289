/**
 * Claims segments from an ID service over HTTP.
 *
 * @module
 */
export { remoteSegmentStore, type RemoteSegmentStoreOptions } from './remote/remote-segment-store.js';

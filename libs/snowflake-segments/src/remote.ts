export { remoteSegmentStore, type RemoteSegmentStoreOptions } from './remote/remote-segment-store.js';

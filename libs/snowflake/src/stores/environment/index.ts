export { environmentStore, type EnvironmentStoreOptions } from './environment-store.js';

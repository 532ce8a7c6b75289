export { kubernetesLeaseStore, type KubernetesLeaseStoreOptions } from './kubernetes-lease-store.js';

export { kubernetesStore, type KubernetesStoreOptions } from './kubernetes-store.js';

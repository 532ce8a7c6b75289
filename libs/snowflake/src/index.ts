export * from './core/index.js';
export type * from './lease/index.js';
export * from './maker/index.js';
export * from './nest/index.js';
export * from './stores/environment/index.js';
export * from './stores/kubernetes/index.js';
export * from './stores/local-window/index.js';
export * from './stores/memory/index.js';
export * from './stores/static/index.js';

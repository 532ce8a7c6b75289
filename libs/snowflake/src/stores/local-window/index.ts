export { withLocalWindow, type LocalWindowOptions } from './with-local-window.js';

import { spaceName } from '../core/options/space-name.js';

/** The rule of the name of an ID space. */
export const NAMESPACE = spaceName('shop');

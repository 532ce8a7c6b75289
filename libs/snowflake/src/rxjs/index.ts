export { leaseEvents } from './lease-events.js';

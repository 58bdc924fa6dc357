export type { Everywhere } from '../configuration/running-instances.js';
export { PolicyService as PolicyRoom } from './policy.service.js';

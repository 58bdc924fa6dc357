export { ConfigurationService as ConfigurationRoom } from './configuration.service.js';

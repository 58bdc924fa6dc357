export { type ProjectorConfig, parseProjectorConfig } from './config.js';
export { startProjector } from './start-projector.js';

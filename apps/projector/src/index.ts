export { type ProjectorConfig, parseProjectorConfig } from './config.js';
export { NewerViews, startProjector } from './start-projector.js';

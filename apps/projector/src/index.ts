export { type ProjectorConfig, parseProjectorConfig } from './config.js';
export { NewerViews } from './folding/write-plan.js';
export { startProjector } from './start-projector.js';

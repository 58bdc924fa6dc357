export { evolve, type PlacedEvent } from './call/evolve.js';
export * from './call/state.js';
export { evolveConfiguration } from './configuration/evolve.js';
export * from './configuration/queries.js';
export { parseRange, parseSemver, type Semver } from './configuration/semver.js';
export * from './configuration/state.js';

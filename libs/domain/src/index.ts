export { evolve, type PlacedEvent } from './call/evolve.js';
export * from './call/state.js';

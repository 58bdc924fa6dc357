export * from './resolve.js';
export type { RulingInput } from './ruling-input.js';

export { CompiledMapping } from './compiled-mapping.js';
export type { Mapped } from './compiled-side.js';
export type { MappingDefinition, MappingIssue, MappingMode } from './definition.js';
export { Expression } from './expression.js';
export { definitionFaults } from './faults.js';
export { beyondPlainMoves, type GuardedFields } from './plain-moves.js';

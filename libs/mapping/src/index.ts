export { CompiledMapping } from './compiled-mapping.js';
export type { Mapped } from './compiled-side.js';
export type { CommandForm, DateForm, MappingDefinition, MappingIssue, MappingMode, MappingRule, NumberForm } from './definition.js';
export { definitionFaults } from './faults.js';
export { inverseOf, isLossless } from './inverse.js';

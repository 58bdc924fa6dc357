export { CelBindings, type FactTables, type Subject } from './cel/bindings.js';
export { type CelCondition, type CelExpression, type ConditionOutcome, compileCondition, compileExpression } from './cel/compile.js';
export type { ConditionEnvironment } from './cel/environment.js';
export type { ExpressionFault, Position } from './cel/syntax.js';
export * from './resolve.js';
export type { RulingInput } from './ruling-input.js';

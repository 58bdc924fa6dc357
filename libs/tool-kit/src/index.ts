export { type ContractParts, contractOf, faultsOfForeign } from './contract-of.js';
export { defineTool, type ToolDefinition } from './define-tool.js';
export { jsonSchemaOf, type Shape } from './json-schema-of.js';
export { shownText } from './shown-text.js';
export * from './tool.js';
export * from './tool-error.js';

export { definitionIssues } from './definition-issues.js';
export { type JsonHazard, prototypeKey, tooDeep } from './json-hazards.js';
export { NO_RATES, type RatesFile, readRates, type ToolRate } from './rates-file.js';
export { readDefinition } from './read-definition.js';
export { DEFINITION_NAME, isDefinitionVersion, type SagaDefinitionRequest, sagaDefinition } from './saga-definition.js';
export { bytesMaxOf, JSON_BYTES_MAX, type TextFormat, textValue } from './text-value.js';
export {
  type OverlayCompensation,
  type OverlayReconcile,
  overlayBinding,
  overlayCompensation,
  overlayReconcile,
  overlayResource,
  type ToolOverlay,
  toolOverlay,
} from './tool-overlay.js';
export { YAML_BYTES_MAX, yamlValue } from './yaml-text.js';

export { definitionIssues } from './definition-issues.js';
export { type JsonHazard, prototypeKey, tooDeep } from './json-hazards.js';
export { DEFINITION_NAME, isDefinitionVersion, type SagaDefinitionRequest, sagaDefinition } from './saga-definition.js';
export { YAML_BYTES_MAX, yamlValue } from './yaml-text.js';

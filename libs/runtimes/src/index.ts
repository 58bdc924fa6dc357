export { InProcessRuntime } from './in-process/in-process-runtime.js';
export { jsonText } from './json-text.js';
export { type Ask, asksOf, type Implausible, type Runtime, type RuntimePack, type RuntimeTool, type ToolJob, toolId } from './runtime.js';
export { errorOf, messageOf, reasonOf } from './thrown-error.js';

export type * from './binding.js';
export {
  type CompiledDocument,
  type CompiledTool,
  type CompileRequest,
  IMPORTED_OPERATIONS_MAX,
  type SkippedOperation,
} from './compile-document.js';
export { DocumentFault } from './document.js';
export { DOCUMENT_BYTES_MAX } from './document-text.js';
export { type ImportOptions, importOptions, type OperationOverlay, operationOverlay } from './import-options.js';
export { reconcileEnvironment } from './reconcile-environment.js';
export type { CompiledPart, CompileJob } from './worker/compile-message.js';
export { compileInThread } from './worker/compile-thread.js';

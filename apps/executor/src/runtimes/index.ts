/** The runtimes that calls may run in. */
export { InProcessRuntime } from './in-process/in-process-runtime.js';

import { InProcessRuntime } from './in-process/in-process-runtime.js';

/** The runtimes that calls may run in, by name. */
export const runtimes = { 'in-process': InProcessRuntime } as const;

import { pack as httpPack } from './http/http-pack.js';
import { InProcessRuntime } from './in-process/in-process-runtime.js';

/** The runtimes that calls may run in, by name: code of this process, and what speaks HTTP for it. */
export const runtimes = { 'in-process': InProcessRuntime, http: httpPack } as const;

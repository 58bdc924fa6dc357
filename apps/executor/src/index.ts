export { type ExecutorConfig, parseExecutorConfig } from './config.js';
export { cutProgress } from './lane/cut-progress.js';
export { startExecutor } from './start-executor.js';

export { type ExecutorConfig, parseExecutorConfig } from './config.js';
export { startExecutor } from './start-executor.js';

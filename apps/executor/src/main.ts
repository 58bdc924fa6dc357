import 'reflect-metadata';
import { runService } from '@countersign/process';
import { parseExecutorConfig } from './config.js';
import { startExecutor } from './start-executor.js';

process.exitCode = await runService(
  {
    name: 'executor',
    parse: (env, platform) => parseExecutorConfig(env, platform.lanes),
    start: (deps, config) => startExecutor(deps, config),
  },
  process.env,
);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();

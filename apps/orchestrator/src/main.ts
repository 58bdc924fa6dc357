import { runService } from '@countersign/process';
import { parseOrchestratorConfig } from './config.js';
import { startDistributed } from './start-distributed.js';

process.exitCode = await runService(
  { name: 'orchestrator', parse: (env, platform) => parseOrchestratorConfig(env, platform.lanes), start: startDistributed },
  process.env,
);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();

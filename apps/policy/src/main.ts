import { runService } from '@countersign/process';
import { parsePolicyConfig } from './config.js';
import { startPolicy } from './policy.module.js';

process.exitCode = await runService(
  { name: 'policy', parse: (env, platform) => parsePolicyConfig(env, platform.lanes), start: startPolicy },
  process.env,
);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();

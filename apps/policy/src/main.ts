import { runService } from '@countersign/process';
import { parsePolicyConfig } from './config.js';
import { startPolicy } from './policy.module.js';

process.exitCode = await runService(
  { name: 'policy', parse: (env, platform) => parsePolicyConfig(env, platform.lanes), start: startPolicy },
  process.env,
);

import 'reflect-metadata';
import { runService } from '@countersign/process';
import { parseStandaloneConfig } from './config.js';
import { startStandalone } from './standalone.js';

process.exitCode = await runService(
  { name: 'standalone', parse: parseStandaloneConfig, start: startStandalone, has_http: true },
  process.env,
);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();

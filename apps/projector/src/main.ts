import 'reflect-metadata';
import { runService } from '@countersign/process';
import { parseProjectorConfig } from './config.js';
import { startProjector } from './start-projector.js';

process.exitCode = await runService({ name: 'projector', parse: parseProjectorConfig, start: startProjector }, process.env);
// An open handle must not keep a failed process alive: its supervisor waits for the exit.
if (process.exitCode !== 0) process.exit();

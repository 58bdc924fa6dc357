import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEventLog } from '../embedded/embedded-event-log.js';
import { describeLogTransport } from './transport.suite.js';

describeLogTransport('embedded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'countersign-transport-'));
  return { open: () => EmbeddedEventLog.open({ dir }), end: () => rm(dir, { recursive: true, force: true }) };
});

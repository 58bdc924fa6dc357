import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventLog } from '../suite.js';
import { EmbeddedEventLog } from './embedded-event-log.js';

async function fixture(options: { tail_bytes?: number; segment_bytes?: number; chunk_bytes?: number } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'countersign-log-'));
  return {
    open: () => EmbeddedEventLog.open({ dir, ...options }),
    crash: (log: unknown) => (log as EmbeddedEventLog).kill(),
    end: () => rm(dir, { recursive: true }),
    single_writer: true,
    stall_ms: 100,
    gapless: true,
  };
}

describeEventLog('embedded', () => fixture());
// The same from disk: no durable record stays in memory, and files and index chunks are tiny.
describeEventLog('embedded, read from small segments', () => fixture({ tail_bytes: 0, segment_bytes: 20_000, chunk_bytes: 500 }));

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { PgliteStore } from '@countersign/store';
import { CheckpointFolder } from './checkpoint-folder.js';
import { CheckpointTable } from './checkpoint-table.js';
import { TextFile, TextRow } from './kept-text.js';
import { describeLogFirst } from './log-first.suite.js';

async function embedded() {
  const dir = await mkdtemp(path.join(tmpdir(), 'log-first-rig-'));
  const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  return { dir, log, codec: new EventCodec() };
}

describeLogFirst('kept in a folder', async () => {
  const { dir, log, codec } = await embedded();
  const audit = path.join(dir, 'audit');
  return {
    log,
    codec,
    kept: () => new CheckpointFolder(path.join(audit, 'checkpoints')),
    checked: () => new TextFile(path.join(audit, 'checked.json')),
    lose: () => rm(audit, { recursive: true, force: true }),
    close: async () => {
      await log.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
});

describeLogFirst('kept in a table', async () => {
  const { dir, log, codec } = await embedded();
  const store = await PgliteStore.open({ memory: true });
  return {
    log,
    codec,
    kept: () => new CheckpointTable(store),
    checked: () => new TextRow(store, 'checked'),
    claimed: () => new TextRow(store, 'claimed'),
    lose: async () => {
      for (const table of ['audit_checkpoints', 'audit_texts']) await store.query({ text: `DELETE FROM ${table}`, params: [] });
    },
    close: async () => {
      await store.close();
      await log.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
});

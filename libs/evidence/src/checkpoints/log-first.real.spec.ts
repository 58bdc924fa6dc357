import { randomUUID } from 'node:crypto';
import { EventCodec } from '@countersign/contracts';
import { PrefixedEventLog } from '@countersign/event-log';
import { KafkaEventLog } from '@countersign/event-log/kafka/kafka-event-log';
import { PostgresStore } from '@countersign/store/postgres/postgres-store';
import { CheckpointTable } from './checkpoint-table.js';
import { TextRow } from './kept-text.js';
import { describeLogFirst } from './log-first.suite.js';

function serverUrl(): URL {
  const url = process.env.COUNTERSIGN_TEST_DATABASE_URL;
  if (!url) throw new Error('set COUNTERSIGN_TEST_DATABASE_URL');
  return new URL(url);
}

const brokers = String(process.env.COUNTERSIGN_TEST_KAFKA).split(',');

describeLogFirst(
  'on Kafka, kept in Postgres',
  async () => {
    const database = `countersign_${randomUUID().replaceAll('-', '')}`;
    const server = await PostgresStore.open({ url: serverUrl().href, pool_max: 1 });
    await server.query({ text: `CREATE DATABASE ${database}`, params: [] });
    const url = serverUrl();
    url.pathname = `/${database}`;
    const store = await PostgresStore.open({ url: url.href, pool_max: 4 });
    const log = new PrefixedEventLog(
      await KafkaEventLog.open({ brokers, client_id: 'log-first' }),
      `log-first-${randomUUID().slice(0, 8)}-`,
    );
    return {
      log,
      codec: new EventCodec(),
      kept: () => new CheckpointTable(store),
      checked: () => new TextRow(store, 'checked'),
      claimed: () => new TextRow(store, 'claimed'),
      lose: async () => {
        for (const table of ['audit_checkpoints', 'audit_texts']) await store.query({ text: `DELETE FROM ${table}`, params: [] });
      },
      close: async () => {
        await log.close();
        await store.close();
        await server.query({ text: `DROP DATABASE ${database} WITH (FORCE)`, params: [] });
        await server.close();
      },
    };
  },
  240_000,
);

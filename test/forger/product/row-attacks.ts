import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PgliteStore, type Row } from '@countersign/store';
import type { ProductAttack, Target } from './product-attack.js';

/** Runs SQL on the database of a stopped installation; one of the statements, by chance. */
async function changeRow(target: Target, changes: readonly string[]): Promise<string> {
  const text = target.random.pick(changes);
  const store = await PgliteStore.open({ dir: path.join(target.installation.dataDir, 'pg') });
  try {
    const changed = await store.query<Row>({ text: `${text} RETURNING *`, params: [] });
    if (changed.length === 0) throw new Error(`no row was changed by: ${text}`);
  } finally {
    await store.close();
  }
  return text;
}

const ONE_CALL = `(SELECT call_uuid FROM calls WHERE status = 'succeeded' ORDER BY md5(call_uuid::text) LIMIT 1)`;
const ONE_KEY = '(SELECT key FROM tool_executions WHERE state = 2 ORDER BY md5(key::text) LIMIT 1)';
const INVENTED = '00000000-0000-4000-8000-000000000001';

/** Forgeries of the database and of the files with keys. */
export const rowAttacks: readonly ProductAttack[] = [
  {
    name: 'a row of `calls` changed, deleted or invented',
    with_key: false,
    found_by: ['server', 'scrub'],
    forge: (target) =>
      changeRow(target, [
        `UPDATE calls SET status = 'denied' WHERE call_uuid = ${ONE_CALL}`,
        `UPDATE calls SET tool = 'read_file' WHERE call_uuid = ${ONE_CALL}`,
        `UPDATE calls SET requested_at_ms = requested_at_ms - 1000 WHERE call_uuid = ${ONE_CALL}`,
        `UPDATE calls SET state = (SELECT state FROM calls ORDER BY call_uuid LIMIT 1) WHERE call_uuid = (SELECT max(call_uuid::text)::uuid FROM calls)`,
        `UPDATE calls SET case_id = NULL WHERE call_uuid = (SELECT call_uuid FROM calls WHERE case_id IS NOT NULL ORDER BY md5(call_uuid::text) LIMIT 1)`,
        `DELETE FROM calls WHERE call_uuid = ${ONE_CALL}`,
        `UPDATE calls SET call_uuid = '${INVENTED}' WHERE call_uuid = ${ONE_CALL}`,
      ]),
  },
  {
    name: 'a row of `tool_executions` changed, deleted or invented',
    with_key: false,
    found_by: ['server', 'scrub'],
    forge: (target) =>
      changeRow(target, [
        `UPDATE tool_executions SET state = 5 WHERE key = ${ONE_KEY}`,
        `UPDATE tool_executions SET attempt = 2 WHERE key = ${ONE_KEY}`,
        `UPDATE tool_executions SET call_uuid = '${INVENTED}' WHERE key = ${ONE_KEY}`,
        `DELETE FROM tool_executions WHERE key = ${ONE_KEY}`,
        `UPDATE tool_executions SET key = '${INVENTED}' WHERE key = ${ONE_KEY}`,
      ]),
  },
  {
    name: 'a row of `cases` changed, deleted or invented',
    with_key: false,
    found_by: ['scrub'],
    forge: (target) =>
      changeRow(target, [
        `UPDATE cases SET title = 'forged'`,
        `UPDATE cases SET state = 'closed'`,
        `UPDATE cases SET opened_at_ms = opened_at_ms - 1000`,
        `DELETE FROM cases`,
        `UPDATE cases SET case_id = 'invented'`,
      ]),
  },
  {
    name: 'an old file of subject keys put back after an erasure',
    with_key: false,
    found_by: ['server'],
    async forge({ history, installation }) {
      copyFileSync(history.file('subject-keys.old'), path.join(installation.dataDir, 'subject-keys.bin'));
      return 'subject-keys.bin';
    },
  },
  {
    name: 'another master key put in its place',
    with_key: false,
    found_by: ['server', 'client'],
    async forge({ installation, random }) {
      const file = path.join(installation.dataDir, 'keys.json');
      const keys = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      writeFileSync(
        file,
        JSON.stringify(keys).replace(/[A-Za-z0-9+/_-]{40}/, (text) => [...text].reverse().join('')),
      );
      return `keys.json ${random.below(1)}`;
    },
  },
];

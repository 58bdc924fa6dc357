import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Envelope } from './api.js';
import { EmbeddedPlatform } from './embedded-platform.js';

let platform: EmbeddedPlatform;
beforeEach(async () => {
  platform = await EmbeddedPlatform.start();
});
afterEach(() => platform.close());

const file = (name: string) => path.join(platform.workspace, name);
const settled = ({ status }: Envelope) => ['succeeded', 'failed', 'in_doubt'].includes(status);

interface Undone {
  items: { undo_call_id: string | null; undone: boolean }[];
}

/** Undoes a move while the platform dies at this point, and starts it again. */
async function undoneAcrossCrash(point: string, name: string): Promise<Envelope> {
  writeFileSync(file(name), name);
  const api = platform.admin();
  const { body: move } = await api.call({ tool: 'move_file', inputs: { source: name, destination: `${name}-moved` } });
  expect(move.status).toBe('succeeded');
  await platform.process.stop();
  await platform.up({ COUNTERSIGN_CRASH_AT: point });
  const url = `/v1/calls/${move.call_id}/undo`;
  const { preview_digest } = (await api.request<{ preview_digest: string }>('GET', url)).body;
  await api.request('POST', url, { preview_digest }).catch(() => undefined);
  await platform.process.exit();
  await platform.up();
  // The same request again is the same call, whatever its outcome.
  const again = await api.request<Undone>('POST', url, { preview_digest });
  const undos = (await api.request<{ items: Envelope[] }>('GET', '/v1/calls?tool=move_file&limit=50&expand=*')).body.items.filter(
    (call) => (call as Envelope & { compensates: string | null }).compensates === move.call_id,
  );
  expect([again.status < 500, undos.length]).toEqual([true, 1]);
  return api.callUntil((undos[0] as Envelope).call_id, settled, 40_000);
}

test.each(['policy.after_ruling', 'executor.after_claim', 'executor.after_started', 'executor.after_effect', 'executor.after_end'])(
  'an undo during which the platform is killed at %s happens at most once, and its end says what is known',
  async (point) => {
    const name = point.replace('.', '-');
    const undo = await undoneAcrossCrash(point, name);
    const [back, moved] = [existsSync(file(name)), existsSync(file(`${name}-moved`))];
    expect([back, moved].filter(Boolean)).toHaveLength(1);
    expect(readFileSync(file(back ? name : `${name}-moved`), 'utf8')).toBe(name);
    // What never ran may still run; what may have happened is never sent again.
    if (undo.status === 'succeeded') expect(back).toBe(true);
    else expect(undo.status).toBe('in_doubt');
  },
);

import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counterpart } from '@countersign/tool-kit/eval-pack';
import { Effects } from './effects.js';
import { counterpartyServer } from './server.js';

/** A counterparty inside the spec's process that begins anew with each world of the contract tests. */
export function counterpartyWorld(): Counterpart {
  let world: { effects: Effects; stop(): Promise<void>; url: string } | undefined;
  return {
    common: 'the counterparty has no tenants: it tells effects apart by their keys alone, which are derived for each tenant',
    prepare: async () => {
      world = await opened();
    },
    clean: async () => {
      const { stop } = world ?? {};
      world = undefined;
      await stop?.();
    },
    settings: () => ({ COUNTERSIGN_PROBE_URL: world?.url ?? '' }),
    snapshot: async () => world?.effects.stats().effects,
  };
}

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-counterparty-'));
  const effects = new Effects(join(folder, 'effects.ndjson'));
  const server = counterpartyServer(effects);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    effects.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { effects, stop, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunContext } from '@countersign/tool-kit';
import type { Turn } from '../hermes/pace.js';
import type { Attempt, Hermes } from '../hermes/port.js';
import { Journal } from '../ledger/journal.js';
import { LedgerConnector } from '../ledger/ledger-connector.js';
import type { OpeningRecords } from '../ledger/ledger-state.js';
import { connectionIn } from './connection-file.js';
import { erpOf } from './opened-connections.js';

/** The folder setting of the pack. What a tenant's tools keep lies in its own folder there. */
export const ROOT_SETTING = 'OPERATIONS_ROOT';

/** The password of the tenant's business system. */
export const ERP_SECRET = 'operations_erp';

/** The records that come with the pack, so that every tool has data after installation. */
const SHIPPED = fileURLToPath(new URL('../../data/opening.json', import.meta.url));
const JOURNALS_MAX = 32;

/** Journals, the longest unused first. A fold is compared with its file on each use, so that a copy never answers for a changed one. */
const journals = new Map<string, Journal>();

/** The business system of the tenant that calls. @param turn `first`: finds out what became of a write, before new work */
export async function hermesOf(ctx: RunContext, turn: Turn = 'next'): Promise<Hermes> {
  const folder = await ctx.tenantFolder(ROOT_SETTING);
  const erp = await connectionIn(folder);
  if (erp) return (await erpOf(ctx.tenant_id, erp, await ctx.secrets.get(ERP_SECRET), ctx.signal))[turn];
  const own = path.join(folder, 'opening.json');
  const opening = (await stampOf(own)) === undefined ? SHIPPED : own;
  const stamp = `${opening} ${await stampOf(opening)}`;
  return ledgerIn(folder, 'ledger.jsonl', stamp, async () => JSON.parse(await readFile(opening, 'utf8')) as OpeningRecords);
}

/** The staged changes of the tenant. No system of record has a place for them, so they are always in its folder. */
export async function proposalsOf(ctx: RunContext): Promise<Hermes> {
  return ledgerIn(await ctx.tenantFolder(ROOT_SETTING), 'proposals.jsonl', '', () => Promise.resolve({}));
}

/** What a write says about itself. */
export const attemptOf = ({ idempotency_key: key, signal, deadline_ms }: RunContext): Attempt => ({ key, signal, deadline_ms });

async function ledgerIn(folder: string, name: string, stamp: string, opening: () => Promise<OpeningRecords>): Promise<Hermes> {
  const file = path.join(folder, name);
  const key = `${file} ${stamp}`;
  const known = journals.get(key) ?? new Journal(file, await opening());
  journals.delete(key);
  journals.set(key, known);
  if (journals.size > JOURNALS_MAX) journals.delete(journals.keys().next().value as string);
  return new LedgerConnector(folder, known);
}

/** Which version of a file is there; undefined: none. */
async function stampOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch((error: { code?: string }) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

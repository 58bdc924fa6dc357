import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPlatform } from '../journeys/embedded-platform.js';
import { describeKorso } from './korso-journeys.js';

const systems = mkdtempSync(path.join(tmpdir(), 'countersign-korso-'));
const ledger = path.join(systems, 'default');
let platform: EmbeddedPlatform | undefined;

describeKorso({
  delivery_date: '2099-05-01',
  start: async () => {
    platform = await EmbeddedPlatform.start({ COUNTERSIGN_PACKS: './packs/operations', OPERATIONS_ROOT: systems });
    return platform;
  },
  close: async () => {
    await platform?.close();
    rmSync(systems, { recursive: true, force: true });
  },
  quote: async () => 'so_1001',
  states: async () => {
    const lines = readFileSync(path.join(ledger, 'ledger.jsonl'), 'utf8').trim().split('\n');
    const orders = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'purchase_order');
    return new Map(orders.map(({ id, record }) => [id, record.status]));
  },
  confirmByHand: async (po_id) => {
    const lines = readFileSync(path.join(ledger, 'ledger.jsonl'), 'utf8').trim().split('\n');
    const { kind, id, record } = lines.map((line) => JSON.parse(line)).findLast((entry) => entry.id === po_id);
    const entry = { at_ms: Date.now(), kind, id, record: { ...record, status: 'processing' } };
    appendFileSync(path.join(ledger, 'ledger.jsonl'), `${JSON.stringify(entry)}\n`);
  },
  letCancelsDoNothing: () => writeFileSync(path.join(ledger, 'lies.json'), JSON.stringify({ cancel_does_nothing: true })),
});

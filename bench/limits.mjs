// What limits cost a ruling: judging a call where no limit, or ten, are about it (pure), and reserving a batch in one
// transaction of PGlite (a store of its own, in memory). `node bench/limits.mjs [calls a case]`
import { randomUUID } from 'node:crypto';
import { LimitStore } from '../apps/policy/dist/limits/limit-store.js';
import { demandsOf } from '../libs/policy/dist/index.js';
import { PgliteStore } from '../libs/store/dist/index.js';

const CALLS = Number(process.argv[2] ?? 20_000);
const by = { kind: 'user', id: 'root', roles: [] };
const plain = {
  version: 1,
  removed: false,
  subjects: [],
  tools: [],
  window_ms: null,
  amount: null,
  per: null,
  allowed: [],
  side_effects: null,
};
const limit = (more) => ({ ...plain, max: 1e9, on_exceeded: 'deny', defer_timeout_ms: null, by, changed_at_ms: 0, ...more });
const guards = Array.from({ length: 10 }, (_, i) =>
  limit({ limit_id: `g${i}`, kind: 'enabled_tools', scope: 'tenant', allowed: ['pay*'] }),
);
const counters = {
  'one count': [limit({ limit_id: 'count', kind: 'max_tool_calls', scope: 'tenant' })],
  'one rate': [limit({ limit_id: 'rate', kind: 'rate', scope: 'agent', window_ms: 60_000 })],
  'one sum by CEL': [
    limit({ limit_id: 'sum', kind: 'cumulative', scope: 'tenant', amount: 'inputs.total', per: 'inputs.supplier', window_ms: 86_400_000 }),
  ],
};
counters['all three'] = Object.values(counters).flat();

const contract = {
  name: 'pay',
  version: '1.0.0',
  category: 'finance',
  effect_class: 'commit_low',
  reversibility: 'reversible',
  markings: [],
  scopes: [],
};
const call = {
  tool: 'pay',
  category: 'finance',
  inputs_json: '{"supplier":"sup_alpha","total":12.5}',
  case_id: null,
  run_id: null,
  principal: { kind: 'agent', id: 'robot', roles: [] },
  context: { run_budget: null, iteration: null },
};
const on = { tenant_id: 'acme', call, contract, at_ms: 1_000_000 };

function pure(name, limits) {
  const judge = () => demandsOf(limits, on);
  for (let i = 0; i < 5_000; i++) judge();
  const started = process.cpuUsage();
  for (let i = 0; i < CALLS; i++) judge();
  const { user, system } = process.cpuUsage(started);
  console.log(`${name.padEnd(34)} ${((user + system) / CALLS).toFixed(2).padStart(8)} cpu-µs a call`);
}

async function reserving(store, name, limits, batch) {
  const limitStore = new LimitStore(store, { partitions: () => 0 });
  const demands = demandsOf(limits, on);
  const rounds = Math.max(20, Math.min(200, Math.floor(CALLS / batch / 10)));
  const asks = () =>
    Array.from({ length: batch }, () => ({ call_id: `0-${randomUUID()}`, revision: 1, at_ms: on.at_ms, tenant_id: 'acme', demands }));
  for (let i = 0; i < 5; i++) await limitStore.reserve({ lane: 'shared', partition: 0 }, asks(), () => true);
  const started = performance.now();
  for (let i = 0; i < rounds; i++) await limitStore.reserve({ lane: 'shared', partition: 0 }, asks(), () => true);
  const took_ms = performance.now() - started;
  const perBatch = (took_ms / rounds).toFixed(2).padStart(8);
  const perCall = ((took_ms * 1000) / rounds / batch).toFixed(1).padStart(8);
  console.log(`${`${name}, batch of ${batch}`.padEnd(34)} ${perBatch} ms a batch ${perCall} µs a call`);
}

pure('no limits', []);
pure('ten guards', guards);
for (const [name, limits] of Object.entries(counters)) pure(`${name}: what it needs`, limits);
const store = await PgliteStore.open({ memory: true });
for (const [name, limits] of Object.entries(counters)) for (const batch of [1, 64, 256]) await reserving(store, name, limits, batch);
await store.close();

// Admission's own work on a call: inputs against the contract's schema (all issues), canonical inputs and the key of a write.
// `node bench/validation.mjs [calls=200000]`; microseconds of CPU a call, of this process.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './parts/platforms.mjs';

const calls = Number(process.argv[2] ?? 200_000);
const dist = (file) => import(pathToFileURL(path.join(root, file)).href);
const { CompiledContracts } = await dist('libs/calls/dist/admission/compiled-contracts.js');
const { identify } = await dist('libs/calls/dist/identity/effect-identity.js');
const { schemaFaults } = await dist('libs/contracts/dist/schema/schema-faults.js');
const tools = (await Promise.all(['workspace', 'patterns'].map((name) => dist(`packs/${name}/dist/index.js`)))).flatMap(
  ({ pack }) => pack.tools,
);

const cases = {
  write_file: (at) => ({ path: `notes/${at}.txt`, content: 'A line of text, and another.\n'.repeat(4), mode: 'create' }),
  stage_action: (at) => ({
    kind: 'transfer_money',
    target_system: 'bank',
    target_ref: `account/${at}`,
    payload: { summary: 'Refund', amount: '120.50', currency: 'EUR', fields: { claim: 'C-17', at: '2026-05-01T12:00:00+02:00' } },
  }),
  lookup_record: (at) => ({ identifier: `id-${at}`, source: 'countries', as_of: '2026-05-01T12:00:00+02:00' }),
};

function perCall(work, count) {
  for (let at = 0; at < Math.min(count, 20_000); at++) work(at);
  const before = process.cpuUsage();
  for (let at = 0; at < count; at++) work(at);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

const scope = {
  tenant_id: 'acme',
  principal_id: 'bot',
  case_id: 'case_1',
  run_id: null,
  occurrence: null,
  seq: null,
  header: undefined,
  partitions: 4,
  tenant_key: Buffer.alloc(32, 1),
  fresh_uuid: '0197b3a0-0000-7000-8000-000000000001',
};
const contracts = new CompiledContracts();
for (const [name, inputsOf] of Object.entries(cases)) {
  const { contract } = tools.find((tool) => tool.contract.name === name);
  const check = contracts.of({ name, version: contract.version, contract, digest: name });
  if (check(inputsOf(0)).length > 0) throw new Error(`${name}: the inputs of this bench are not valid`);
  const validation = perCall((at) => check(inputsOf(at)), calls);
  const key = perCall((at) => identify({ ...scope, contract, inputs: inputsOf(at) }), calls);
  console.log(
    `validation + key  ${name.padEnd(14)} ${(validation + key).toFixed(1)} us a call (validation ${validation.toFixed(1)}, key ${key.toFixed(1)})`,
  );
}
const schemas = tools.map(({ contract }) => contract.input_schema);
const guard = perCall((at) => schemaFaults(schemas[at % schemas.length]), Math.min(calls, 2_000));
console.log(`schema guard      ${guard.toFixed(0)} us a schema, at registration (${schemas.length} schemas)`);

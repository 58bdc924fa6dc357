// What a ruling costs with 10, 100 and 1,000 rules: node bench/rulings.mjs (after npm run build). Rules are about tools of
// their own, as a tenant's are; a call meets those that are about its tool. `scan` asks every rule, for comparison.
import { compileBundle, resolveRuling } from '@countersign/policy';

const TOOL = {
  name: 'tool_1',
  version: '1.0.0',
  category: 'purchasing',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  markings: [],
  scopes: [],
};
const WHEN = 'inputs.total < 5000 && inputs.supplier in facts.suppliers';
const facts = new Map([['suppliers', { version: 1, rows: new Map([['sup_alpha', true]]) }]]);
const rule = (i, tools) => ({
  id: `rule-${i}`,
  tools,
  when: i % 2 === 0 ? WHEN : 'inputs.total > 1000000',
  effect: i % 2 === 0 ? 'allow' : 'deny',
});
const input = (policy) => ({
  contract: TOOL,
  lifecycle: 'active',
  context: { safety_mode: null },
  principal: { kind: 'agent', id: 'buyer', roles: ['agent'] },
  authority: null,
  inputs_json: '{"supplier":"sup_alpha","total":4200}',
  policy,
  now_ms: 0,
});

function cost(policy) {
  const call = input(policy);
  const rounds = 20000;
  for (let i = 0; i < 2000; i++) resolveRuling(call);
  let best = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 3; turn++) {
    const begun = process.cpuUsage().user;
    const count = Math.max(200, Math.floor(rounds / (turn + 1)));
    for (let i = 0; i < count; i++) resolveRuling(call);
    best = Math.min(best, (process.cpuUsage().user - begun) / count);
  }
  return best.toFixed(2);
}

console.log(JSON.stringify({ rules: 0, us_a_ruling: Number(cost(undefined)) }));
for (const rules of [10, 100, 1000]) {
  const spread = Array.from({ length: rules }, (_, i) => rule(i, { names: [`tool_${Math.floor(i / 4)}`] }));
  const begun = performance.now();
  const { bundle } = compileBundle({ rules: spread }, { version: 'v', digest: 'd' });
  const compile_ms = Math.round(performance.now() - begun);
  console.log(JSON.stringify({ rules, us_a_ruling: Number(cost({ active: { bundle }, facts })), compile_ms }));
}
const { bundle } = compileBundle({ rules: Array.from({ length: 100 }, (_, i) => rule(i, {})) }, { version: 'v', digest: 'd' });
console.log(JSON.stringify({ rules: 100, scan: true, us_a_ruling: Number(cost({ active: { bundle }, facts })) }));

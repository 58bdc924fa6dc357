import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** What kills parts that all specs share runs last. */
const LAST = /(outages|broker-death)\.alone\.real\.spec\.js$/;
/** What takes a minute and more, longest first. It starts first: begun late, it would run on with one core idle. */
const LONGEST = [
  'journeys/undo-killed.slow.e2e',
  'journeys/sagas-killed.slow.e2e',
  'journeys/order-sagas.real',
  'journeys/journeys.real',
  'operations/tryton-storm.real',
  'conformance/independent-history.real',
  'tenants/identity.slow.e2e',
  'journeys/generations.slow.e2e',
  'operations/tryton-writes.real',
  'journeys/monitor.slow.e2e',
  'journeys/cases.slow.e2e',
  'executor/dist/bad-tools.slow.int',
  'journeys/witness.slow.e2e',
  'journeys/durability.slow.e2e',
  'forger/cases.slow',
  'journeys/counterparts.real',
  'operations/operations-tryton.real',
  'forger/kafka/kafka.real',
  'journeys/startup.slow.e2e',
  'journeys/lost-checkpoints.slow.e2e',
  'journeys/forged-state.slow.e2e',
  'forger/product/honest.slow.e2e',
  'journeys/own-packs.slow.e2e',
  'mcp/mcp-malformed.slow.int',
  'tenants/legacy-workspace.slow.e2e',
  'conformance/independent-verifier.real',
  'timestamps/timestamps.real',
  'journeys/bundle.slow.e2e',
  'journeys/log-drop.slow.e2e',
  'folding/any-order.sized.int',
  'forger/product/product.slow.e2e',
].map((name) => `${name}.spec.js`);
/** Of the others, those with a platform or a store take longer. */
const LONG = /(\.e2e|(contract|abuse|programs|any-order|pglite-store)(\.slow|\.sized)?\.int)\.spec\.js$/;

function turn({ moduleId }) {
  if (LAST.test(moduleId)) return LONGEST.length + 2;
  const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
  if (at >= 0) return at;
  return LONGEST.length + (LONG.test(moduleId) ? 0 : 1);
}

class LongFirstKillersLast extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).sort((a, b) => turn(a) - turn(b));
  }
}

const named = (pattern) => [`{apps,libs,packs}/*/dist/**/${pattern}`, `test/dist/**/${pattern}`];
const REAL = named('*.real.spec.js');
/** Those that kill a part that all share, or time the machine: one at a time, with nothing beside. */
const ALONE = named('*.alone.real.spec.js');
const SLOW = named('*.slow.{,int.,e2e.}spec.js');
/** Few random histories in `npm test`, many in `npm run test:slow` (libs/contracts/src/testing/histories.ts). */
const SIZED = named('*.sized.{,int.,e2e.}spec.js');
/** Need Chromium and a built console: scripts/real/browser.sh. */
const BROWSER = named('*.browser.spec.js');
/** Need bubblewrap and the MCP reference servers: scripts/real/upstreams.sh. */
const UPSTREAM = named('*.upstream.spec.js');
const WITH_PARTS = named('*.{int,e2e}.spec.js');

const project = (name, include, exclude, more = {}) => ({
  extends: true,
  test: { name, include, exclude: ['**/node_modules/**', ...exclude], ...more },
});

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    execArgv: ['--no-warnings', '--wasm-tiering-budget=20000000'],
    // A machine under load is slow, not wrong: only what hangs fails by time.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    allowOnly: false,
    silent: 'passed-only',
    sequence: { sequencer: LongFirstKillersLast },
    // Compiled modules are loaded by Node itself, once a worker; only the specs go through the runner.
    server: { deps: { external: [/\/dist\/(?!.*\.spec\.js$)/] } },
    projects: [
      // Specs with parts wait more than they compute: more workers than cores.
      project('pure', named('*.spec.js'), [...WITH_PARTS, ...REAL, ...SLOW, ...BROWSER, ...UPSTREAM], { isolate: false, maxWorkers: 4 }),
      project('parts', WITH_PARTS, SLOW, { isolate: false, maxWorkers: 4 }),
      project('slow', [...SLOW, ...SIZED], [], { sequence: { groupOrder: 1 } }),
      project('browser', BROWSER, [], { isolate: false, maxWorkers: 1, sequence: { groupOrder: 1 } }),
      project('upstream', UPSTREAM, [], { maxWorkers: 1, sequence: { groupOrder: 1 } }),
      project('real', REAL, ALONE, { sequence: { groupOrder: 1 } }),
      project('alone', ALONE, [], { maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
  },
});

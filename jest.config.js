import { availableParallelism } from 'node:os';

const real = process.env.COUNTERSIGN_TEST_KAFKA !== undefined;
/** Set by `npm run test:slow`. */
const slow = process.env.COUNTERSIGN_TEST_SLOW !== undefined;

const REAL = '\\.real\\.spec\\.js$';
const SLOW = '\\.slow\\.(int\\.|e2e\\.)?spec\\.js$';
/** Few random histories in `npm test`, many in `npm run test:slow` (libs/contracts/src/testing/histories.ts). */
const SIZED = '\\.sized\\.(int\\.|e2e\\.)?spec\\.js$';

/** What each of `npm test`, `npm run test:slow` and `npm run test:real` runs: together every spec. */
function chosen() {
  if (real) return { testRegex: [REAL] };
  if (slow) return { testRegex: [SLOW, SIZED] };
  return { testRegex: ['\\.spec\\.js$'], testPathIgnorePatterns: ['/node_modules/', REAL, SLOW] };
}

// Most suites wait more than they compute: one worker a core, and no more than memory is sure for.
const workers = Math.min(4, Math.max(2, availableParallelism()));

export default {
  maxWorkers: workers,
  // A worker keeps most of what each file loaded (15 MB of modules); a large process collects and forks slowly, so it is replaced in time.
  workerIdleMemoryLimit: '600MB',
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/packs', '<rootDir>/test'],
  // A machine under load is slow, not wrong: only what hangs fails by time.
  testTimeout: 240_000,
  transform: {},
  ...chosen(),
};

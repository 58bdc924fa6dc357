import { availableParallelism } from 'node:os';

const real = process.env.COUNTERSIGN_TEST_KAFKA !== undefined;

// Most suites wait more than they compute: one worker a core, and no more than memory is sure for.
const workers = Math.min(4, Math.max(2, availableParallelism()));

export default {
  maxWorkers: workers,
  // A worker keeps most of what each file loaded (15 MB of modules); a large process collects and forks slowly, so it is replaced in time.
  workerIdleMemoryLimit: '600MB',
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/packs', '<rootDir>/test'],
  testMatch: [real ? '**/dist/**/*.real.spec.js' : '**/dist/**/*.spec.js'],
  testPathIgnorePatterns: real ? ['/node_modules/'] : ['/node_modules/', '\\.real\\.spec\\.js$'],
  // A machine under load is slow, not wrong: only what hangs fails by time.
  testTimeout: 240_000,
  transform: {},
};

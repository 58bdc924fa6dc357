import { afterEach, beforeEach, describe, test } from 'vitest';
import { contractChecks } from './contract-checks.js';
import type { ContractTestOptions } from './eval-pack.js';
import type { Tool } from './tool.js';
import { ToolProbe } from './tool-probe.js';

export type { ContractTestOptions, Counterpart, EvalPacks, Golden, ResourceStates } from './eval-pack.js';

/** Longer than every wait inside a check, so that the check itself reports what hangs. */
const CHECK_MS = 60_000;

/** The requirements of every tool, as a Vitest suite. */
export function contractTests(tool: Tool, options: ContractTestOptions): void {
  describe(`contract of ${tool.contract.name}`, () => {
    beforeEach(async () => {
      await options.counterpart?.prepare?.();
    });
    afterEach(async () => {
      await options.counterpart?.clean?.();
    });
    for (const check of contractChecks(new ToolProbe(tool, options))) test(check.title, check.run, CHECK_MS);
  });
}

import { rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT_SETTING } from '@countersign/pack-operations/erp/connection';
import { pack } from '@countersign/pack-operations/erp-pack';
import { unmarked } from '@countersign/pack-operations/hermes/attempt-mark';
import { Journal } from '@countersign/pack-operations/ledger/journal';
import type { Tool } from '@countersign/tool-kit';
import { contractChecks } from '@countersign/tool-kit/contract-checks';
import type { ContractTestOptions, Golden, ResourceStates } from '@countersign/tool-kit/contract-tests';
import { ToolProbe } from '@countersign/tool-kit/tool-probe';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { contractMapping, type Tables } from './contract-mapping.js';
import { mappedTool } from './mapped-tool.js';

const CHECK_MS = 60_000;

/** A business system with the records of the pack's goldens, made anew for each check. */
export interface ContractWorld {
  readonly system: 'odoo' | 'tryton';
  /** The folder of systems, in which the tenant `test` is connected. */
  readonly root: string;
  readonly secret: string;
  readonly generated_runs: number;
  /** Ids of agents by those of this world. */
  tables(): Tables;
  /** Makes the records that a tool needs. */
  prepare(tool: string): Promise<void>;
  clean(): Promise<void>;
  /** Whether a tool needs records of its own for each check; else what it reads stays. */
  cleans(tool: string): boolean;
  /** All records that a tool could change, without the marks of attempts. Cancelled ones count as undone. */
  snapshot(): Promise<unknown>;
  golden(tool: string): [Golden, ...Golden[]];
  states(tool: string): ResourceStates[] | undefined;
  /** Checks that this system cannot pass, by tool. */
  readonly left_out?: Readonly<Record<string, readonly string[]>>;
}

/** The contract tests of all tools of the pack on a system outside, behind the mappings that the pack ships for it. */
export function describeErpContracts(world: ContractWorld, tools: readonly Tool[] = pack.tools): void {
  afterAll(() => rmSync(world.root, { recursive: true, force: true }));
  for (const tool of tools) {
    describe(`contract of ${tool.contract.name} on ${world.system}`, () => {
      const options = optionsOf(world, tool.contract.name);
      const mapped = mappedTool(tool, () => contractMapping(world.system, tool, world.tables()));
      const checks = contractChecks(new ToolProbe(mapped, options));
      const left_out = world.left_out?.[tool.contract.name] ?? [];
      beforeEach(async () => {
        await options.counterpart?.clean?.();
        await options.counterpart?.prepare?.();
      });
      test('the checks that are left out are those of the kit', () => {
        expect(checks.map(({ title }) => title)).toEqual(expect.arrayContaining([...left_out]));
      });
      for (const { title, run } of checks.filter((check) => !left_out.includes(check.title))) test(title, run, CHECK_MS);
    });
  }
}

function optionsOf(world: ContractWorld, tool: string): ContractTestOptions {
  const states = world.states(tool);
  const clean = async () => {
    rmSync(proposals, { force: true });
    await world.clean();
  };
  const proposals = path.join(world.root, 'test', 'proposals.jsonl');
  return {
    golden: world.golden(tool),
    ...(states && { states }),
    generated_runs: world.generated_runs,
    context: { secrets: { get: async () => world.secret } },
    // What the system numbers.
    volatile: [/(?<="(?:po|quote|production|bill|proposal|record|order)_id":")[^"]+/g, /(?<="external_url":")[^"]+/g, /(?<="id":)\d+/g],
    counterpart: {
      common: 'the tenants of these checks share one system',
      prepare: () => world.prepare(tool),
      ...(world.cleans(tool) && { clean }),
      settings: () => ({ [ROOT_SETTING]: world.root }),
      snapshot: async () => ({ system: await world.snapshot(), proposals: await proposed(proposals) }),
    },
  };
}

async function proposed(file: string): Promise<unknown[]> {
  const records = [...(await new Journal(file, {}).current()).of('proposal').values()];
  return records
    .filter(({ status }) => status !== 'cancelled')
    .map(({ status, reference, fields }) => ({ status, fields, reference: unmarked(reference) }));
}

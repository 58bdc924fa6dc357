import { pack as git } from '@countersign/pack-git';
import { pack as patterns } from '@countersign/pack-patterns';
import { pack as probe } from '@countersign/pack-probe';
import { pack as workspace } from '@countersign/pack-workspace';
import { expect, test } from 'vitest';

const PROMISES = /\b(undo(ne)?|undoes|restor(e|es|ed)|revert(s|ed)?|roll(ed|s)? back|taken? back|reversible)\b/i;
const DENIES = /cannot be undone/;

/** Every text of a contract that agents and approvers read. */
function texts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? (name === 'title' || name === 'description' ? [inner] : []) : texts(inner),
  );
}

const contracts = [git, patterns, probe, workspace].flatMap(({ tools }) => tools.map(({ contract }) => [contract.name, contract] as const));

test.each(contracts)('%s promises no undo that it cannot run', (_name, contract) => {
  const { title, description, input_schema, output_schema, has_compensate } = contract;
  const stated = texts({ title, description, input_schema, output_schema });
  expect(stated.length).toBeGreaterThan(1);
  if (!has_compensate) expect(stated.filter((text) => PROMISES.test(text) && !DENIES.test(text))).toEqual([]);
});

// The probes are for tests: what they count is nothing that anybody would undo.
const builtIn = [git, patterns, workspace].flatMap(({ tools }) => tools.map(({ contract }) => [contract.name, contract] as const));
const writes = builtIn.filter(([, { effect_class }]) => effect_class === 'stage' || effect_class.startsWith('commit'));

test.each(writes)('%s, a write, can undo its effect or says that nothing does', (_name, { has_compensate, reversibility }) => {
  expect(has_compensate ? 'undoes' : reversibility).toBe(has_compensate ? 'undoes' : 'irreversible');
});

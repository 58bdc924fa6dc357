import { pack as git } from '@countersign/pack-git';
import { pack as patterns } from '@countersign/pack-patterns';
import { pack as probe } from '@countersign/pack-probe';
import { pack as workspace } from '@countersign/pack-workspace';
import { expect, test } from 'vitest';

const PROMISES = /\b(undo(ne)?|undoes|restor(e|es|ed)|revert(s|ed)?|roll(ed|s)? back|taken? back|reversible)\b/i;

/** Every text of a contract that agents and approvers read. */
function texts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' ? (name === 'title' || name === 'description' ? [inner] : []) : texts(inner),
  );
}

// No command of the platform runs a compensation: a contract says what is kept, and that a person has to act.
test.each([git, patterns, probe, workspace].flatMap(({ tools }) => tools.map(({ contract }) => [contract.name, contract] as const)))(
  '%s promises no undo that nothing runs',
  (_name, { title, description, input_schema, output_schema }) => {
    const said = texts({ title, description, input_schema, output_schema });
    expect(said.length).toBeGreaterThan(1);
    expect(said.filter((text) => PROMISES.test(text))).toEqual([]);
  },
);

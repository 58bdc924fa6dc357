import { CompiledContracts, type InputCheck } from '@countersign/calls/admission/compiled-contracts';
import { contractDigest, isReadOnly, type ToolContract } from '@countersign/contracts';
import { nextRepair, type ToolVersion } from '@countersign/domain';
import { pack as git } from '@countersign/pack-git';
import { pack as workspace } from '@countersign/pack-workspace';
import { arbitraryInput } from '@countersign/tool-kit/arbitrary-input';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const contracts = new CompiledContracts();
const reads = [...workspace.tools, ...git.tools].map(({ contract }) => contract).filter(({ effect_class }) => isReadOnly(effect_class));

/** The check that admission makes. */
const checkOf = (contract: ToolContract): InputCheck =>
  contracts.of({ contract, digest: contractDigest(contract) } as ToolVersion) as InputCheck;

/** The inputs as an agent that writes every number and truth as a text. */
const asTexts = (inputs: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, ['number', 'boolean'].includes(typeof value) ? ` ${value}` : value]),
  );

test.each(reads.map((contract) => [contract.name, contract] as const))(
  '%s: what is written as a text is repaired as admission checks it',
  (_name, contract) => {
    const check = checkOf(contract);
    fc.assert(
      fc.property(arbitraryInput(contract.input_schema), (given) => {
        const inputs = given as Record<string, unknown>;
        fc.pre(check(structuredClone(inputs)).length === 0);
        const spoiled = asTexts(inputs);
        const repair = nextRepair({ contract, inputs: spoiled, tried: [], cause: { kind: 'invalid', issues: [] }, check });
        const is_spoiled = check(structuredClone(spoiled)).length > 0;
        expect(repair?.inputs).toEqual(is_spoiled ? inputs : undefined);
        if (is_spoiled) expect(repair?.kind).toBe('repaired');
      }),
      { numRuns: 30 },
    );
  },
);

test('the built-in packs have reads', () => {
  expect(reads.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_content', 'read_file', 'git_log']));
});

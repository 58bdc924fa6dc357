import { contractDigest } from '@countersign/contracts';
import type { ToolVersion } from '@countersign/domain';
import { describe, expect, test } from 'vitest';
import { sampleContract } from '../testing/samples.js';
import { CompiledContracts, type InputCheck, isTooDeep } from './compiled-contracts.js';

const tool = (input_schema: Record<string, unknown> = sampleContract().input_schema): ToolVersion => {
  const contract = sampleContract({ input_schema });
  return {
    name: contract.name,
    version: contract.version,
    semver: { major: 1, minor: 2, patch: 0, prerelease: '' },
    contract,
    digest: contractDigest(contract),
    lanes: new Set(['shared']),
    executor_id: 'e',
    registered_at_ms: 0,
    pin: '',
    first_pin: '',
    gated: false,
    evaluation: null,
    runs_on: { environment: 'default', adapter: '', adapter_version: '', protocol_version: null },
  };
};
const check = (schema?: Record<string, unknown>) => new CompiledContracts().of(tool(schema)) as InputCheck;

describe('the check of inputs', () => {
  test('names unknown, missing and wrong fields by JSON Pointers relative to the inputs', () => {
    const issues = check()({ path: 7, 'a/b': 1 });
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/a~1b', code: 'unknown_field' }),
        expect.objectContaining({ path: '/text', code: 'required' }),
        expect.objectContaining({ path: '/path', code: 'type' }),
      ]),
    );
  });

  test('reports fifty faults at most, and the last one says how many more there are', () => {
    const fields = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}`, i]));
    const closed = { type: 'object', properties: {} };
    expect(check(closed)(fields(50)).map(({ code }) => code)).toEqual(Array(50).fill('unknown_field'));
    const many = check(closed)(fields(60));
    expect(many).toHaveLength(50);
    expect(many.at(-1)).toEqual({ path: '', code: 'more', message: '11 more faults are not shown' });
    expect(many.slice(0, -1).every(({ code }) => code === 'unknown_field')).toBe(true);
  });

  test('fills in defaults: an explicit default and an omitted one are the same effect', () => {
    const inputs: Record<string, unknown> = { path: 'a', text: 'b' };
    expect(check()(inputs)).toEqual([]);
    expect(inputs.mode).toBe('create');
  });

  test('leaves unknown fields to a schema that speaks about them', () => {
    expect(check({ type: 'object', additionalProperties: true })({ x: 1 })).toEqual([]);
  });

  test('is compiled once per contract', () => {
    const contracts = new CompiledContracts();
    expect(contracts.of(tool())).toBe(contracts.of(tool()));
  });

  test('explains why a schema cannot be compiled', () => {
    expect(typeof new CompiledContracts().of(tool({ type: 'nonsense' }))).toBe('string');
  });

  test.each([
    ['refers elsewhere', { $ref: 'https://evil.example/s' }, 'outside the schema'],
    ['has exponential matching time', { pattern: '^(a+)+$' }, 'exponential time'],
    ['recurses without end', { $ref: '#/properties/path' }, 'leads back to itself'],
  ])('a schema that %s is not compiled, whichever executor announced it', (_title, path, words) => {
    expect(new CompiledContracts().of(tool({ type: 'object', properties: { path } }))).toContain(words);
  });

  test('nesting beyond 64 levels is too deep', () => {
    const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);
    expect(isTooDeep(nest(64))).toBe(false);
    expect(isTooDeep(nest(66))).toBe(true);
  });
});

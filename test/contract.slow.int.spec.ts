import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = process.cwd();
let copy: string;

const generate = (...options: string[]) =>
  spawnSync(process.execPath, ['scripts/generate.mjs', '--root', copy, ...options], { encoding: 'utf8' });
const compile = () => spawnSync(path.join(root, 'node_modules/.bin/tsc'), ['-b', 'libs/domain'], { cwd: copy, encoding: 'utf8' });

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'countersign-contract-'));
  for (const part of ['schemas', 'libs/contracts', 'libs/domain', 'tsconfig.base.json', 'package.json'])
    cpSync(path.join(root, part), path.join(copy, part), { recursive: true, filter: (source) => !/\/dist(\/|$)/.test(source) });
  mkdirSync(path.join(copy, 'node_modules/@countersign'), { recursive: true });
  symlinkSync(path.join(copy, 'libs/contracts'), path.join(copy, 'node_modules/@countersign/contracts'));
  for (const name of ['ajv', 'ajv-formats', 'avsc', 'canonicalize', '@types', 'vitest', 'fast-check', 'undici-types'])
    symlinkSync(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the event contract', () => {
  test('the committed code is what the schemas generate', () => {
    expect(execFileSync(process.execPath, ['scripts/generate.mjs', '--check'], { cwd: root, encoding: 'utf8' })).toContain(
      'generated code is current',
    );
  });

  test('an edited schema makes the check fail until generate was run', () => {
    const schema = {
      type: 'record',
      name: 'tool_call_paused',
      namespace: 'countersign',
      doc: 'Planted by a test.',
      fields: [{ name: 'meta', type: 'countersign.meta' }],
    };
    writeFileSync(path.join(copy, 'schemas/tool-executed/tool_call_paused.v1.avsc'), JSON.stringify(schema));
    const stale = generate('--check');
    expect(stale.status).toBe(1);
    expect(stale.stderr).toContain('is stale: run npm run generate');
    expect(generate().status).toBe(0);
    expect(generate('--check').status).toBe(0);
  });

  test('a new event gives exactly one compile error, at the fold that must handle it', () => {
    const { status, stdout } = compile();
    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    expect(status).not.toBe(0);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('libs/domain/src/call/evolve.ts');
    expect(stdout).toContain('tool_call_paused');
  });

  test('a schema whose first field is not meta is refused by name', () => {
    const file = path.join(copy, 'schemas/tool-executed/tool_call_paused.v1.avsc');
    writeFileSync(
      file,
      JSON.stringify({
        type: 'record',
        name: 'tool_call_paused',
        namespace: 'countersign',
        doc: '',
        fields: [{ name: 'x', type: 'string' }],
      }),
    );
    expect(generate().stderr).toContain('schemas/tool-executed/tool_call_paused.v1.avsc: the first field must be meta');
  });

  test.each([[undefined], ['perhaps'], ['clear: so']])(
    'a text that does not say whether it may be personal (%s) is refused by name',
    (personal) => {
      const file = path.join(copy, 'schemas/tool-executed/tool_call_paused.v1.avsc');
      const fields = [
        { name: 'meta', type: 'countersign.meta' },
        { name: 'words', type: ['null', { type: 'array', items: 'string' }], personal },
      ];
      writeFileSync(file, JSON.stringify({ type: 'record', name: 'tool_call_paused', namespace: 'countersign', doc: '', fields }));
      expect(generate().stderr).toContain('tool_call_paused.words: say "personal"');
    },
  );

  describe('once released', () => {
    const file = () => path.join(copy, 'schemas/tool-executed/tool_call_paused.v1.avsc');
    const write = (fields: readonly unknown[]) =>
      writeFileSync(file(), JSON.stringify({ type: 'record', name: 'tool_call_paused', namespace: 'countersign', doc: '', fields }));
    const meta = { name: 'meta', type: 'countersign.meta' };
    const idsOf = (): string[] => {
      const text = readFileSync(path.join(copy, 'libs/contracts/src/generated/schemas.ts'), 'utf8');
      return [...text.matchAll(/\{ id: (\d+), topic: 'tool-executed', event_type: 'tool_call_paused', version: (\d+)/g)].map(
        ([, id, version]) => `${id} v${version}`,
      );
    };

    test('a changed schema gets a new id, and records of the released one stay readable', () => {
      write([meta]);
      expect(generate('--release').status).toBe(0);
      const [first] = idsOf() as [string];
      write([meta, { name: 'why', type: 'string', default: '', personal: 'never' }]);
      expect(generate().status).toBe(0);
      const [old, changed] = idsOf() as [string, string];
      expect([old, changed.endsWith(' v2')]).toEqual([first, true]);
      expect(Number(changed.split(' ')[0])).toBeGreaterThan(Number(old.split(' ')[0]));
      expect(generate('--check').status).toBe(0);
    });

    test('words about it are no change', () => {
      const before = idsOf();
      writeFileSync(file(), readFileSync(file(), 'utf8').replace('"doc":""', '"doc":"Said better."'));
      expect(generate().status).toBe(0);
      expect(idsOf()).toEqual(before);
    });

    test('a schema that cannot read what was released is refused, with what to do', () => {
      write([meta, { name: 'needed', type: 'string', personal: 'never' }]);
      expect(generate().stderr).toContain('tool_call_paused.v1.avsc cannot read records of its released version 1');
      write([meta, { name: 'why', type: 'long', default: 0 }]);
      expect(generate('--release').status).toBe(0);
      write([meta, { name: 'why', type: 'string', default: '', personal: 'never' }]);
      expect(generate().stderr).toContain('give new fields a default');
    });
  });
});

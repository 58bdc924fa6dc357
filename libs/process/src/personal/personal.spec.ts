import { createHmac } from 'node:crypto';
import { ERASED, NO_CONTEXT, SEALED, sealedParts, sha256Hex, type ToolCall } from '@countersign/contracts';
import type { PersonalRule } from '@countersign/domain';
import { MemorySubjectKeys } from '@countersign/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Personal } from './personal.js';
import { sealJson } from './seal-value.js';

const AT = Date.UTC(2026, 10, 22);
const by = { kind: 'user', id: 'dpo', roles: [] } as const;

const rule = (more: Partial<PersonalRule> = {}): PersonalRule => ({
  rule_id: 'customers',
  version: 1,
  removed: false,
  tools: [],
  markings: [],
  subjects: ['/customer_id'],
  inputs: [{ path: '', subjects: [] }],
  output: [{ path: '', subjects: [] }],
  by: { ...by, roles: [] },
  changed_at_ms: AT,
  ...more,
});

function fixture() {
  const keys = new MemorySubjectKeys();
  const tenants = { tenantKey: (tenant_id: string) => createHmac('sha256', 'master').update(tenant_id).digest() };
  const personal = new Personal(keys, tenants, () => AT);
  const erase = async (subject: string) => {
    const ids = await keys.ofSubject('acme', personal.ref('acme', subject));
    return keys.destroy('acme', ids);
  };
  return { personal, erase };
}

const ask = (inputs: unknown, rules: PersonalRule[]) => ({ tenant_id: 'acme', rules, markings: [], inputs, requested_at_ms: AT });

async function sealed(personal: Personal, inputs: unknown, rules = [rule()]) {
  const { seal, sealed: keys } = await personal.sealing(ask(inputs, rules));
  return { seal, keys, inputs_json: seal.inputs(JSON.stringify(inputs)) };
}

describe('personal data', () => {
  test('the mapped form of a sealed call is sealed as a whole, opens with the call, and is erased with its subject', async () => {
    const { personal, erase } = fixture();
    const fields = [rule({ inputs: [{ path: '/note', subjects: [] }] })];
    const { seal, keys, inputs_json } = await sealed(personal, { customer_id: 'c-1', note: 'Ada Lovelace', cost: 7 }, fields);
    const inputs = '{"partner_id":17,"x_free":"Ada Lovelace"}';
    const plain = {
      inputs_json: inputs,
      inputs_digest: sha256Hex(inputs),
      mapping_version: 1,
      permissive: true,
      warnings: ['/Ada is new'],
    };
    const mapped = seal.mapped(plain);
    expect(JSON.stringify(mapped)).not.toMatch(/Lovelace|partner/);
    expect(mapped.inputs_digest).toBe(sha256Hex(mapped.inputs_json));
    const context = { ...NO_CONTEXT };
    const call = { inputs_json, mapped, context, sealed: keys, requested_at_ms: AT, authority: null } as unknown as ToolCall;
    expect((await personal.open('acme', call, fields))?.call.mapped).toMatchObject({ inputs_json: inputs, warnings: ['/Ada is new'] });
    expect(JSON.parse(await personal.text('acme', `{"mapped_input":${mapped.inputs_json}}`))).toEqual({ mapped_input: JSON.parse(inputs) });
    await erase('c-1');
    expect(await personal.open('acme', call, fields)).toBeUndefined();
    expect(await personal.text('acme', mapped.inputs_json)).toBe(JSON.stringify(ERASED));
  });

  test('sealed data shows none of its text, and opens to the same JSON wherever it is', async () => {
    const { personal } = fixture();
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.jsonValue(), async (customer_id, note) => {
        const inputs = { customer_id, note };
        const { inputs_json, seal } = await sealed(personal, inputs);
        expect(inputs_json.startsWith(`"${SEALED}`)).toBe(true);
        expect(JSON.parse(await personal.text('acme', inputs_json))).toEqual(JSON.parse(JSON.stringify(inputs)));
        const nested = { text: seal.text('a "note"'), event: { inputs_json, deep: JSON.stringify({ inputs_json }) } };
        const opened = await personal.value('acme', nested);
        expect(opened.text).toBe('a "note"');
        expect(JSON.parse(opened.event.inputs_json)).toEqual(JSON.parse(JSON.stringify(inputs)));
        expect(JSON.parse(JSON.parse(opened.event.deep).inputs_json)).toEqual(JSON.parse(JSON.stringify(inputs)));
      }),
      { numRuns: 60 },
    );
  });

  test('the same value under the same key has a different commitment and digest each time', () => {
    const key = { key_id: '01a20164-f3c2-7001-9a67-44e55dc07cca', key: Buffer.alloc(32, 7) };
    fc.assert(
      fc.property(fc.json(), (json) => {
        const [one, other] = [sealJson('acme', [key], json), sealJson('acme', [key], json)];
        expect(sha256Hex(one)).not.toBe(sha256Hex(other));
        expect(sealedParts(one)?.commitment.equals(sealedParts(other)?.commitment as Buffer)).toBe(false);
        expect(sealedParts(one)?.commitment.toString('hex')).not.toBe(sha256Hex(json));
      }),
      { numRuns: 200 },
    );
  });

  test('a call names its subjects in the same form as an erasure, so that later data about it is erased with them', async () => {
    const { personal, erase } = fixture();
    const { keys } = await sealed(personal, { customer_id: 'c-1' });
    expect(keys.map(({ subject }) => subject)).toEqual([personal.ref('acme', 'c-1')]);
    const refs = keys.map(({ subject }) => subject);
    const about = await personal.sealingAbout('acme', { subjects: ['c-2'], refs }, AT);
    expect(about?.sealed[1]).toEqual(keys[0]);
    const said = about?.seal.text('of both') as string;
    expect(await personal.plain('acme', said)).toBe('of both');
    await erase('c-1');
    expect(await personal.plain('acme', said)).toBe(ERASED);
    const many = Array.from({ length: 256 }, (_, at) => `s-${at}`);
    expect(await personal.sealingAbout('acme', { subjects: many }, AT)).toBeUndefined();
  });

  test('erased data is shown as erased, in JSON and in plain text, and for one tenant only', async () => {
    const { personal, erase } = fixture();
    const { inputs_json, seal } = await sealed(personal, { customer_id: 'c-1', name: 'Ada' });
    expect(await personal.text('other', inputs_json)).toBe(JSON.stringify(ERASED));
    expect(await personal.plain('acme', `rationale: ${seal.text('for Ada')}.`)).toBe('rationale: for Ada.');
    expect(await erase('c-2')).toBe(0);
    expect(await personal.text('acme', inputs_json)).toContain('Ada');
    expect(await erase('c-1')).toBe(1);
    expect(await personal.text('acme', inputs_json)).toBe(JSON.stringify(ERASED));
    expect(await personal.plain('acme', `rationale: ${seal.text('for Ada')}.`)).toBe('rationale: erased.');
  });

  test('a value of several subjects is erased with any of them; a field of one subject only with that subject', async () => {
    const { personal, erase } = fixture();
    const rules = [
      rule({
        subjects: [],
        inputs: [
          { path: '/people/*', subjects: ['field:/id'] },
          { path: '/note', subjects: ['/people/*/id'] },
        ],
      }),
    ];
    const inputs = {
      people: [
        { id: 'a', name: 'Ada' },
        { id: 'b', name: 'Bob' },
      ],
      note: 'met',
      kind: 'call',
    };
    const { inputs_json, keys } = await sealed(personal, inputs, rules);
    expect(keys).toHaveLength(2);
    expect(JSON.parse(inputs_json).kind).toBe('call');
    expect(inputs_json).not.toMatch(/Ada|Bob|met/);
    await erase('a');
    expect(JSON.parse(await personal.text('acme', inputs_json))).toEqual({
      people: [ERASED, inputs.people[1]],
      note: ERASED,
      kind: 'call',
    });
  });

  test('a part inside another one is sealed with it, for the subjects of both', async () => {
    const { personal, erase } = fixture();
    const rules = [
      rule({ inputs: [{ path: '/order', subjects: [] }] }),
      rule({ inputs: [{ path: '/order/courier', subjects: ['field:/id'] }] }),
    ];
    const { inputs_json } = await sealed(personal, { customer_id: 'c', order: { courier: { id: 'x' } } }, rules);
    await erase('x');
    expect(JSON.parse(await personal.text('acme', inputs_json))).toEqual({ customer_id: 'c', order: ERASED });
  });

  test('a new call of an erased subject has a new key; data without a subject is sealed under the monthly key', async () => {
    const { personal, erase } = fixture();
    const first = await sealed(personal, { customer_id: 'c' });
    await erase('c');
    const second = await sealed(personal, { customer_id: 'c' });
    expect(second.keys[0]?.key_id).not.toBe(first.keys[0]?.key_id);
    expect(second.keys[0]?.subject).toBe(first.keys[0]?.subject);
    const unnamed = await sealed(personal, { name: 'Ada' });
    expect(unnamed.inputs_json).not.toContain('Ada');
    expect(await personal.text('acme', unnamed.inputs_json)).toContain('Ada');
  });

  test('an opened call seals its outcome; one whose key is destroyed does not open', async () => {
    const { personal, erase } = fixture();
    const { inputs_json, keys, seal } = await sealed(personal, { customer_id: 'c', name: 'Ada' });
    const context = { ...NO_CONTEXT, rationale: seal.text('Ada asked') };
    const call = { inputs_json, sealed: keys, context, requested_at_ms: AT, authority: null } as unknown as ToolCall;
    const opened = await personal.open('acme', call, [rule()]);
    expect(JSON.parse(opened?.call.inputs_json as string)).toEqual({ customer_id: 'c', name: 'Ada' });
    expect(opened?.call.context.rationale).toBe('Ada asked');
    const output = opened?.seal.output('{"mail":"ada@example.org"}') as string;
    expect(output).not.toContain('ada@');
    expect(opened?.seal.output(output)).toBe(output);
    expect(opened?.seal.output(JSON.stringify({ copied: `${SEALED}abc` }))).toMatch(/^"sealed:v1:/);
    await erase('c');
    expect(await personal.text('acme', output)).toBe(JSON.stringify(ERASED));
    expect(await personal.open('acme', call, [rule()])).toBeUndefined();
  });
});

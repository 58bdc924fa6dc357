import { isDeepStrictEqual } from 'node:util';
import { parseCallId, partitionOf } from '@countersign/contracts';
import { histories } from '@countersign/contracts/testing/histories';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleContract } from '../testing/samples.js';
import { type IdentityRequest, identify } from './effect-identity.js';

const base: IdentityRequest = {
  contract: sampleContract(),
  inputs: { path: 'a', text: 'b' },
  tenant_id: 'acme',
  principal_id: 'bot',
  case_id: 'case_1',
  run_id: null,
  occurrence: null,
  seq: null,
  request_id: null,
  requested_version: null,
  principal_kind: 'agent',
  header: undefined,
  partitions: 4,
  tenant_key: Buffer.alloc(32, 1),
  fresh_uuid: '0197b3a0-0000-7000-8000-000000000001',
};
const key = (more: Partial<IdentityRequest>) => identify({ ...base, ...more }).idempotency_key;
const json = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 6 })
  .map((value) => JSON.parse(JSON.stringify(value)));

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
};

describe('the key of a write', () => {
  test('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(json, (inputs) => {
        expect(key({ inputs: reversed(inputs) as Record<string, unknown> })).toBe(key({ inputs }));
      }),
    );
  });

  test('does not depend on fields that do not identify the effect', () => {
    fc.assert(
      fc.property(json, fc.string(), (inputs, note) => {
        expect(key({ inputs: { ...inputs, note } })).toBe(key({ inputs: { ...inputs, note: 'other' } }));
      }),
    );
  });

  test('depends on every field that does', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        fc.pre(a.normalize('NFC') !== b.normalize('NFC'));
        expect(key({ inputs: { path: `p${a}`, text: 'x' } })).not.toBe(key({ inputs: { path: `p${b}`, text: 'x' } }));
      }),
    );
  });

  test('treats equal instants in any zone and equal text in any Unicode form as the same', () => {
    expect(key({ inputs: { path: '2026-05-01T12:00:00+02:00', text: 'e\u0301' } })).toBe(
      key({ inputs: { path: '2026-05-01T10:00:00.000Z', text: '\u00e9' } }),
    );
  });

  test('differs with tenant key, case, tool, major version and occurrence, and does not differ with the minor version', () => {
    const one = key({});
    const others: Partial<IdentityRequest>[] = [
      { tenant_key: Buffer.alloc(32, 2) },
      { case_id: 'case_2' },
      { contract: sampleContract({ name: 'other' }) },
      { contract: sampleContract({ version: '2.0.0' }) },
      { occurrence: 'again' },
    ];
    expect(new Set([one, ...others.map(key)]).size).toBe(others.length + 1);
    expect(key({ contract: sampleContract({ version: '1.9.0' }) })).toBe(one);
  });

  test('is scoped by the case, else by the run, else by the principal for ten minutes', () => {
    expect(key({ principal_id: 'else' })).toBe(key({}));
    expect(key({ case_id: null, run_id: 'r', principal_id: 'else' })).toBe(key({ case_id: null, run_id: 'r' }));
    expect(key({ case_id: null, principal_id: 'else' })).not.toBe(key({ case_id: null }));
    expect(identify({ ...base, case_id: null }).window_ms).toBe(600_000);
    expect(identify(base).window_ms).toBe(86_400_000);
  });

  test('comes from the header if there is one, whatever the inputs; their digest tells them apart', () => {
    const one = identify({ ...base, header: 'k' });
    const other = identify({ ...base, header: 'k', inputs: { path: 'z', text: 'b' } });
    expect(other.idempotency_key).toBe(one.idempotency_key);
    expect(other.discriminating_digest).not.toBe(one.discriminating_digest);
    expect(identify({ ...base, header: 'k', principal_id: 'else' }).idempotency_key).not.toBe(one.idempotency_key);
  });
});

describe('the identity of a call', () => {
  test('is in the partition of its key', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 64 }), (inputs, partitions) => {
        const found = identify({ ...base, inputs, partitions });
        expect(found.partition).toBe(partitionOf(found.idempotency_key, partitions));
        expect(parseCallId(found.call_id)?.partition).toBe(found.partition);
      }),
    );
  });

  test('is derived from the request if the run numbers its calls', () => {
    const numbered = { ...base, run_id: 'r', seq: 1 };
    expect(identify({ ...numbered, fresh_uuid: 'x' }).call_id).toBe(identify(numbered).call_id);
    expect(identify({ ...numbered, seq: 2 }).call_id).not.toBe(identify(numbered).call_id);
  });

  test('is derived from the request id: the same request is the same call, read or write, and keeps the key that it has without an id', () => {
    for (const effect_class of ['read_internal', 'stage'] as const) {
      const identityRequest = { ...base, contract: sampleContract({ effect_class }), request_id: 'q' };
      const one = identify(identityRequest);
      expect(one.numbered).toBe(true);
      const released = sampleContract({ effect_class, version: '1.9.0' });
      expect(identify({ ...identityRequest, contract: released, fresh_uuid: 'x', inputs: { ...identityRequest.inputs } })).toEqual(one);
      const without = identify({ ...identityRequest, request_id: null });
      if (effect_class === 'stage') expect(one.idempotency_key).toBe(without.idempotency_key);
      expect(one.call_id).not.toBe(without.call_id);
    }
  });

  test('two different requests never get the same call under one request id', () => {
    const text = fc.constantFrom('a', 'b', 'a b', 'b a', 'ab', '1:a', '');
    const optional = fc.option(
      text.filter((one) => one !== ''),
      { nil: null },
    );
    const identityRequest = fc.record({
      tenant_id: text,
      principal_kind: fc.constantFrom('agent', 'user', 'service'),
      principal_id: text,
      request_id: text.filter((one) => one !== ''),
      case_id: optional,
      run_id: optional,
      occurrence: optional,
      requested_version: fc.constantFrom(null, '1.2.0', '^1.0.0'),
      header: optional.map((one) => one ?? undefined),
      inputs: fc.record({ path: text, text }),
      secret: fc.boolean(),
      effect_class: fc.constantFrom('read_internal' as const, 'stage' as const),
    });
    const idOf = ({ effect_class, ...more }: typeof identityRequest extends fc.Arbitrary<infer T> ? T : never) =>
      identify({ ...base, ...more, contract: sampleContract({ effect_class, name: effect_class }) }).call_id;
    fc.assert(
      fc.property(identityRequest, identityRequest, (one, other) => {
        expect(idOf(one) === idOf(other)).toBe(isDeepStrictEqual(one, other));
      }),
      { numRuns: histories(500, 5_000) },
    );
  });

  test('the number in a run takes precedence over the request id', () => {
    const numbered = { ...base, run_id: 'r', seq: 1 };
    expect(identify({ ...numbered, request_id: 'q' }).call_id).toBe(identify(numbered).call_id);
  });

  test('a read-only call has its own id as its key, and a header does not deduplicate it', () => {
    const found = identify({ ...base, contract: sampleContract({ effect_class: 'read_internal' }), header: 'k' });
    expect(found).toMatchObject({ idempotency_key: base.fresh_uuid, key_source: 'call' });
  });

  test('text that is not Unicode is refused', () => {
    expect(() => identify({ ...base, inputs: { path: '\ud800' } })).toThrow();
  });
});

describe('inputs that are already normalized', () => {
  test('have the same identity as any other spelling, read or write, numbered or not', () => {
    const spelled = { path: 'caf\u00e9', text: 'b', at: '2026-05-01T00:00:00.000Z', list: [{ b: 1, a: null }] };
    const other = { list: [{ a: null, b: 1 }], at: '2026-05-01T02:00:00+02:00', text: 'b', path: 'cafe\u0301' };
    for (const more of [{}, { run_id: 'r', seq: 1 }, { header: 'k' }, { run_id: 'r', seq: 1, secret: true }]) {
      const [a, b] = [identify({ ...base, ...more, inputs: spelled }), identify({ ...base, ...more, inputs: other })];
      for (const field of ['call_id', 'partition', 'idempotency_key', 'discriminating_digest'] as const) expect(a[field]).toBe(b[field]);
      expect(a.inputs_json).toBe('{"at":"2026-05-01T00:00:00.000Z","list":[{"a":null,"b":1}],"path":"caf\u00e9","text":"b"}');
    }
  });
});

describe('the inputs of a run', () => {
  const spelled = { path: 'cafe\u0301', text: '2026-05-01T02:00:00+02:00' };
  const other = { path: 'caf\u00e9', text: '2026-05-01T00:00:00.000Z' };

  test('are exactly those that were sent, in canonical order', () => {
    expect(JSON.parse(identify({ ...base, inputs: spelled }).inputs_json)).toEqual(spelled);
    fc.assert(fc.property(json, (inputs) => void expect(JSON.parse(identify({ ...base, inputs }).inputs_json)).toEqual(inputs)));
  });

  test('another spelling of one effect has the same key and compared digest, and its own inputs digest', () => {
    const [a, b] = [identify({ ...base, inputs: spelled }), identify({ ...base, inputs: other })];
    expect([a.idempotency_key, a.discriminating_digest]).toEqual([b.idempotency_key, b.discriminating_digest]);
    expect(a.inputs_digest).not.toBe(b.inputs_digest);
  });

  test('two reads that are spelled differently are two reads', () => {
    const reading = { ...base, contract: sampleContract({ effect_class: 'read_internal' }) };
    const [a, b] = [identify({ ...reading, inputs: spelled }), identify({ ...reading, inputs: other })];
    expect(a.discriminating_digest).not.toBe(b.discriminating_digest);
  });
});

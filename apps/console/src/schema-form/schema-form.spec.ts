import { describe, expect, it } from 'vitest';
import { issuesOf } from './check-value.js';
import { constraintsOf } from './constraints.js';
import { nodeOf } from './form-node.js';
import { addedValue, initialValue } from './initial-value.js';
import { withItem, withMember } from './members.js';
import { hiddenNames, optionText } from './option-text.js';
import { placedIssues } from './place-issues.js';
import type { Schema } from './schema.js';
import { jsonFrom, numberFrom, Unparsed } from './unparsed.js';
import { variantOf } from './variants.js';

const kindOf = (schema: Schema) => nodeOf(schema, schema).kind;

describe('a schema becomes a form', () => {
  it.each([
    ['text', { type: 'string' }],
    ['number', { type: 'integer', minimum: 1 }],
    ['boolean', { type: 'boolean' }],
    ['choice', { enum: ['a', 'b'] }],
    ['constant', { const: 'refund' }],
    ['constant', { type: 'null' }],
    ['object', { properties: { a: { type: 'string' } } }],
    ['object', { type: 'object', additionalProperties: { type: 'string' } }],
    ['list', { type: 'array', items: { type: 'string' } }],
    ['variants', { oneOf: [{ type: 'string' }, { type: 'number' }] }],
    ['variants', { type: ['string', 'null'] }],
    ['text', { anyOf: [{ type: 'string' }] }],
    ['json', {}],
    ['json', { type: 'object' }],
    ['json', { type: 'array', prefixItems: [{ type: 'string' }] }],
    ['json', { enum: Array.from({ length: 5_000 }, (_, at) => at) }],
  ] as const)('%s from %j', (kind, schema) => expect(kindOf(schema as Schema)).toBe(kind));

  it('follows references and joins allOf', () => {
    const schema = {
      $defs: { name: { type: 'object', properties: { first: { type: 'string' } }, required: ['first'] } },
      allOf: [{ $ref: '#/$defs/name' }, { properties: { age: { type: 'integer' } } }],
    };
    const node = nodeOf(schema, schema);
    expect(node.kind === 'object' && node.members.map(({ name, is_required }) => [name, is_required])).toEqual([
      ['first', true],
      ['age', false],
    ]);
  });

  it('names the forms of a value by what tells them apart', () => {
    const schema = {
      oneOf: [
        { title: 'By card', properties: { kind: { const: 'card' } } },
        { properties: { kind: { const: 'iban' } } },
        { type: 'string' },
        { type: 'string' },
      ],
    };
    const node = nodeOf(schema, schema);
    const variants = node.kind === 'variants' ? node.variants : [];
    expect(variants.map(({ label }) => label)).toEqual(['By card', 'kind: iban', 'text', 'text (2)']);
    expect(variantOf(variants, { kind: 'iban' }, schema)).toBe(1);
    expect(variantOf(variants, 'a text', schema)).toBe(2);
  });
});

describe('a schema of an attacker', () => {
  it('is written as JSON where its references go in a circle or outside', () => {
    const circle = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' };
    expect(kindOf(circle)).toBe('json');
    expect(kindOf({ $ref: 'https://attacker.example/schema' })).toBe('json');
    expect(kindOf({ allOf: [{ $ref: '#' }] })).toBe('json');
    expect(kindOf({ oneOf: [{ $ref: '#' }] })).toBe('json');
  });

  it('that contains itself begins with an end', () => {
    const tree: Schema = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(JSON.stringify(initialValue(tree, tree)).length).toBeLessThan(100);
  });

  it('that is nested 60 deep or has 10,000 properties takes no time', () => {
    let deep: Schema = { type: 'string' };
    for (let at = 0; at < 60; at += 1) deep = { type: 'object', properties: { in: deep }, required: ['in'] };
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, { type: 'string' }])),
    };
    const began_ms = performance.now();
    expect(kindOf(deep)).toBe('object');
    initialValue(deep, deep);
    initialValue(wide, wide);
    expect(issuesOf(wide, {}, wide)).toEqual([]);
    expect(performance.now() - began_ms).toBeLessThan(200);
  });

  it('reaches no prototype by the names of its properties', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["constructor"]}',
    );
    const value = withMember({}, '__proto__', 'text');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":"text"}');
    expect(issuesOf(schema, {}, schema)).toEqual([{ path: '/constructor', message: 'This is required.' }]);
  });

  it('shows its pattern and never runs it', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(issuesOf(schema, `${'a'.repeat(60)}!`, schema)).toEqual([]);
    expect(constraintsOf(schema)).toEqual(['pattern ^(a+)+$']);
  });

  it('writes hidden characters by name', () => {
    expect(optionText('a\u202eb')).toBe('a[RLO]b');
    expect(hiddenNames('a\u202eb\u200bc\u202e')).toBe('RLO, ZWSP');
  });
});

describe('the value of a form', () => {
  it('begins with defaults, constants and required objects', () => {
    const schema = {
      type: 'object',
      required: ['kind', 'to'],
      properties: {
        kind: { const: 'mail' },
        to: { type: 'object', properties: { country: { type: 'string', default: 'NL' } } },
        limit: { type: 'integer', default: 10 },
        note: { type: 'string' },
      },
    };
    expect(initialValue(schema, schema)).toEqual({ kind: 'mail', to: { country: 'NL' }, limit: 10 });
    expect(addedValue({ type: 'array' }, schema)).toEqual([]);
  });

  it('leaves out what is cleared and keeps the order of members', () => {
    expect(withMember({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(Object.keys(withMember({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
    expect(withItem([1, 2], 0, undefined)).toEqual([2]);
  });

  it('has numbers exactly as written, or none', () => {
    expect(numberFrom('12.50', false)).toBe(12.5);
    expect(numberFrom('1.5', true)).toBeInstanceOf(Unparsed);
    expect(numberFrom('9007199254740993', true)).toBeInstanceOf(Unparsed);
    expect(numberFrom('0x10', false)).toBeInstanceOf(Unparsed);
    expect(jsonFrom('{"a":')).toBeInstanceOf(Unparsed);
  });
});

describe('what is wrong', () => {
  const schema = {
    type: 'object',
    required: ['amount'],
    properties: {
      amount: { type: 'integer', minimum: 1, maximum: 100 },
      lines: { type: 'array', maxItems: 2, items: { type: 'object', properties: { text: { type: 'string', maxLength: 3 } } } },
    },
  };

  it('is found in all places before the gateway is asked', () => {
    expect(issuesOf(schema, { lines: [{ text: 'long' }, {}, {}] }, schema)).toEqual([
      { path: '/amount', message: 'This is required.' },
      { path: '/lines/0/text', message: 'This must be at most 3 characters.' },
      { path: '/lines', message: 'This must be at most 2 items.' },
    ]);
    expect(issuesOf(schema, { amount: new Unparsed('x', 'This is not a number.') }, schema)[0]?.path).toBe('/amount');
  });

  it('stands at the deepest field on the way of its pointer', () => {
    const placed = placedIssues(schema, { amount: 1, lines: [{}] }, [
      { path: '/lines/0/text', message: 'a' },
      { path: '/lines/7/text', message: 'b' },
      { path: '/unknown', message: 'c' },
      { path: '', message: 'd' },
    ]);
    expect([...placed]).toEqual([
      ['/lines/0/text', ['a']],
      ['/lines', ['/7/text: b']],
      ['', ['/unknown: c', 'd']],
    ]);
  });
});

import { Refusal } from '@countersign/calls';
import { describe, expect, test } from 'vitest';
import { callOfRequest } from './call-of-request.js';

const NO_HEADERS = { case_id: undefined, run_id: undefined };
const call = (params: object, headers = {}, takes = true) =>
  callOfRequest({ name: 'pay', ...params }, { ...NO_HEADERS, ...headers }, takes);

describe('the call of a tools/call request', () => {
  test('has the tool and the arguments, and nothing else by itself', () => {
    expect(call({ arguments: { amount: 1 } })).toEqual({ request: { tool: 'pay', inputs: { amount: 1 } }, idempotency_key: undefined });
    expect(call({})).toEqual({ request: { tool: 'pay', inputs: {} }, idempotency_key: undefined });
  });

  test('has the case and the run of the headers, unless _meta names others', () => {
    const headers = { case_id: 'case-1', run_id: 'run-1' };
    expect(call({}, headers)).toMatchObject({ request: { case_id: 'case-1', context: { run_id: 'run-1' } } });
    const _meta = { 'dev.countersign/case_id': 'case-2', 'dev.countersign/run_id': 'run-2', 'dev.countersign/seq': 3 };
    expect(call({ _meta }, headers)).toMatchObject({ request: { case_id: 'case-2', context: { run_id: 'run-2', seq: 3 } } });
  });

  test('has everything that the body of a POST may have', () => {
    const given = {
      version: '^1.0.0',
      external_id: 'o-1',
      deadline: '2030-01-01T00:00:00Z',
      context: { request_id: 'r-1', purpose: 'billing' },
    };
    const found = call({ _meta: { 'dev.countersign/call': { ...given, idempotency_key: 'k-1' } } });
    expect(found).toEqual({ request: { tool: 'pay', inputs: {}, ...given }, idempotency_key: 'k-1' });
  });

  test.each([{ tool: 'other' }, { inputs: {} }, { nothing: 1 }, 7])('refuses %j as dev.countersign/call', (given) => {
    expect(call({ _meta: { 'dev.countersign/call': given } })).toBeInstanceOf(Refusal);
  });

  test.each([
    ['dev.countersign/case_id', 7],
    ['dev.countersign/run_id', ''],
    ['dev.countersign/seq', -1],
    ['dev.countersign/seq', '1'],
  ])('refuses %s: %j', (key, value) => {
    expect(call({ _meta: { [key]: value } })).toBeInstanceOf(Refusal);
  });

  test('takes countersign_occurrence out of the arguments of a write, and leaves it to a tool that declares it', () => {
    const params = { arguments: { amount: 1, countersign_occurrence: 'again' } };
    expect(call(params)).toMatchObject({ request: { inputs: { amount: 1 }, occurrence: 'again' } });
    expect(call(params)).not.toHaveProperty('request.inputs.countersign_occurrence');
    expect(call(params, {}, false)).toMatchObject({ request: { inputs: params.arguments } });
  });

  test('takes no other key of _meta', () => {
    expect(call({ _meta: { progressToken: 1, case_id: 'x', 'com.example/case_id': 'y' } })).toEqual({
      request: { tool: 'pay', inputs: {} },
      idempotency_key: undefined,
    });
  });
});

import type { EventMap } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { announcedContract } from './announced-contract.js';

const event = (contract_json: string) => ({ contract_json }) as EventMap['tool_registered'];

test('all readers of one announcement share its contract, which is read and digested once', () => {
  const announced = event('{"name":"look","version":"1.0.0"}');
  expect(announcedContract(announced)).toBe(announcedContract(announced));
  expect(announcedContract(announced)).not.toBe(announcedContract(event(announced.contract_json)));
  expect(announcedContract(announced)).toMatchObject({ digest: expect.stringMatching(/^[0-9a-f]{64}$/), contract: { name: 'look' } });
});

test.each(['', '{', 'null', '0', 'false', '""', '"text"', '7'])('%j is no contract', (text) => {
  expect(announcedContract(event(text))).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { createLogger } from './logger.js';

/** The fields as one line of the log shows them. */
function logged(fields: Record<string, unknown>): string {
  const lines: string[] = [];
  createLogger('gateway', 'info', { write: (line) => void lines.push(line) }).info(fields, 'something happened');
  expect(lines).toHaveLength(1);
  return lines[0] as string;
}

describe('a line of the log', () => {
  test('is JSON with the service, the time and the message', () => {
    expect(JSON.parse(logged({ call_id: 'c' }))).toMatchObject({
      service: 'gateway',
      call_id: 'c',
      msg: 'something happened',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test.each([
    [{ authorization: 'Bearer cs_key' }],
    [{ headers: { authorization: 'Bearer cs_key' } }],
    [{ req: { headers: { authorization: 'Bearer cs_key' } } }],
    [{ user_token: 'cs_key' }],
    [{ key: 'cs_key' }],
    [{ created: { api_key: 'cs_key' } }],
    [{ created: { admin_key: 'cs_key' } }],
    [{ login: { password: 'cs_key', secret: 'cs_key', token: 'cs_key' } }],
  ])('names no secret of %j', (fields) => {
    const line = logged(fields);
    expect(line).not.toContain('cs_key');
    expect(line).toContain('[redacted]');
  });
});

import type { Logger } from '@countersign/process';
import { expect, test } from 'vitest';
import type { Authenticator } from '../authentication/authenticator.js';
import type { RefusedRequests } from '../authentication/refused-requests.js';
import { problemDocument } from './problem.js';
import { RequestAccess } from './request-access.js';
import { requestIdOf } from './request-id.js';

test('the log line of a failed request has the request id, and its response has nothing of the cause', () => {
  const lines: Record<string, unknown>[] = [];
  const logger = { error: (line: Record<string, unknown>) => lines.push(line), warn: (line: Record<string, unknown>) => lines.push(line) };
  const access = new RequestAccess({} as Authenticator, logger as unknown as Logger, {} as RefusedRequests);
  const raw = { headers: { 'x-request-id': 'report-2024-118' } } as never;
  const problem = access.problemOf(new Error('the password is hunter2'), { raw });
  expect(lines).toMatchObject([{ event: 'request_failed', request_id: 'report-2024-118' }]);
  const document = problemDocument(problem, '/v1/calls', requestIdOf(raw));
  expect(document).toMatchObject({ status: 500, reason: 'internal', request_id: 'report-2024-118' });
  expect(JSON.stringify(document)).not.toContain('hunter2');
});

import { expect, test } from 'vitest';
import { votesRequest } from './approval-requests.schemas.js';

test.each(['\u0000', 'ä', '', ' '])('a text that no approval can have as its id is refused before the store sees it: %j', (id) => {
  expect(votesRequest.safeParse({ approval_ids: [id], vote: 'approve' }).success).toBe(false);
  expect(votesRequest.safeParse({ approval_ids: ['0-01900000-0000-7000-8000-000000000001.1'], vote: 'approve' }).success).toBe(true);
});

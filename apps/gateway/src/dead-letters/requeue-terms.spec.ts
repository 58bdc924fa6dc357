import { expect, test } from 'vitest';
import { requeueRefusal } from './requeue-terms.js';

test.each([
  ['gateway-notices', 'approval-granted'],
  ['gateway-notices', 'policy-decided.gold'],
  ['gateway-answers', 'tool-executed'],
])('%s may handle a record of %s again', (consumer, topic) => expect(requeueRefusal(consumer, topic)).toBeUndefined());

test.each([
  ['policy', 'tool-call-requested', 'new call'],
  ['executor', 'policy-decided', 'resolve it if it is in doubt'],
  ['orchestrator', 'saga-requested', 'Read the saga'],
  ['projector', 'tool-executed', 'Rebuild the projections'],
  ['gateway-producers', 'tool-call-requested.from.crm', 'bytes of a refused record are not kept'],
  ['gateway-notices', 'tool-call-requested', 'does not know'],
  ['gateway-notices', 'operator-command', 'does not know'],
  ['constructor', '__proto__', 'does not know'],
])('a record that %s set aside from %s is refused, with what to do', (consumer, topic, words) =>
  expect(requeueRefusal(consumer, topic)).toContain(words),
);

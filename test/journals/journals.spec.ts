import { readFileSync } from 'node:fs';
import path from 'node:path';
import { eventSchemas } from '@countersign/contracts';
import { describe, expect, test } from 'vitest';
import { readExpected } from './expected.js';
import { foldDigests, notReproduced } from './folds.js';
import { eventsOf, journalNames, readJournal } from './journal-file.js';

const HINT = 'a fold gives other rows than before: raise the version of the projection, then `npm run journals`';

describe.each(journalNames())('the journal %s', (name) => {
  const journal = readJournal(name);
  const events = eventsOf(journal);

  test('is read by the schemas of today, every record of it, and holds what calls can come to', () => {
    expect(events.length).toBeGreaterThanOrEqual(2000);
    const types = new Set(events.map(({ event_type }) => event_type));
    for (const event_type of [
      'tool_call_requested',
      'policy_decided',
      'approval_requested',
      'approval_voted',
      'approval_granted',
      'approval_denied',
      'approval_expired',
      'approval_vote_counted',
      'call_cancelled',
      'tool_call_started',
      'tool_executed',
      'tool_retry_deduplicated',
      'tool_call_in_doubt',
      'tool_call_resolved',
      'tool_call_rejudged',
      'limit_set',
      'policy_bundle_activated',
      'approval_viewed',
      'approval_mode_corrected',
      'tool_rated',
      'security_event_recorded',
    ])
      expect([...types]).toContain(event_type);
  });

  test('was written with schemas that are still read under their ids, where they were released', () => {
    const released = JSON.parse(readFileSync(path.join(process.cwd(), 'schemas/released.json'), 'utf8')) as {
      id: number;
      schema: string;
    }[];
    for (const { id, schema } of released) {
      const written = journal.schemas[String(id)];
      if (written !== undefined) expect(JSON.parse(written)).toEqual(JSON.parse(schema));
    }
    expect(eventSchemas.length).toBeGreaterThan(0);
  });

  test('folds to the same state and rows as ever', () => {
    const digests = foldDigests(events);
    expect({ digests, HINT }).toEqual({ digests: readExpected()[name], HINT });
  });

  test('folds to the same twice', () => {
    expect(foldDigests(events)).toEqual(foldDigests(events));
  });

  test('is decided again as it was: every call, from its records alone', () => {
    expect(notReproduced(events, 'default')).toEqual([]);
  });
});

test('there is a journal', () => {
  expect(journalNames()).not.toEqual([]);
});

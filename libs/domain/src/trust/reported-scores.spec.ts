import { describe, expect, test } from 'vitest';
import { bandOf, type ReportedTrust, toTell } from './hysteresis.js';
import { evolveReported, type ReportedScores, trustFields } from './reported-scores.js';

const T0 = Date.UTC(2026, 0, 1);

describe('hysteresis', () => {
  const published: ReportedTrust = { score: 0.41, reported: 0.41, band: 'medium', at_ms: T0 };
  const to = (score: number | null, at_ms = T0 + 60_000) => toTell(published, { score, reported: score }, at_ms);

  test('a score that changed by less than a step is not published again', () => {
    expect([to(0.41), to(0.395), to(0.425)]).toEqual([undefined, undefined, undefined]);
    expect(to(0.43)).toMatchObject({ score: 0.43 });
  });

  test('a band changes only if the score is a step beyond its edge', () => {
    expect([bandOf(0.39), bandOf(0.39, 'medium'), bandOf(0.379, 'medium')]).toEqual(['low', 'medium', 'low']);
    expect([bandOf(0.41, 'low'), bandOf(0.421, 'low'), bandOf(0.9, 'low'), bandOf(null, 'high')]).toEqual([
      'low',
      'medium',
      'high',
      'unknown',
    ]);
  });

  test('a score that swings around an edge is not published again; a larger swing is published but keeps its band', () => {
    const swings = (low: number, high: number) => {
      let last = published;
      const bands: string[] = [];
      for (let n = 1; n <= 100; n++) {
        const score = n % 2 ? low : high;
        const next = toTell(last, { score, reported: score }, T0 + n * 10_000);
        last = next ?? last;
        if (next) bands.push(next.band);
      }
      return bands;
    };
    expect(swings(0.391, 0.409)).toEqual([]);
    expect(new Set(swings(0.385, 0.415))).toEqual(new Set(['medium']));
  });

  test('a subject is published at most every two seconds, but a drop at once', () => {
    expect(to(0.6, T0 + 500)).toBeUndefined();
    expect(to(0.3, T0 + 500)).toMatchObject({ score: 0.3, band: 'low' });
    expect(to(null, T0 + 500)).toMatchObject({ score: null, band: 'unknown' });
  });

  test('a subject without a score is not published until it has one', () => {
    expect(toTell(undefined, { score: null, reported: null }, T0)).toBeUndefined();
    expect(toTell(undefined, { score: 0.5, reported: 0.5 }, T0)).toMatchObject({ band: 'medium' });
  });
});

describe('the trust variable of conditions', () => {
  const contract = { name: 'pay', version: '1.0.0', provider: 'acme' };
  const agent = { kind: 'agent' as const, id: 'bot' };
  const published = (more: object) =>
    ({
      meta: { tenant_id: 't' },
      subject: 'tool',
      name: 'pay',
      version: '1.0.0',
      score: 0.5,
      reported: 0.6,
      band: 'medium',
      runs: 3,
      at_ms: T0,
      ...more,
    }) as never;

  test('each subject with a score has its fields; a subject without a score, or of another tenant, has none', () => {
    const scores: ReportedScores = new Map();
    expect(trustFields(scores, 't', contract, agent)).toEqual({});
    evolveReported(scores, published({}));
    evolveReported(scores, published({ subject: 'provider', name: 'acme', version: null, reported: null, score: 0.8, band: 'high' }));
    evolveReported(scores, published({ subject: 'agent', name: 'bot', version: null, reported: null, score: null, band: 'unknown' }));
    const tool = { tool: 0.5, tool_band: 'medium', tool_reported: 0.6, tool_runs: 3 };
    expect(trustFields(scores, 't', contract, agent)).toEqual({ ...tool, provider: 0.8, provider_band: 'high' });
    expect(trustFields(scores, 'other', contract, agent)).toEqual({});
    evolveReported(scores, published({ score: null, reported: null, band: 'unknown' }));
    expect(trustFields(scores, 't', contract, agent)).not.toHaveProperty('tool');
  });

  test('only an agent has the score of an agent', () => {
    const scores = evolveReported(new Map(), published({ subject: 'agent', name: 'bot', version: null, score: 0.3, band: 'low' }));
    expect(trustFields(scores, 't', contract, agent)).toMatchObject({ agent: 0.3, agent_band: 'low' });
    expect(trustFields(scores, 't', contract, { kind: 'user', id: 'bot' })).toEqual({});
  });
});

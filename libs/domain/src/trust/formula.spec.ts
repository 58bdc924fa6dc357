import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decay, freshness, scoreOf, type TrustSignals, usageVolume, weights } from './formula.js';

const DAY = 86_400_000;
const T0 = Date.UTC(2026, 0, 1);
const perfect: TrustSignals = {
  reliability: 1,
  schema_compliance: 1,
  latency: 1,
  security_audit: 1,
  rating: 1,
  provider_reputation: 1,
  runs: 9_999,
  verified_at_ms: T0,
};
const score = (signals: Partial<TrustSignals>, days = 0) => scoreOf({ ...perfect, ...signals }, T0 + days * DAY);

describe('computed by hand', () => {
  test('the best tool, verified just now, scores 1', () => {
    // .25 + .15 + .15 + .15 + .10 + .10 + .05·e^0 + .05·min(1, log10(10 000)/4 = 1) = 1; e^0 = 1
    expect(score({}).score).toBeCloseTo(1, 12);
  });

  test('a used tool, 90 days after its verification', () => {
    // 180 of 200 succeeded, all outputs valid, 150 of 200 in time, self-assessed, 4 stars, provider .6, 999 counted runs
    // .25·.9 = .225   .15·1 = .15   .15·.75 = .1125   .15·.5 = .075   .10·.8 = .08   .10·.6 = .06
    // freshness e^(−90/30) = e^−3 = .0497871, ·.05 = .0024894   volume log10(1 000)/4 = .75, ·.05 = .0375
    // sum .225 + .15 + .1125 + .075 + .08 + .06 + .0024894 + .0375 = .7424894; decay e^(−ln 2) = .5 → .3712447
    const used = { reliability: 0.9, latency: 0.75, security_audit: 0.5, rating: 0.8, provider_reputation: 0.6, runs: 999 };
    const { score: value, without_provider, decay: faded } = score(used, 90);
    expect(faded).toBeCloseTo(0.5, 12);
    expect(value).toBeCloseTo(0.3712447, 7);
    // without the provider's term: (.7424894 − .06) · .5 = .3412447
    expect(without_provider).toBeCloseTo(0.3412447, 7);
  });

  test('a tool that ran once, 30 days after its verification, without ratings, audits or a declared latency', () => {
    // .25·1 + .15·1 + 0 + 0 + .10·.5 + .10·.45 + .05·e^−1 (.3678794 → .0183940) + .05·log10(2)/4 (.0752575 → .0037629)
    // = .25 + .15 + .05 + .045 + .0183940 + .0037629 = .5171569; decay 2^(−1/3) = .7937005 → .4104677
    const young = { latency: 0, security_audit: 0, rating: 0.5, provider_reputation: 0.45, runs: 1 };
    expect(score(young, 30).score).toBeCloseTo(0.4104677, 7);
  });

  test('a tool of which every run failed keeps the terms that do not depend on its runs', () => {
    // 0 + 0 + .15·1 + .15·0 + .10·.2 + .10·.1 + .05·1 + .05·log10(100)/4 (.5 → .025) = .15 + .02 + .01 + .05 + .025 = .255
    const failing = { reliability: 0, schema_compliance: 0, security_audit: 0, rating: 0.2, provider_reputation: 0.1, runs: 99 };
    expect(score(failing).score).toBeCloseTo(0.255, 12);
  });
});

test('the volume is log-scaled and capped at 1', () => {
  expect([0, 9, 99, 999, 9_999, 1e9].map(usageVolume)).toEqual([0, 0.25, 0.5, 0.75, 1, 1]);
});

test('a score halves in 90 days and is a quarter after 180; freshness is e^−1 after 30', () => {
  expect([0, 90, 180].map((days) => decay(T0, T0 + days * DAY))).toEqual([1, expect.closeTo(0.5, 12), expect.closeTo(0.25, 12)]);
  expect(freshness(T0, T0 + 30 * DAY)).toBeCloseTo(Math.exp(-1), 12);
});

test('a clock behind that of the verification does not raise the freshness above 1', () => {
  expect(score({}, -400).score).toBeCloseTo(1, 12);
});

test('the weights add up to 1', () => {
  expect(Object.values<number>(weights).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const anySignals = fc.record({
  reliability: share,
  schema_compliance: share,
  latency: share,
  security_audit: fc.constantFrom(0, 0.5, 1),
  rating: share,
  provider_reputation: share,
  runs: fc.nat(1e6),
  verified_at_ms: fc.constant(T0),
});

test('a score is between 0 and 1, never grows with time, and never falls if one signal improves', () => {
  fc.assert(
    fc.property(anySignals, fc.nat(1000), fc.nat(1000), share, (signals, days, more, better) => {
      const at = (on: TrustSignals, day: number) => scoreOf(on, T0 + day * DAY).score;
      const now = at(signals, days);
      expect(now).toBeGreaterThanOrEqual(0);
      expect(now).toBeLessThanOrEqual(1 + 1e-12);
      expect(at(signals, days + more)).toBeLessThanOrEqual(now + 1e-12);
      const reliability = Math.max(signals.reliability, better);
      expect(at({ ...signals, reliability }, days)).toBeGreaterThanOrEqual(now - 1e-12);
    }),
  );
});

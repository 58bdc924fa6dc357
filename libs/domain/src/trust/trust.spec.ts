import { describe, expect, test } from 'vitest';
import { evolveAgent } from '../testing/observed-agent.js';
import { agentScore } from './agent-score.js';
import { countedRuns } from './counted-runs.js';
import { evolveTrust, type TrustFact } from './evolve.js';
import type { TrustObservation } from './facts.js';
import { emptyAgent, emptyTrust, type RunCounts, type ToolTrust } from './state.js';
import { newestRun, providerReputation, toolScore } from './tool-score.js';

const DAY = 86_400_000;
const T0 = Date.UTC(2026, 0, 1);
const good: RunCounts = { runs: 1, succeeded: 1, verified: 0, valid: 1, timely: 1, sound: 1 };
const bad: RunCounts = { runs: 1, succeeded: 0, verified: 0, valid: 0, timely: 1, sound: 1 };

/** A tool that receives observations one after the other. */
class Reported {
  readonly state: ToolTrust;
  private offset = 0;

  constructor(tool = 'pay') {
    this.state = emptyTrust(tool);
  }

  say(fact: TrustFact): this {
    evolveTrust(this.state, fact);
    return this;
  }

  register(version = '1.0.0', more: object = {}): this {
    const registered = {
      provider: 'acme',
      digest: version,
      audit_status: 0,
      declares_sla: true,
      reads_back: false,
      evaluated_at_ms: T0,
      ...more,
    };
    return this.say({ fact: 'registered', version, registered, at_ms: T0 });
  }

  ran(times: number, counts: RunCounts = good, { version = '1.0.0', id = 'a', at_ms = T0 } = {}): this {
    for (let n = 0; n < times; n++) this.say(run(counts, { version, id, at_ms, offset: this.offset++ }));
    return this;
  }

  rated(rater: string, rating: number): this {
    return this.say({ fact: 'rated', rater, rating, at_ms: T0 });
  }

  score(version = '1.0.0', at_ms = T0, provider = 0) {
    return toolScore(this.state, version, provider, at_ms);
  }
  value(version = '1.0.0', at_ms = T0) {
    return this.score(version, at_ms).scored?.score;
  }
}

function run(counts: RunCounts, { version = '1.0.0', id = 'a', at_ms = T0, offset = 0, tool = 'pay' } = {}): TrustObservation {
  const at = { topic: 'tool-executed', partition: 0, offset };
  return { fact: 'run', tenant_id: 't', tool, version, principal: { kind: 'agent', id }, at, at_ms, counts };
}

describe('of a tool', () => {
  test('computed by hand: 8 of 10 succeeded, verified 30 days ago, self-assessed, ratings 4 and 5', () => {
    const tool = new Reported().register('1.0.0', { audit_status: 1 }).ran(8).ran(2, bad).rated('user:x', 4).rated('user:y', 5);
    // .25·.8 = .2   .15·.8 = .12   .15·1 = .15   .15·.5 = .075   .10·(4.5/5 = .9) = .09   .10·.5 = .05
    // .05·e^−1 = .0183940   .05·log10(11)/4 = .05·.2603482 = .0130174   sum .7164114; ·2^(−1/3) = .7937005 → .5686161
    expect(tool.score('1.0.0', T0 + 30 * DAY, 0.5).scored?.score).toBeCloseTo(0.5686161, 6);
  });

  test('reported and verified reliability are two numbers, and with a read-back only confirmed effects count', () => {
    const tool = new Reported()
      .register('1.0.0', { reads_back: true })
      .ran(3, { ...good, verified: 1 })
      .ran(1);
    const { reported_reliability, verified_reliability, scored, scored_as_reported } = tool.score();
    expect([reported_reliability, verified_reliability]).toEqual([1, 0.75]);
    expect((scored_as_reported?.score ?? 0) - (scored?.score ?? 0)).toBeCloseTo(0.25 * 0.25, 12);
    const without = new Reported().register().ran(4).score();
    expect([without.verified_reliability, without.signals?.reliability]).toEqual([null, 1]);
  });

  test('a tool that never ran or was never verified has no score', () => {
    expect(new Reported().register().score()).toMatchObject({ scored: null, unscored: 'never_run' });
    expect(new Reported().register('1.0.0', { evaluated_at_ms: null }).ran(5).score()).toMatchObject({
      scored: null,
      unscored: 'never_verified',
    });
    expect(new Reported().ran(5).score()).toMatchObject({ scored: null, unscored: 'never_verified' });
  });

  test('the last verification is the newest passed evaluation of the current contract, or an audit by a third party', () => {
    const evaluated = (digest: string, days: number, passed = true): TrustFact => {
      const at_ms = T0 + days * DAY;
      return { fact: 'evaluated', version: '1.0.0', digest, passed, evaluated_at_ms: at_ms + 400 * DAY, at_ms };
    };
    const tool = new Reported()
      .register()
      .ran(1)
      .say(evaluated('1.0.0', 10))
      .say(evaluated('another', 20))
      .say(evaluated('1.0.0', 15, false));
    expect(tool.score().verified_at_ms).toBe(T0);
    expect(tool.say(evaluated('1.0.0', 10)).score().verified_at_ms).toBe(T0 + 10 * DAY);
    tool.say({ fact: 'audited', version: '1.0.0', level: 0.5, at_ms: T0 + 30 * DAY });
    expect(tool.score()).toMatchObject({ verified_at_ms: T0 + 10 * DAY, signals: { security_audit: 0.5 } });
    tool.say({ fact: 'audited', version: '1.0.0', level: 1, at_ms: T0 + 40 * DAY });
    expect(tool.score()).toMatchObject({ verified_at_ms: T0 + 40 * DAY, signals: { security_audit: 1 } });
  });

  test('without a declared latency no run counts as timely', () => {
    expect(new Reported().register('1.0.0', { declares_sla: false }).ran(5).score().signals?.latency).toBe(0);
  });

  test('the reputation of a provider is the mean of its tools without this term; tools without a score are excluded', () => {
    const one = new Reported('one').register().ran(10);
    const two = new Reported('two').register().ran(10, bad);
    const unrun = new Reported('three').register();
    const others = new Reported('four').register('1.0.0', { provider: 'else' }).ran(3);
    const mean = ((one.score().scored?.without_provider ?? 0) + (two.score().scored?.without_provider ?? 0)) / 2;
    const all = [one.state, two.state, unrun.state, others.state];
    expect(providerReputation(all, 'acme', T0)).toBeCloseTo(mean, 12);
    expect(providerReputation(all, 'nobody', T0)).toBeNull();
  });
});

describe('gaming', () => {
  test('a caller with 10,000 calls counts as 1,000 calls, with its own success rates', () => {
    const flooded = new Reported().register().ran(10_000, good, { id: 'flood' }).ran(500, bad, { id: 'honest' });
    const { counted, reported_reliability } = flooded.score();
    expect(counted.runs).toBe(1_500);
    expect(reported_reliability).toBeCloseTo(1_000 / 1_500, 12);
    const uneven = new Reported().register().ran(9_800, good).ran(200, bad);
    expect(uneven.score().reported_reliability).toBeCloseTo(0.98, 12);
    // A single caller never reaches the full volume: log10(1,001)/4 = .7501
    expect(uneven.score().scored?.terms.usage_volume).toBeCloseTo(0.7501, 4);
  });

  test('a reported success does not count if the read-back does not find the effect', () => {
    const boaster = new Reported().register('1.0.0', { reads_back: true }).ran(10_000);
    expect(boaster.score()).toMatchObject({ reported_reliability: 1, verified_reliability: 0, signals: { reliability: 0 } });
  });

  test('an audit by a third party that a contract claims is a self-assessment', () => {
    expect(new Reported().register('1.0.0', { audit_status: 2 }).ran(1).score().signals?.security_audit).toBe(0.5);
  });

  test('one rater has one rating, the newest', () => {
    const tool = new Reported().register().ran(1).rated('user:x', 5).rated('user:x', 1);
    expect(tool.score()).toMatchObject({ ratings: 1, signals: { rating: 0.2 } });
  });

  test('a new version does not drop failures: it is judged by earlier versions until it has 100 runs of its own', () => {
    const tool = new Reported().register().ran(100).ran(100, bad);
    tool
      .register('1.0.1')
      .register('1.0.2')
      .ran(10, good, { version: '1.0.1', at_ms: T0 + 1 })
      .ran(10, good, { version: '1.0.2', at_ms: T0 + 2 });
    // 10 of its own, 10 of 1.0.1 and 80 of the 200 of 1.0.0, half of which failed: 60 of 100
    expect(tool.score('1.0.2').reported_reliability).toBeCloseTo(0.6, 12);
    expect(countedRuns(tool.state, '1.0.2').inherited).toEqual(
      new Map([
        ['1.0.1', 10],
        ['1.0.0', 80],
      ]),
    );
    expect(tool.ran(90, good, { version: '1.0.2', at_ms: T0 + 3 }).score('1.0.2').reported_reliability).toBe(1);
    expect(tool.score('1.0.0').reported_reliability).toBe(0.5);
  });

  test('a version with a lower number that was registered later does not drop failures either', () => {
    const tool = new Reported()
      .register()
      .ran(200, bad)
      .register('0.9.0')
      .ran(1, good, { version: '0.9.0', at_ms: T0 + 1 });
    expect(tool.score('0.9.0').reported_reliability).toBeCloseTo(0.01, 12);
    expect(newestRun(tool.state)).toBe('0.9.0');
  });

  test('a repeated registration changes neither the history nor the time of verification', () => {
    const tool = new Reported().register().ran(5).ran(5, bad);
    const before = tool.value('1.0.0', T0 + 60 * DAY);
    expect(tool.register().value('1.0.0', T0 + 60 * DAY)).toBe(before);
  });
});

describe('of an agent', () => {
  const versions = { reads_back: false, declares_sla: true, security_audit: 0.5 as const, provider_reputation: 0.6 };

  test('computed by hand: 3 of 4 runs succeeded, one was refused for its inputs, 1 of 2 requests was granted', () => {
    const agent = emptyAgent();
    for (let n = 0; n < 3; n++) evolveAgent(agent, run(good));
    evolveAgent(agent, run({ ...bad, sound: 0 }));
    const { counts: _, ...sample } = { ...run(good), counts: undefined };
    evolveAgent(agent, { ...sample, fact: 'asked', granted: true });
    evolveAgent(agent, { ...sample, fact: 'asked', granted: false });
    // .25·.75 = .1875   .15·.75 = .1125   .15·1 = .15   .15·.5 = .075   .10·.5 = .05   .10·.6 = .06   .05·1 = .05
    // .05·log10(5)/4 = .05·.1747425 = .0087371   sum .6937371
    expect(agentScore(agent, () => versions, T0).scored?.score).toBeCloseTo(0.6937371, 7);
  });

  test('an agent without a confirmed effect has no score', () => {
    const agent = evolveAgent(emptyAgent(), run(good));
    expect(agentScore(agent, () => versions, T0)).toMatchObject({ scored: null, unscored: 'never_verified' });
    expect(agentScore(emptyAgent(), () => versions, T0)).toMatchObject({ scored: null, unscored: 'never_run' });
  });

  test('10,000 trivial successes with one tool do not hide failures with another', () => {
    const agent = emptyAgent();
    for (let n = 0; n < 10_000; n++) evolveAgent(agent, run({ ...good, verified: 1 }, { tool: 'echo' }));
    for (let n = 0; n < 500; n++) evolveAgent(agent, run(bad));
    expect(agentScore(agent, () => versions, T0).reported_reliability).toBeCloseTo(1_000 / 1_500, 12);
  });
});

import { canonicalText, sha256Hex } from '@countersign/contracts';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { Tool } from '../tool.js';
import type { PatternTraits } from './evidence.js';
import { holds, type RulePack } from './rule-pack.js';

export interface Validation<C extends z.ZodType> extends PatternTraits {
  /** Shape of the judged value. */
  candidate: C;
  /** Every supported version; old versions stay, so that old verdicts can be reproduced. */
  rule_packs: readonly [RulePack, ...RulePack[]];
}

const outcome = z.enum(['pass', 'warn', 'block']);

/**
 * Pattern 3: judges a candidate by a versioned rule pack. Pure and bit-exact: the verdict depends only on the pack's version and the
 * candidate.
 */
export function defineValidation<C extends z.ZodType>({ candidate, rule_packs, ...traits }: Validation<C>): Tool {
  const packs = new Map(rule_packs.map((pack) => [`${pack.name}@${pack.version}`, pack]));
  if (packs.size < rule_packs.length)
    throw new TypeError(`tool ${JSON.stringify(traits.name)}: two rule packs have the same id and version`);
  return defineTool({
    ...traits,
    pattern: 'validation',
    effect_class: 'pure',
    input: z.strictObject({
      candidate: candidate as z.ZodType,
      rule_pack: z.enum([...packs.keys()] as [string, ...string[]]).describe('Which rules, in which version.'),
    }),
    output: z.strictObject({
      verdict: outcome,
      trace: z.array(z.strictObject({ rule: z.string(), outcome, pointer: z.string(), says: z.string() })),
      rule_pack: z.string(),
      rule_pack_sha256: z.string(),
      candidate_sha256: z.string(),
    }),
    sanity: [
      {
        name: 'verdict_follows_from_trace',
        severity: 'block',
        holds: (_input, { verdict, trace }) => verdict === worst(trace.map((each) => each.outcome)),
      },
    ],
    run: async (input) => {
      const name = input.rule_pack;
      const pack = packs.get(name) as RulePack;
      const trace = pack.rules.map(({ id, severity, says, check }) => ({
        rule: id,
        outcome: holds(check, input.candidate) ? ('pass' as const) : severity,
        pointer: check.pointer,
        says,
      }));
      return {
        verdict: worst(trace.map((each) => each.outcome)),
        trace,
        rule_pack: name,
        rule_pack_sha256: sha256Hex(canonicalText(pack)),
        candidate_sha256: sha256Hex(canonicalText(input.candidate)),
      };
    },
  });
}

function worst(outcomes: readonly z.output<typeof outcome>[]): z.output<typeof outcome> {
  return outcomes.includes('block') ? 'block' : outcomes.includes('warn') ? 'warn' : 'pass';
}

import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { ownMember } from '../schema-form/schema.js';
import type { ToolVersion } from './tool-version.js';

const CASES_SHOWN = 20;
const GATES: Readonly<Record<string, readonly [word: string, tone: 'good' | 'bad' | 'neutral' | 'warn']>> = {
  none: ['No evaluation is required', 'neutral'],
  passed: ['Passed', 'good'],
  failed: ['Failed', 'bad'],
  absent: ['Required, and not recorded', 'warn'],
};

/** The evaluation pack of a version: what it showed, or how to record one. */
export function EvaluationPanel({ version: { release, eval_pack } }: { version: ToolVersion }) {
  const [word, tone] = GATES[release.gate] ?? [release.gate, 'neutral'];
  const { result } = eval_pack;
  const failed = (result?.cases ?? []).filter((one) => ownMember(one, 'passed') === false);
  return (
    <Panel title="Evaluation">
      <p class="row">
        <StatusBadge status={release.gate} word={word} tone={tone} />
        {result && (
          <span class="soft">
            {result.passed} passed, {result.failed} failed, <RelativeTime at={result.verified_at} />
            {!result.of_this_contract && ', of another contract than the present one'}
          </span>
        )}
      </p>
      {failed.length > 0 && (
        <ul class="breaking">
          {failed.slice(0, CASES_SHOWN).map((one, at) => (
            <li key={at}>
              <InertText text={`${ownMember(one, 'title') ?? ''}`} characters_max={200} />{' '}
              <span class="soft">
                <InertText text={`${ownMember(one, 'message') ?? ''}`} characters_max={300} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {release.gate !== 'passed' && (
        <p class="field-hint">
          Run <code>npm run tools:verify</code> and send its result to <code>POST /v1/tools/…/evaluations</code>. Pack{' '}
          <InertText text={eval_pack.id} characters_max={160} mono />
        </p>
      )}
    </Panel>
  );
}

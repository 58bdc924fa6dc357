import { Icon, type IconName } from '../elements/icon.js';
import { InertText } from '../elements/inert.js';
import type { Step, StepState, Verification } from './proof/step.js';
import './verification.css';

const LOOKS: Record<Verification['outcome'], { icon: IconName; title: string }> = {
  proven: { icon: 'check', title: 'Verified' },
  unpinned: { icon: 'key', title: 'Consistent, but the key is not pinned' },
  refused: { icon: 'warning', title: 'Refused' },
};

const WORDS: Record<StepState, { icon: IconName; word: string }> = {
  proven: { icon: 'check', word: 'Verified' },
  open: { icon: 'minus', word: 'Not shown' },
  failed: { icon: 'close', word: 'Failed' },
  skipped: { icon: 'more', word: 'Not reached' },
};

/** What was verified: the conclusion first, then what it does not show, then each step. */
export function VerificationView({ verification }: { verification: Verification }) {
  const { outcome, summary, steps, proven, not_proven } = verification;
  const { icon, title } = LOOKS[outcome];
  return (
    <div class="audit-result">
      <section class="audit-verdict" data-outcome={outcome} aria-label="Outcome" role={outcome === 'refused' ? 'alert' : undefined}>
        <span class="audit-seal" aria-hidden="true">
          <Icon name={icon} size={20} />
        </span>
        <div>
          <h2>{title}</h2>
          <p>
            <InertText text={summary} />
          </p>
        </div>
      </section>
      <div class={outcome === 'refused' ? '' : 'audit-columns'}>
        <section class="panel" aria-labelledby="audit-steps">
          <h2 id="audit-steps">Step by step</h2>
          <ol class="audit-steps">
            {steps.map((step) => (
              <StepLine key={step.id} step={step} />
            ))}
          </ol>
        </section>
        {outcome !== 'refused' && (
          <section class="panel audit-claims" aria-label="What follows">
            <Claims title={outcome === 'proven' ? 'Proven' : 'Proven, if the key is right'} icon="check" claims={proven} />
            <Claims title="Not proven" icon="minus" claims={not_proven} />
          </section>
        )}
      </div>
    </div>
  );
}

function StepLine({ step: { title, state, says, values = [] } }: { step: Step }) {
  const { icon, word } = WORDS[state];
  return (
    <li class="audit-step" data-state={state}>
      <span class="audit-mark" aria-hidden="true">
        <Icon name={icon} size={12} />
      </span>
      <div class="audit-step-text">
        <h3>
          {title} <span class="audit-word">{word}</span>
        </h3>
        <p class="soft">
          <InertText text={says} />
        </p>
        {values.length > 0 && (
          <details class="audit-values">
            <summary>Values</summary>
            <dl>
              {values.map(([name, value], at) => (
                <div key={`${name} ${at}`}>
                  <dt>
                    <InertText text={name} />
                  </dt>
                  <dd>
                    <InertText text={value} mono />
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
    </li>
  );
}

function Claims({ title, icon, claims }: { title: string; icon: IconName; claims: readonly string[] }) {
  return (
    <div class="audit-claim-group" data-icon={icon}>
      <h2>{title}</h2>
      <ul>
        {claims.map((claim) => (
          <li key={claim}>
            <Icon name={icon} size={14} />
            <InertText text={claim} />
          </li>
        ))}
      </ul>
    </div>
  );
}

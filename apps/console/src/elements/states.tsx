import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import { Icon, type IconName } from './icon.js';
import { InertText } from './inert.js';
import './states.css';

/** Nothing here: why, and what to do next. */
export function EmptyState({ icon = 'search', title, children }: { icon?: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <Icon name={icon} size={24} />
      <h2>{title}</h2>
      {children && <div class="state-text">{children}</div>}
    </div>
  );
}

/** The fields of a problem document that people read. */
export interface ShownProblem {
  title: string;
  status: number;
  detail?: string;
  request_id?: string;
  retry_after_s?: number;
  validation?: { issues: { path: string; message: string }[] };
  /** What to do, where the usual advice for the status does not fit. */
  advice?: string;
}

/** What a person can do about a refusal, by its status. */
function adviceOf({ status, retry_after_s }: ShownProblem): string {
  if (status === 0) return 'Check that the gateway runs and that this machine reaches it.';
  if (status === 401) return 'Sign in again; this page stays as it is.';
  if (status === 403) return 'Ask an administrator for the role that this needs.';
  if (status === 404) return 'It may belong to another tenant, or the link is not complete.';
  if (status === 409) return 'What is there now does not allow this. Load it again and look at what is different.';
  if (status === 412) return 'Somebody changed it meanwhile. Load it again and look at what is different.';
  if (status === 429 || status === 503) return retry_after_s ? `Try again in ${retry_after_s} s.` : 'Try again in a moment.';
  if (status >= 500) return 'Try again. If it stays, give the request id to an operator.';
  return 'Correct what is named above and send it again.';
}

/** A detail as a sentence: those of the API begin in lower case. */
const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A problem document: what is wrong, where, and what to do. */
export function ErrorState({ problem, retry }: { problem: ShownProblem; retry?: () => void }) {
  return (
    <div class="state state-error" role="alert">
      <Icon name="warning" size={24} />
      <h2>{problem.title}</h2>
      <div class="state-text">
        <ProblemText problem={problem} />
      </div>
      {retry && (
        <Button icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A problem beside the form or the button that caused it. */
export function ProblemNote({ problem }: { problem: ShownProblem }) {
  return (
    <div class="problem-note" role="alert">
      <strong>{problem.title}</strong>
      <ProblemText problem={problem} />
    </div>
  );
}

function ProblemText({ problem }: { problem: ShownProblem }) {
  return (
    <>
      {problem.detail && (
        <p>
          <InertText text={sentence(problem.detail)} look="block" />
        </p>
      )}
      {problem.validation && (
        <ul class="problem-issues">
          {problem.validation.issues.slice(0, 20).map(({ path, message }) => (
            <li key={path + message}>
              <code>{path || '/'}</code> <InertText text={message} />
            </li>
          ))}
        </ul>
      )}
      <p class="soft">{problem.advice ?? adviceOf(problem)}</p>
      {problem.request_id && (
        <p class="faint">
          Request <code>{problem.request_id}</code>
        </p>
      )}
    </>
  );
}

/** The place of something that is being loaded. `lines` is about how high it will be. */
export function Skeleton({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="skeleton-line" />
      ))}
    </div>
  );
}

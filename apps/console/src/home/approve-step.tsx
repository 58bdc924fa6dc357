import { useSession } from '../gateway/context.js';
import { Link } from '../navigation/link.js';
import { Snippet } from './snippet.js';
import { askingCall, snippetsFor } from './snippets.js';
import type { Progress } from './use-progress.js';

/** A call that the first rule asks about, and the way to its approval. */
export function ApproveStep({ progress: { pending, has_approved } }: { progress: Progress }) {
  const curl = snippetsFor(window.location.origin, undefined).find(({ id }) => id === 'curl')?.text;
  const { roles } = useSession().principal;
  if (has_approved) return <p class="soft">A call was approved and has run.</p>;
  return (
    <div class="stack">
      {pending > 0 ? (
        <p>
          <Link href="/approvals" class="button button-primary">
            {pending === 1 ? 'Decide the request that waits' : `Decide the ${pending} requests that wait`}
          </Link>
        </p>
      ) : (
        <>
          <p>Let the agent ask for something that the rule covers:</p>
          {curl && <Snippet text={askingCall(curl)} label="Copy the text" />}
        </>
      )}
      <p class="soft">
        Then decide it under <Link href="/approvals">Approvals</Link>. The owner of an agent cannot approve its calls.{' '}
        {!roles.includes('approver') && 'You do not have the role approver: sign in as somebody who has it. '}
        <a href="/docs/tutorials/first-approval">More</a>
      </p>
    </div>
  );
}

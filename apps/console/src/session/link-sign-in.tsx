import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useGateway } from '../gateway/context.js';
import { signInByLink } from './session-requests.js';
import { SignInForm } from './sign-in-form.js';

/** A one-time link: it is used by a click, so that a preview of a mail program does not use it up. */
export function LinkSignIn({ token, onSignedIn }: { token: string; onSignedIn: () => void }) {
  const gateway = useGateway();
  const [problem, setProblem] = useState<Problem>();
  const [is_busy, setBusy] = useState(false);
  const use = async () => {
    setBusy(true);
    const answer = await signInByLink(gateway, token);
    setBusy(false);
    if (answer.ok) onSignedIn();
    else setProblem(answer.problem);
  };
  if (problem && problem.status !== 0)
    return (
      <div class="stack">
        <ProblemNote problem={{ ...problem, title: 'The link cannot be used', advice: ADVICE }} />
        <SignInForm return_to="/" onSignedIn={onSignedIn} />
      </div>
    );
  return (
    <div class="stack">
      <p>This one-time link signs you in on this machine. It works once, within ten minutes.</p>
      {problem && <ProblemNote problem={problem} />}
      <Button look="primary" is_busy={is_busy} onClick={use}>
        Sign in
      </Button>
    </div>
  );
}

const ADVICE =
  'A link works once, for ten minutes, on the machine of the gateway. Ask an administrator for a new one, or sign in another way.';

import { useEffect, useId, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { ProblemNote } from '../elements/states.js';
import type { Answer, Problem } from '../gateway/answer.js';
import { useGateway } from '../gateway/context.js';
import type { Session } from '../gateway/session.js';
import { type Provider, providerUrl, readProviders, signInByKey } from './session-requests.js';

interface SignInFormProps {
  /** Where a provider sends the browser back to. */
  return_to: string;
  onSignedIn: (session: Session) => void;
}

/** The ways to sign in: the installation's identity providers, or an API key. */
export function SignInForm({ return_to, onSignedIn }: SignInFormProps) {
  const gateway = useGateway();
  const [providers, setProviders] = useState<Provider[]>([]);
  useEffect(() => void readProviders(gateway).then((answer) => answer.ok && setProviders(answer.data.items)), [gateway]);
  return (
    <>
      {providers.length > 0 && (
        <div class="sign-in-providers">
          {providers.map((provider) => (
            <a key={provider.provider_id} class="button button-primary" href={providerUrl(provider, return_to)}>
              Continue with {provider.name}
            </a>
          ))}
          <p class="sign-in-or">or</p>
        </div>
      )}
      <KeyForm onSignedIn={onSignedIn} is_first={providers.length === 0} />
    </>
  );
}

function KeyForm({ onSignedIn, is_first }: { onSignedIn: (session: Session) => void; is_first: boolean }) {
  const gateway = useGateway();
  const id = useId();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<ReturnType<typeof keyProblem>>();
  const [is_busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (is_busy || key.trim() === '') return;
    setBusy(true);
    const answer: Answer<Session> = await signInByKey(gateway, key.trim());
    setBusy(false);
    if (!answer.ok) return setProblem(keyProblem(answer.problem));
    setKey('');
    onSignedIn(answer.data);
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off">
      <div class="stack-tight">
        <label for={id}>API key</label>
        <input
          id={id}
          class="input mono"
          type="password"
          name="countersign-key"
          value={key}
          autocomplete="off"
          spellcheck={false}
          autocapitalize="off"
          required
          aria-describedby={`${id}-hint`}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <p id={`${id}-hint`} class="soft sign-in-hint">
          It is exchanged for a session and not kept in this browser. The first start stores the administrator's key in{' '}
          <code>admin.key</code> of its data folder.
        </p>
      </div>
      {problem && <ProblemNote problem={problem} />}
      <Button type="submit" look={is_first ? 'primary' : 'default'} is_busy={is_busy}>
        {is_busy ? 'Signing in' : 'Sign in with the key'}
      </Button>
    </form>
  );
}

/** What a refusal means for somebody who pasted a key. */
function keyProblem(problem: Problem): Problem & { advice?: string } {
  if (problem.status === 401)
    return {
      ...problem,
      title: 'The key is not valid',
      detail: 'It may be revoked, expired or not complete.',
      advice: 'Copy the whole key and paste it again.',
    };
  if (problem.status === 404)
    return {
      ...problem,
      title: 'This gateway has no sessions',
      detail: 'The console is newer than the gateway.',
      advice: 'Update the gateway.',
    };
  return problem;
}

import { useEffect, useMemo } from 'preact/hooks';
import { Logo } from '../elements/logo.js';
import { useSessionState } from '../gateway/context.js';
import { useNavigate, usePlace } from '../navigation/navigation.js';
import { LinkSignIn } from './link-sign-in.js';
import { linkToken, returnTo } from './return-to.js';
import { SignInForm } from './sign-in-form.js';
import './sign-in.css';

/** Takes the token out of the address at once: neither the history nor a screenshot keeps it. */
function takeLinkToken(): string | undefined {
  const { hash, pathname, search } = window.location;
  const token = linkToken(hash);
  if (hash !== '') window.history.replaceState(null, '', pathname + search);
  return token;
}

/** `/sign-in`, and every other path while nobody is signed in. */
export function SignInScreen() {
  const token = useMemo(takeLinkToken, []);
  const { path, query } = usePlace();
  const go = useNavigate();
  const state = useSessionState();
  const target = path === '/sign-in' ? returnTo(new URLSearchParams(query).get('return_to')) : path + query;
  const is_signed_in = state.kind === 'active' && token === undefined;
  useEffect(() => {
    document.title = 'Sign in · Countersign';
  }, []);
  useEffect(() => {
    if (is_signed_in && path === '/sign-in') go(target, { replace: true });
  }, [is_signed_in, path, target, go]);
  if (is_signed_in) return null;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <div class="sign-in-logo">
          <Logo />
        </div>
        <div class="stack-tight">
          <h1>Sign in</h1>
          <p class="soft">
            {target === '/'
              ? 'See what your agents do, and decide what needs a person.'
              : 'You will come back to the page that you opened.'}
          </p>
        </div>
        {token === undefined ? (
          <SignInForm return_to={target} onSignedIn={() => go(target, { replace: true })} />
        ) : (
          <LinkSignIn token={token} onSignedIn={() => go(target, { replace: true })} />
        )}
      </div>
      <p class="faint sign-in-foot">
        <a href="/docs">Documentation</a>
        <a href="/docs/api">API reference</a>
      </p>
    </main>
  );
}

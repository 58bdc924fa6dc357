import { Dialog } from '../elements/dialog.js';
import { useGateway } from '../gateway/context.js';
import type { Session } from '../gateway/session.js';
import { usePlace } from '../navigation/navigation.js';
import { SignInForm } from './sign-in-form.js';
import './sign-in.css';

/** Over the screen of a session that has ended: what its person wrote stays below. */
export function SignInAgain({ session }: { session: Session }) {
  const gateway = useGateway();
  const { path, query } = usePlace();
  return (
    <Dialog title="Your session has ended">
      <p>
        Sign in as <strong>{session.principal.id}</strong> to go on. Nothing on this page is lost.
      </p>
      <SignInForm return_to={path + query} onSignedIn={() => undefined} />
      <p class="soft">
        <button type="button" class="text-button" onClick={() => gateway.session.set({ kind: 'signed_out' })}>
          Sign in as somebody else
        </button>
      </p>
    </Dialog>
  );
}

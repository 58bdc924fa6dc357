import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { RelativeTime } from '../elements/time-ago.js';
import { FormDialog } from '../forms/form-dialog.js';
import type { Problem } from '../gateway/answer.js';
import { useGateway, useSession } from '../gateway/context.js';
import { signOut } from '../session/session-requests.js';

const WAYS = { key: 'an API key', link: 'a one-time link', openid: 'an identity provider' } as const;

/** This session, and the end of all sessions of its person. */
export function SessionsTab() {
  const session = useSession();
  const [is_asked, setAsked] = useState(false);
  const { principal, tenant_id } = session;
  return (
    <>
      <Panel
        title="This session"
        actions={
          <Button look="danger" icon="out" onClick={() => setAsked(true)}>
            Sign out everywhere
          </Button>
        }
      >
        <Facts
          facts={[
            ['Person', <InertText key="p" text={principal.id} />],
            ['Tenant', tenant_id],
            ['Roles', principal.roles.join(', ') || 'none'],
            ['Signed in with', WAYS[session.signed_in_by]],
            ['Signed in', <RelativeTime key="s" at={session.started_at} />],
            ['Ends unused', <RelativeTime key="i" at={session.idle_expires_at} />],
            ['Ends at latest', <RelativeTime key="e" at={session.expires_at} />],
          ]}
        />
      </Panel>
      {is_asked && <SignOutEverywhere onClose={() => setAsked(false)} />}
    </>
  );
}

function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const gateway = useGateway();
  const [is_pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const submit = async () => {
    setPending(true);
    const answer = await signOut(gateway, { everywhere: true });
    setPending(false);
    if (!answer.ok) setProblem(answer.problem);
  };
  return (
    <FormDialog
      title="Sign out everywhere?"
      action="Sign out everywhere"
      look="danger"
      is_pending={is_pending}
      problem={problem}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Every session of yours ends, in this browser and in all others. Your API keys stay valid.</p>
    </FormDialog>
  );
}

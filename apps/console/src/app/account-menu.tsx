import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useGateway } from '../gateway/context.js';
import type { Session } from '../gateway/session.js';
import { signOut } from '../session/session-requests.js';
import { ConnectionState } from './connection-state.js';
import { ThemeSwitch } from './theme-switch.js';

/** Who is signed in where, how the page looks, and the way out. */
export function AccountMenu({ session }: { session: Session }) {
  const gateway = useGateway();
  const [problem, setProblem] = useState<Problem>();
  const leave = async () => {
    const answer = await signOut(gateway);
    if (!answer.ok && answer.problem.status !== 401) setProblem(answer.problem);
  };
  const { principal, tenant_id } = session;
  return (
    <div class="account">
      {problem && <ProblemNote problem={problem} />}
      <div class="account-tools">
        <ConnectionState />
        <ThemeSwitch />
      </div>
      <div class="account-person">
        <span class="account-initial" aria-hidden="true">
          {principal.id.slice(0, 1).toUpperCase()}
        </span>
        <span class="account-names">
          <strong title={principal.id}>{principal.id}</strong>
          <span class="faint" title={`Roles: ${principal.roles.join(', ') || 'none'}`}>
            {tenant_id}
          </span>
        </span>
        <Button look="quiet" icon="out" aria-label="Sign out" title="Sign out" onClick={leave} />
      </div>
    </div>
  );
}

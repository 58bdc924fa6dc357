import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { CopyButton } from '../elements/copy-button.js';
import { TextField } from '../elements/field.js';
import { ProblemNote } from '../elements/states.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { useMutation } from '../gateway/use-mutation.js';

/** Makes a key for an agent and shows it once. */
export function AgentKey({ made, onKey }: { made: string | undefined; onKey: (key: string) => void }) {
  const session = useSession();
  const [agent, setAgent] = useState('my-agent');
  const [shown, setShown] = useState<string>();
  const forbidden = hasRole(session, ['admin'])
    ? undefined
    : 'Making keys needs the role admin. Ask an administrator for a key and paste it below.';
  const make = useMutation((api, id: string) =>
    api.POST('/v1/keys', {
      body: { name: `first steps of ${session.principal.id}`.slice(0, 100), principal: { kind: 'agent', id, roles: ['agent'] } } as never,
    }),
  );
  const run = async () => {
    const answer = await make.run(agent.trim());
    if (!answer.ok) return;
    setShown(answer.data.key);
    onKey(answer.data.key);
  };
  if (shown !== undefined && shown === made)
    return (
      <div class="made-key tone-warn">
        <p>
          <strong>The key of {agent}.</strong> It is shown only now: copy it to where your agent runs.
        </p>
        <p class="row">
          <code class="made-key-text">{shown}</code>
          <CopyButton text={shown} label="Copy the key" />
        </p>
      </div>
    );
  return (
    <div class="stack-tight">
      <div class="row key-form">
        <TextField label="Name of the agent" value={agent} onValue={setAgent} characters_max={100} />
        <Button
          icon="key"
          disabled={forbidden !== undefined || agent.trim() === ''}
          title={forbidden}
          is_busy={make.is_pending}
          onClick={run}
        >
          Make a key for an agent
        </Button>
      </div>
      {forbidden && <p class="soft">{forbidden}</p>}
      {make.problem && <ProblemNote problem={make.problem} />}
    </div>
  );
}

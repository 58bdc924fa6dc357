import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Select, TextField } from '../elements/field.js';
import { ProblemNote } from '../elements/states.js';
import type { Problem } from '../gateway/answer.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { useMutation } from '../gateway/use-mutation.js';
import type { Progress } from './use-progress.js';

interface Rule {
  tools: string;
  when: string;
  effect: 'require_approval' | 'deny' | 'allow';
}

const FIRST: Rule = { tools: 'write_file', when: 'inputs.path.startsWith("notes/")', effect: 'require_approval' };
const EFFECTS = [
  ['require_approval', 'a person must approve it'],
  ['deny', 'it is denied'],
  ['allow', 'it runs'],
] as const;

/** A rule in three fields, published and put in force. */
export function RuleStep({ progress }: { progress: Progress }) {
  const [rule, setRule] = useState(FIRST);
  const session = useSession();
  const forbidden = hasRole(session, ['policy_admin']) ? undefined : 'Writing rules needs the role policy_admin.';
  const publish = useMutation((api, { tools, when, effect }: Rule) =>
    api.POST('/v1/policies', {
      body: { rules: [{ id: 'first-rule', tools: tools.trim(), ...(when.trim() === '' ? {} : { when: when.trim() }), effect }] } as never,
    }),
  );
  const activate = useMutation(
    (api, version: string) =>
      api.PUT('/v1/policies/active', {
        params: { header: progress.policy_etag ? { 'If-Match': progress.policy_etag } : {} },
        body: { version },
      }),
    () => [{ kind: 'configuration' }],
  );
  if (progress.policy !== null)
    return (
      <p class="soft">
        Policy <code>{progress.policy.slice(0, 60)}</code> is in force. <a href="/docs/how-to/policies">How rules are written</a>
      </p>
    );
  const run = async () => {
    const published = await publish.run(rule);
    if (published.ok) await activate.run(published.data.version);
  };
  const problem: Problem | undefined = publish.problem ?? activate.problem;
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <RuleFields rule={rule} onRule={setRule} />
      <div class="row">
        <Button
          type="submit"
          look="primary"
          disabled={forbidden !== undefined}
          title={forbidden}
          is_busy={publish.is_pending || activate.is_pending}
        >
          Put it in force
        </Button>
        <span class="soft">{forbidden ?? 'It counts for calls from now on.'}</span>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}

function RuleFields({ rule, onRule }: { rule: Rule; onRule: (rule: Rule) => void }) {
  return (
    <div class="rule-fields">
      <TextField
        label="When an agent calls"
        hint="A name, or a pattern such as git_*"
        value={rule.tools}
        onValue={(tools) => onRule({ ...rule, tools })}
        mono
        characters_max={200}
        required
      />
      <TextField
        label="and"
        hint="A condition; empty: always"
        value={rule.when}
        onValue={(when) => onRule({ ...rule, when })}
        mono
        characters_max={4000}
      />
      <Select
        label="then"
        value={rule.effect}
        onValue={(effect) => onRule({ ...rule, effect: effect as Rule['effect'] })}
        options={EFFECTS}
      />
    </div>
  );
}

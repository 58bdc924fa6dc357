import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Field, Select, TextArea, TextField } from '../elements/field.js';
import { useQuery } from '../gateway/use-query.js';
import { localTime } from '../lists/filter-dialog.js';
import type { CaseCall } from './use-case-calls.js';
import type { WhatIfChange } from './what-if-changes.js';

type Kind = 'approval' | 'policy' | 'left_out' | 'limit' | 'other';

const KINDS: readonly (readonly [Kind, string])[] = [
  ['approval', 'a vote was another, or at another time'],
  ['policy', 'another policy was in force'],
  ['left_out', 'a call was not made'],
  ['limit', 'a limit was another'],
  ['other', 'something else (JSON)'],
];

interface FormProps {
  calls: readonly CaseCall[];
  onAdd: (change: WhatIfChange) => void;
}

/** Builds one change of a counterfactual. */
export function WhatIfForm({ calls, onAdd }: FormProps) {
  const [kind, setKind] = useState<Kind>('approval');
  return (
    <div class="what-if-form">
      <Select label="Suppose that" value={kind} onValue={(value) => setKind(value as Kind)} options={KINDS} />
      {kind === 'approval' && <ApprovalForm calls={calls} onAdd={onAdd} />}
      {kind === 'policy' && <PolicyForm onAdd={onAdd} />}
      {kind === 'left_out' && <LeftOutForm calls={calls} onAdd={onAdd} />}
      {kind === 'limit' && <LimitForm onAdd={onAdd} />}
      {kind === 'other' && <OtherForm onAdd={onAdd} />}
    </div>
  );
}

const nameOf = ({ summary, tool, call_id }: CaseCall): string =>
  (summary ?? tool ?? call_id ?? '').replace(/\p{C}/gu, '\ufffd').slice(0, 80);

function ApprovalForm({ calls, onAdd }: FormProps) {
  const asked = calls.filter(({ approval }) => approval);
  const [chosen, setChosen] = useState('');
  const [vote, setVote] = useState('approve');
  const [voter, setVoter] = useState('');
  const [at, setAt] = useState('');
  const approval_id = chosen || (asked[0]?.approval?.approval_id ?? '');
  const of = asked.find((call) => call.approval?.approval_id === approval_id)?.approval;
  if (asked.length === 0) return <p class="soft">No call of this case asked for an approval.</p>;
  return (
    <>
      <Select
        label="Approval of"
        value={approval_id}
        onValue={setChosen}
        options={asked.map((call) => [call.approval?.approval_id ?? '', nameOf(call)] as const)}
      />
      <TextField label="Voter" value={voter} onValue={setVoter} placeholder={of?.decided_by ?? 'you'} />
      <Select
        label="Votes"
        value={vote}
        onValue={setVote}
        options={[
          ['approve', 'to approve'],
          ['deny', 'to deny'],
        ]}
      />
      <Field label="At, if not as recorded">
        {(control) => (
          <input
            {...control}
            class="input"
            type="datetime-local"
            step="1"
            min={of?.requested_at ? localTime(of.requested_at) : undefined}
            value={at}
            onInput={(event) => setAt(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button
        look="primary"
        onClick={() => {
          const by = voter.trim() || of?.decided_by;
          onAdd({
            kind: 'approval',
            approval_id,
            vote: vote as 'approve' | 'deny',
            ...(by ? { voter: by } : {}),
            ...(at === '' ? {} : { at: new Date(at).toISOString() }),
          });
        }}
      >
        Ask
      </Button>
    </>
  );
}

function PolicyForm({ onAdd }: Pick<FormProps, 'onAdd'>) {
  const [version, setVersion] = useState('');
  const { data } = useQuery({ kind: 'configuration', key: ['policies'], read: (api, signal) => api.GET('/v1/policies', { signal }) });
  return (
    <>
      <Select
        label="Policy"
        value={version}
        onValue={setVersion}
        options={[['', 'only the built-in rules'], ...(data?.items ?? []).map((item) => [item.version, item.version] as const)]}
      />
      <Button look="primary" onClick={() => onAdd({ kind: 'policy', version: version === '' ? null : version })}>
        Ask
      </Button>
    </>
  );
}

function LeftOutForm({ calls, onAdd }: FormProps) {
  const [chosen, setChosen] = useState('');
  const call_id = chosen || (calls[0]?.call_id ?? '');
  return (
    <>
      <Select
        label="Call"
        value={call_id}
        onValue={setChosen}
        options={calls.slice(0, 500).map((call) => [call.call_id ?? '', nameOf(call)] as const)}
      />
      <Button look="primary" disabled={call_id === ''} onClick={() => onAdd({ kind: 'left_out', call_id })}>
        Ask
      </Button>
    </>
  );
}

function LimitForm({ onAdd }: Pick<FormProps, 'onAdd'>) {
  const [limit_id, setLimit] = useState('');
  const [max, setMax] = useState('');
  return (
    <>
      <TextField label="Limit" value={limit_id} onValue={setLimit} mono />
      <TextField label="Maximum" hint="Empty: no limit" value={max} onValue={setMax} type="number" />
      <Button
        look="primary"
        disabled={limit_id.trim() === ''}
        onClick={() => onAdd({ kind: 'limit', limit_id: limit_id.trim(), ...(max === '' ? { limit: null } : { max: Number(max) }) })}
      >
        Ask
      </Button>
    </>
  );
}

function OtherForm({ onAdd }: Pick<FormProps, 'onAdd'>) {
  const [text, setText] = useState('{ "kind": "fact", "table": "", "set": {} }');
  const [error, setError] = useState<string>();
  const add = () => {
    try {
      onAdd(JSON.parse(text) as WhatIfChange);
      setError(undefined);
    } catch (cause) {
      setError(`This is not JSON: ${cause instanceof Error ? cause.message.slice(0, 200) : ''}`);
    }
  };
  return (
    <>
      <TextArea
        label="Change"
        hint="Kinds: approval, policy, fact, limit, result, left_out"
        error={error}
        value={text}
        onValue={setText}
        mono
        rows={3}
      />
      <Button look="primary" onClick={add}>
        Ask
      </Button>
    </>
  );
}

import { useMemo, useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import { useToast } from '../elements/toast.js';
import { FormDialog } from '../forms/form-dialog.js';
import { useChange } from '../forms/use-change.js';
import { answerOf, type Problem } from '../gateway/answer.js';
import { useApi } from '../gateway/context.js';
import { type Faster, fasterThan, isLostRace, isRollback } from './activation.js';
import { type ActivePolicy, readActive, useBundle, usePolicy, versionWord } from './policy-queries.js';
import { RecentEffect } from './recent-effect.js';
import { RuleChanges } from './rule-changes.js';
import { policyDiff } from './rule-diff.js';
import { Since } from './since.js';

interface ActivateDialogProps {
  /** null: no policy. */
  version: string | null;
  active: ActivePolicy;
  onClose: () => void;
}

/** Asks before a version decides: what changes against the one that does now. Somebody who was faster is named. */
export function ActivateDialog({ version, active, onClose }: ActivateDialogProps) {
  // as it was when the dialog was opened, or when the person looked again: what they confirm is what they saw
  const [seen, setSeen] = useState(active);
  const [faster, setFaster] = useState<{ by: Faster; now: ActivePolicy }>();
  const api = useApi();
  const toast = useToast();
  const is_back = isRollback(usePolicy(version).data, usePolicy(seen.version).data);
  const activation = useChange((client, shadow: { shadow?: null }) =>
    client.PUT('/v1/policies/active', { params: { header: seen.etag ? { 'If-Match': seen.etag } : {} }, body: { version, ...shadow } }),
  );
  const submit = async () => {
    const answer = await activation.run(seen.shadow === version && version !== null ? { shadow: null } : {});
    if (answer.ok) {
      const late = (answer.data.instances ?? []).filter(({ has_it }) => !has_it).length;
      const done = version === null ? 'Only built-in rules decide now' : `${capital(versionWord(version))} is active`;
      toast({ tone: 'good', text: late === 0 ? done : `${done}; ${late} running instances do not have it yet` });
      return onClose();
    }
    const now = isLostRace(answer.problem) ? await answerOf(readActive(api)) : undefined;
    const by = now?.ok && now.data ? fasterThan(seen, now.data) : undefined;
    if (by && now?.ok && now.data) setFaster({ by, now: now.data });
  };
  const look = () => {
    if (faster) setSeen(faster.now);
    setFaster(undefined);
    activation.reset();
  };
  const { title, action } = wordsOf(version, is_back);
  return (
    <FormDialog
      title={title}
      action={faster ? 'Look again' : action}
      look={version === null ? 'danger' : 'primary'}
      size="wide"
      is_pending={activation.is_pending}
      problem={faster ? undefined : activation.problem}
      onSubmit={faster ? look : submit}
      onClose={onClose}
    >
      {faster ? <FasterNote faster={faster.by} /> : <WhatChanges version={version} seen={seen} />}
    </FormDialog>
  );
}

function wordsOf(version: string | null, is_back: boolean): { title: string; action: string } {
  if (version === null) return { title: 'Let only built-in rules decide?', action: 'Deactivate the policy' };
  const named = versionWord(version);
  return is_back ? { title: `Roll back to ${named}?`, action: 'Roll back' } : { title: `Activate ${named}?`, action: 'Activate' };
}

function FasterNote({ faster: { version, by, at } }: { faster: Faster }) {
  return (
    <div class="policies-note" role="alert">
      <strong>Somebody was faster; you changed nothing.</strong>
      <p>
        {version === null ? 'Every policy was deactivated' : <InertText text={`${capital(versionWord(version))} was activated`} />}{' '}
        <Since at={at} by={by} />, after you opened this. Look again at what your choice changes now.
      </p>
    </div>
  );
}

function WhatChanges({ version, seen }: { version: string | null; seen: ActivePolicy }) {
  const before = useBundle(seen.version);
  const after = useBundle(version);
  const diff = useMemo(() => before.data && after.data && policyDiff(before.data, after.data), [before.data, after.data]);
  const problem: Problem | undefined = before.problem ?? after.problem;
  if (problem && !diff) return <ErrorState problem={problem} />;
  if (!diff) return <Skeleton lines={5} />;
  return (
    <>
      <p>It decides calls from the moment you confirm. Calls that were decided before are judged again before they run.</p>
      <RecentEffect version={version} />
      <RuleChanges diff={diff} names={[versionWord(seen.version), versionWord(version)]} />
    </>
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

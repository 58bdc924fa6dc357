import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Panel } from '../elements/screen.js';
import { ErrorState, Skeleton } from '../elements/states.js';
import type { Schemas } from '../gateway/schemas.js';
import { useMutation } from '../gateway/use-mutation.js';
import { Chip } from '../lists/chip.js';
import { useQueryState } from '../navigation/navigation.js';
import type { CaseCall } from './use-case-calls.js';
import { WhatIfAnswer } from './what-if-answer.js';
import { changesOf, changeWords, type WhatIfChange } from './what-if-changes.js';
import { WhatIfForm } from './what-if-form.js';

/** Decides a case again under other conditions. The question lives in the address; nothing runs and nothing is written. */
export function WhatIf({ case_id, calls }: { case_id: string; calls: readonly CaseCall[] }) {
  const [text, setText] = useQueryState('changes');
  const changes = useMemo(() => changesOf(text), [text]);
  const [answer, setAnswer] = useState<Schemas['CaseCounterfactual']>();
  const asking = useMutation((api, body: { changes: WhatIfChange[] }) =>
    api.POST('/v1/cases/{case_id}/counterfactual', { params: { path: { case_id } }, body }),
  );
  const ask = async (wanted: WhatIfChange[]) => {
    const outcome = await asking.run({ changes: wanted });
    setAnswer(outcome.ok ? outcome.data : undefined);
  };
  // a shared question is answered at once
  useEffect(() => {
    if (changes.length > 0) void ask(changes);
  }, []);
  const titles = useMemo(() => titlesOf(calls), [calls]);
  const titleOf = (id: string) => titles.get(id) ?? id;
  const set = (next: WhatIfChange[]) => {
    setText(next.length === 0 ? '' : JSON.stringify(next));
    setAnswer(undefined);
    if (next.length > 0) void ask(next);
  };
  return (
    <div class="stack">
      <Panel title="What if…">
        <p class="soft">
          The platform decides every call of the case again with what you change here. No tool runs, nothing is written, and an agent's
          reasoning is not replayed: its later calls are assumed to be made all the same.
        </p>
        <WhatIfForm calls={calls} onAdd={(change) => set([...changes, change])} />
        {changes.length > 0 && (
          <ul class="row chips" aria-label="Changes">
            {changes.map((change, at) => (
              <Chip
                key={JSON.stringify(change)}
                text={changeWords(change, titleOf)}
                onRemove={() => set(changes.filter((_, other) => other !== at))}
              />
            ))}
          </ul>
        )}
        {changes.length === 0 && (
          <div class="row">
            <Button is_busy={asking.is_pending} onClick={() => ask([])}>
              Check without a change
            </Button>
            <span class="faint">Tells whether the recorded decisions can be reproduced.</span>
          </div>
        )}
      </Panel>
      {asking.is_pending && <Skeleton lines={5} label="Deciding again" />}
      {!asking.is_pending && asking.problem && <ErrorState problem={asking.problem} retry={() => ask(changes)} />}
      {!asking.is_pending && answer && <WhatIfAnswer answer={answer} calls={calls} />}
    </div>
  );
}

/** What calls do, by their ids and by those of their approvals. */
function titlesOf(calls: readonly CaseCall[]): ReadonlyMap<string, string> {
  return new Map(
    calls.flatMap(({ call_id = '', summary, tool, approval }) => {
      const title = summary ?? tool ?? call_id;
      return [[call_id, title] as const, ...(approval?.approval_id ? [[approval.approval_id, title] as const] : [])];
    }),
  );
}

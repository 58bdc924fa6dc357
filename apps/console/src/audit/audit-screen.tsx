import { useMemo, useState } from 'preact/hooks';
import { Screen } from '../elements/screen.js';
import { EmptyState } from '../elements/states.js';
import { Tabs } from '../elements/tabs.js';
import { useSession } from '../gateway/context.js';
import { hasRole } from '../gateway/session.js';
import { useNavigate, usePlace, useQueryState } from '../navigation/navigation.js';
import type { Subject } from './check.js';
import { CheckpointsTab } from './checkpoints-tab.js';
import { EventsTab } from './events-tab.js';
import { LogAlarm } from './log-alarm.js';
import { pickedIn } from './picked.js';
import { pinnedKeys } from './pinned-keys.js';
import { useLogState } from './use-log-state.js';
import { VerifyTab } from './verify-tab.js';
import './audit.css';

/** As the routes below /v1/audit. */
const ROLES = ['auditor'];
const TABS = [
  { id: 'verify', label: 'Verify' },
  { id: 'checkpoints', label: 'Checkpoints' },
  { id: 'events', label: 'Events' },
] as const;

/** `/audit`: verifies records, evidence and the log itself in the browser. */
export default function AuditScreen() {
  const may = hasRole(useSession(), ROLES);
  return (
    <Screen title="Audit" about="Verify what is on the record, in this browser and under keys that you trust">
      {may ? (
        <Audit />
      ) : (
        <EmptyState icon="audit" title="Your roles do not show this">
          <p>
            The record and its proofs need the role “auditor”. A downloaded evidence file is verified by `countersign verify` without any
            role.
          </p>
        </EmptyState>
      )}
    </Screen>
  );
}

function Audit() {
  const [tab] = useQueryState('tab', 'verify');
  const go = useNavigate();
  const { query } = usePlace();
  const [opened_ms] = useState(() => Date.now());
  const [keys, setKeys] = useState(() => pinnedKeys());
  const [round, setRound] = useState(0);
  const [file, setFile] = useState<{ file: File; query: string }>();
  const state = useLogState(keys, round);
  const subject = useMemo<Subject | undefined>(() => {
    if (file && file.query === query) return { from: 'file', file: file.file };
    const picked = pickedIn(query);
    return picked && { from: 'api', picked };
  }, [file, query]);
  const { id } = TABS.find((each) => each.id === tab) ?? TABS[0];
  return (
    <>
      <LogAlarm state={state} onAccepted={() => setRound(round + 1)} />
      <Tabs
        label="Audit"
        tabs={TABS}
        selected={id}
        onSelect={(next) => go(next === 'verify' ? '/audit' : `/audit?tab=${next}`, { replace: true })}
      >
        {id === 'verify' && (
          <VerifyTab
            subject={subject}
            keys={keys}
            onKeysChanged={() => setKeys(pinnedKeys())}
            onFile={(next) => setFile({ file: next, query })}
          />
        )}
        {id === 'checkpoints' && <CheckpointsTab state={state} keys={keys} onAgain={() => setRound(round + 1)} />}
        {id === 'events' && <EventsTab opened_ms={opened_ms} />}
      </Tabs>
    </>
  );
}

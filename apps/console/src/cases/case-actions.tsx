import { useState } from 'preact/hooks';
import { DownloadButton } from '../downloads/download-button.js';
import { fileNameOf } from '../downloads/save-file.js';
import { Button } from '../elements/button.js';
import { useToast } from '../elements/toast.js';
import { useSession } from '../gateway/context.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Schemas } from '../gateway/schemas.js';
import { hasRole } from '../gateway/session.js';
import { useMutation } from '../gateway/use-mutation.js';
import { Link } from '../navigation/link.js';
import { UndoDialog } from '../undo/undo-dialog.js';

type Case = Schemas['Case'];

/** Closes or reopens the case as it is now: its version is read just before, and another change in between is refused. */
async function setState(api: Gateway['api'], case_id: string, state: 'open' | 'closed') {
  const read = await api.GET('/v1/cases/{case_id}', { params: { path: { case_id } } });
  if (!read.response.ok) return { error: read.error, response: read.response };
  const etag = read.response.headers.get('etag');
  return api.PATCH('/v1/cases/{case_id}', {
    params: { path: { case_id }, header: etag === null ? {} : { 'If-Match': etag } },
    body: { state },
  });
}

/** What a person may do with a case. */
export function CaseActions({ of, names }: { of: Case; names: ReadonlyMap<string, string> }) {
  const { case_id, status } = of;
  const session = useSession();
  const toast = useToast();
  const [is_undoing, setUndoing] = useState(false);
  const changing = useMutation(
    (api, state: 'open' | 'closed') => setState(api, case_id, state),
    () => [{ kind: 'case', id: case_id }],
  );
  const change = async (state: 'open' | 'closed') => {
    const answer = await changing.run(state);
    if (answer.ok) toast({ tone: 'good', text: state === 'closed' ? 'The case is closed.' : 'The case is open again.' });
    else toast({ tone: 'bad', text: `${answer.problem.title}: ${answer.problem.detail ?? 'try it again'}`, shown_ms: 12_000 });
  };
  const is_operator = hasRole(session, ['operator']);
  return (
    <>
      {hasRole(session, ['agent', 'operator']) && (
        <Button is_busy={changing.is_pending} onClick={() => change(status === 'closed' ? 'open' : 'closed')}>
          {status === 'closed' ? 'Reopen' : 'Close'}
        </Button>
      )}
      {is_operator && (
        <Button icon="undo" onClick={() => setUndoing(true)}>
          Undo case
        </Button>
      )}
      {hasRole(session, ['auditor']) && (
        <Link
          href={`/audit?case=${encodeURIComponent(case_id)}`}
          class="button button-default"
          title="Verify all records of the case in the browser"
        >
          Verify
        </Link>
      )}
      {hasRole(session, ['auditor']) && (
        <DownloadButton
          path={`/v1/audit/bundle?case_id=${encodeURIComponent(case_id)}`}
          file_name={fileNameOf('evidence', case_id, 'json')}
          title="All records of the case, with proofs. `countersign verify` checks the file offline."
        >
          Evidence
        </DownloadButton>
      )}
      {is_undoing && <UndoDialog of={{ kind: 'case', id: case_id, title: 'Undo the case', names }} onClose={() => setUndoing(false)} />}
    </>
  );
}

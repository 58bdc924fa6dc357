import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { TextArea } from '../elements/field.js';
import { ErrorState, ProblemNote, Skeleton } from '../elements/states.js';
import type { Sent } from '../gateway/answer.js';
import type { Gateway } from '../gateway/gateway.js';
import type { Change } from '../gateway/query-keys.js';
import type { Schemas } from '../gateway/schemas.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useQuery } from '../gateway/use-query.js';
import { useDraft } from '../navigation/draft.js';
import { UndoAnswerView } from './undo-answer.js';
import { UndoPreviewView } from './undo-preview.js';
import './undo.css';

/** What is undone: a call or a case. */
export interface Undoable {
  kind: 'call' | 'case';
  id: string;
  title: string;
  /** What calls do, by their ids, where that is known. */
  names?: ReadonlyMap<string, string>;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

const preview = (api: Gateway['api'], { kind, id }: Undoable, signal: AbortSignal): Sent<Schemas['UndoPreview']> =>
  kind === 'call'
    ? api.GET('/v1/calls/{call_id}/undo', { params: { path: { call_id: id } }, signal })
    : api.GET('/v1/cases/{case_id}/undo', { params: { path: { case_id: id } }, signal });

const undo = (api: Gateway['api'], { kind, id }: Undoable, body: Schemas['UndoRequest']): Sent<Schemas['UndoAnswer']> =>
  kind === 'call'
    ? api.POST('/v1/calls/{call_id}/undo', { params: { path: { call_id: id }, header: { Prefer: 'wait=10' } }, body })
    : api.POST('/v1/cases/{case_id}/undo', { params: { path: { case_id: id }, header: { Prefer: 'wait=10' } }, body });

/** Undoes a call or a case as its preview shows it. What changed meanwhile is shown anew before it can be sent. */
export function UndoDialog({ of, onClose }: { of: Undoable; onClose: () => void }) {
  const [reason, setReason, clearReason] = useDraft(`undo:${of.id}`);
  const [done, setDone] = useState<Schemas['UndoAnswer']>();
  const seen = useQuery({ kind: of.kind, id: of.id, key: ['undo'], also: ['call'], read: (api, signal) => preview(api, of, signal) });
  const changes: Change[] = [{ kind: 'call' }, { kind: 'case' }, { kind: 'saga' }];
  const sending = useMutation(
    (api, body: Schemas['UndoRequest']) => undo(api, of, body),
    () => changes,
  );
  const [is_changed, setChanged] = useState(false);
  const send = async (shown: Schemas['UndoPreview']) => {
    const answer = await sending.run({ preview_digest: shown.preview_digest, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) });
    if (answer.ok) {
      clearReason();
      setDone(answer.data);
      return;
    }
    setChanged(answer.problem.reason === 'undo_preview_changed');
    if (answer.problem.status === 409) seen.refresh();
  };
  const { data } = seen;
  const possible = data?.items.filter(({ undoable }) => undoable).length ?? 0;
  const is_blocked = (data?.blocked_by.length ?? 0) > 0;
  if (done) return <DoneDialog title={of.title} answer={done} onClose={onClose} />;
  return (
    <Dialog
      title={of.title}
      size="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep as it is</Button>
          <Button
            look="primary"
            icon="undo"
            is_busy={sending.is_pending || seen.is_fetching}
            disabled={!data || possible === 0 || is_blocked}
            onClick={() => data && send(data)}
          >
            {`Undo ${possible === 1 ? 'one effect' : `${possible} effects`}`}
          </Button>
        </>
      }
    >
      {seen.is_loading && <Skeleton lines={4} label="Reading what the undo would do" />}
      {!data && seen.problem && <ErrorState problem={seen.problem} retry={seen.refresh} />}
      {data && <UndoPreviewView preview={data} names={of.names ?? NO_NAMES} />}
      {is_changed && (
        <p class="notice notice-warn" role="alert">
          Something changed since you saw the preview, so nothing was undone. Look at the new one above and send it again.
        </p>
      )}
      {sending.problem && !is_changed && <ProblemNote problem={sending.problem} />}
      {possible > 0 && (
        <TextArea
          label="Reason"
          hint="Kept on the record with the undo."
          value={reason}
          onValue={setReason}
          rows={2}
          characters_max={2000}
        />
      )}
    </Dialog>
  );
}

function DoneDialog({ title, answer, onClose }: { title: string; answer: Schemas['UndoAnswer']; onClose: () => void }) {
  return (
    <Dialog title={title} size="wide" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <UndoAnswerView answer={answer} />
    </Dialog>
  );
}

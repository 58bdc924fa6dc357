import { useState } from 'preact/hooks';
import { DownloadButton } from '../downloads/download-button.js';
import { fileNameOf } from '../downloads/save-file.js';
import { Button } from '../elements/button.js';
import { Link } from '../navigation/link.js';
import { UndoDialog } from '../undo/undo-dialog.js';
import type { Call, CallRights } from './call.js';
import { CancelDialog } from './cancel-dialog.js';
import { RepeatDialog } from './repeat-dialog.js';
import { ResolveDialog } from './resolve-dialog.js';

type Open = 'cancel' | 'resolve' | 'undo' | 'repeat';

/** What a person may do with a call. */
export function CallActions({ call, rights }: { call: Call; rights: CallRights }) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <>
      {rights.resolve && (
        <Button look="primary" onClick={() => setOpen('resolve')}>
          Resolve
        </Button>
      )}
      {rights.cancel && <Button onClick={() => setOpen('cancel')}>Cancel call</Button>}
      {rights.undo && (
        <Button icon="undo" onClick={() => setOpen('undo')}>
          Undo
        </Button>
      )}
      {rights.repeat && (
        <Button icon="refresh" onClick={() => setOpen('repeat')}>
          Run again
        </Button>
      )}
      <Downloads call={call} rights={rights} />
      {open === 'cancel' && <CancelDialog call={call} onClose={close} />}
      {open === 'resolve' && <ResolveDialog call={call} onClose={close} />}
      {open === 'undo' && (
        <UndoDialog of={{ kind: 'call', id: call.call_id, title: `Undo ${call.name ?? 'the call'}`.slice(0, 120) }} onClose={close} />
      )}
      {open === 'repeat' && <RepeatDialog call={call} onClose={close} />}
    </>
  );
}

function Downloads({ call: { call_id, run_id }, rights }: { call: Call; rights: CallRights }) {
  return (
    <>
      {rights.audit && (
        <Link
          href={`/audit?call=${encodeURIComponent(call_id)}`}
          class="button button-default"
          title="Verify all records of this call in the browser"
        >
          Verify
        </Link>
      )}
      {rights.audit && (
        <DownloadButton
          path={`/v1/audit/bundle?call_id=${encodeURIComponent(call_id)}`}
          file_name={fileNameOf('evidence', call_id, 'json')}
          title="All records of this call, with proofs. `countersign verify` checks the file offline."
        >
          Evidence
        </DownloadButton>
      )}
      {rights.replay && run_id !== null && (
        <DownloadButton
          path={`/v1/runs/${encodeURIComponent(run_id)}/replay-bundle`}
          file_name={fileNameOf('replay', run_id, 'json')}
          title="All decisions of the run. `countersign replay` decides them again."
        >
          Replay bundle
        </DownloadButton>
      )}
    </>
  );
}

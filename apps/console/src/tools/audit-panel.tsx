import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { Select, TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { ProblemNote } from '../elements/states.js';
import { RelativeTime } from '../elements/time-ago.js';
import { useMutation } from '../gateway/use-mutation.js';
import { useForbidden } from './allowed.js';
import type { ToolVersion } from './tool-version.js';

type AuditStatus = 'unaudited' | 'self_assessed' | 'third_party';
const STATUSES: readonly (readonly [AuditStatus, string])[] = [
  ['unaudited', 'Not audited'],
  ['self_assessed', 'By its author'],
  ['third_party', 'By somebody else'],
];

/** Who has checked the version for security. */
export function AuditPanel({ version }: { version: ToolVersion }) {
  const { audit } = version;
  const [is_asked, setAsked] = useState(false);
  const forbidden = useForbidden(['auditor']);
  return (
    <Panel
      title="Security audit"
      actions={
        <Button disabled={forbidden !== undefined} title={forbidden} onClick={() => setAsked(true)}>
          Record an audit
        </Button>
      }
    >
      <Facts
        facts={[
          ['Result', STATUSES.find(([status]) => status === (audit?.audit_status ?? 'unaudited'))?.[1]],
          ['Auditor', audit?.auditor && <InertText text={audit.auditor} characters_max={200} />],
          ['Report', audit?.report && <InertText text={audit.report} characters_max={300} mono />],
          ['Recorded', audit?.changed_at && <RelativeTime at={audit.changed_at} />],
        ]}
      />
      {is_asked && <AuditDialog version={version} onClose={() => setAsked(false)} />}
    </Panel>
  );
}

function AuditDialog({ version: { name, version }, onClose }: { version: ToolVersion; onClose: () => void }) {
  const [status, setStatus] = useState<AuditStatus>('third_party');
  const [auditor, setAuditor] = useState('');
  const [report, setReport] = useState('');
  const record = useMutation(
    (api, _: undefined) =>
      api.PUT('/v1/tools/{name}/versions/{version}/audit', {
        params: { path: { name, version } },
        body: {
          audit_status: status,
          ...(auditor.trim() === '' ? {} : { auditor: auditor.trim() }),
          ...(report.trim() === '' ? {} : { report: report.trim() }),
        },
      }),
    () => [{ kind: 'tool' }],
  );
  const send = async () => {
    if ((await record.run(undefined)).ok) onClose();
  };
  return (
    <Dialog
      title="Record an audit"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" is_busy={record.is_pending} onClick={send}>
            Record
          </Button>
        </>
      }
    >
      <Select label="Result" value={status} onValue={(value) => setStatus(value as AuditStatus)} options={STATUSES} />
      <TextField label="Auditor" value={auditor} onValue={setAuditor} characters_max={300} />
      <TextField label="Report" hint="An address or a digest." value={report} onValue={setReport} characters_max={1000} />
      {record.problem && <ProblemNote problem={record.problem} />}
    </Dialog>
  );
}

import type { components } from '@countersign/client';
import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { TextField } from '../elements/field.js';
import { InertText } from '../elements/inert.js';
import { StatusBadge } from '../elements/status-badge.js';
import { RelativeTime } from '../elements/time-ago.js';
import { FormDialog } from '../forms/form-dialog.js';
import { placedErrors } from '../forms/placed-errors.js';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import { useSession } from '../gateway/context.js';
import { LastUse } from './last-use.js';

type Key = components['schemas']['Key'];

interface KeyDialogProps {
  item: Key;
  onClose: () => void;
}

/** A key: what it may do, its name, and its end. */
export function KeyDialog({ item, onClose }: KeyDialogProps) {
  const [mode, setMode] = useState<'facts' | 'rename' | 'revoke'>('facts');
  const back = () => setMode('facts');
  if (mode === 'rename') return <RenameForm item={item} onClose={back} />;
  if (mode === 'revoke') return <RevokeForm item={item} onCancel={back} onRevoked={onClose} />;
  const { principal, owner, created_by, expires_at } = item;
  const is_over = item.state === 'revoked';
  return (
    <Dialog
      title="API key"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setMode('rename')}>Rename</Button>
          <Button look="danger" onClick={() => setMode('revoke')} disabled={is_over} title={is_over ? 'It is revoked already' : undefined}>
            Revoke
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Name', <InertText key="n" text={item.name ?? 'none'} />],
          ['Begins with', <code key="p">{item.key_prefix ?? 'unknown'}</code>],
          ['State', <StatusBadge key="s" status={item.state} />],
          ['Of', <InertText key="o" text={`${principal.kind} ${principal.id}`} />],
          ['Roles', principal.roles.join(', ') || 'none'],
          ...(owner ? [['Owner', <InertText key="w" text={owner} />] as const] : []),
          ['Last used', <LastUse key="u" at={item.last_used_at} />],
          ['Created', <RelativeTime key="c" at={item.created_at} />],
          ['Created by', <InertText key="b" text={created_by.id} />],
          ['Expires', expires_at ? <RelativeTime key="e" at={expires_at} /> : 'never'],
        ]}
      />
    </Dialog>
  );
}

function RenameForm({ item, onClose }: { item: Key; onClose: () => void }) {
  const [name, setName] = useState(item.name ?? '');
  const renamed = useChange((api, next: string | null) =>
    api.PATCH('/v1/keys/{key_id}', { params: { path: { key_id: item.key_id } }, body: { name: next } }),
  );
  const { at, rest } = placedErrors(renamed.problem, ['/name']);
  const submit = async () => {
    if ((await renamed.run(name.trim() || null)).ok) onClose();
  };
  return (
    <FormDialog title="Rename the key" action="Rename" is_pending={renamed.is_pending} problem={rest} onSubmit={submit} onClose={onClose}>
      <TextField label="Name" hint="Empty: no name" value={name} onValue={setName} error={at['/name']} />
    </FormDialog>
  );
}

function RevokeForm({ item, onCancel, onRevoked }: { item: Key; onCancel: () => void; onRevoked: () => void }) {
  const { key_id: own_key } = useSession();
  const revoked = useChange((api, _input: undefined) => api.DELETE('/v1/keys/{key_id}', { params: { path: { key_id: item.key_id } } }));
  return (
    <RemovalDialog
      title="Revoke this key?"
      action="Revoke"
      removing={revoked}
      done="The key is revoked"
      onCancel={onCancel}
      onRemoved={onRevoked}
    >
      <p>
        Requests and sessions with the key of <InertText text={item.principal.id} /> are refused from now on. This cannot be taken back.
      </p>
      {own_key === item.key_id && <p>You signed in with this key: your session ends, too.</p>}
    </RemovalDialog>
  );
}

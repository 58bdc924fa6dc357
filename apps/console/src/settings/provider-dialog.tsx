import { useState } from 'preact/hooks';
import { Button } from '../elements/button.js';
import { Dialog } from '../elements/dialog.js';
import { Facts } from '../elements/facts.js';
import { InertText } from '../elements/inert.js';
import { refusalOf } from '../forms/refusal.js';
import { RemovalDialog } from '../forms/removal-dialog.js';
import { useChange } from '../forms/use-change.js';
import { useSession } from '../gateway/context.js';
import { SetProviderForm } from './provider-form.js';
import type { Provider } from './provider-request.js';

/** An identity provider; change and remove it. */
export function ProviderDialog({ item, onClose }: { item: Provider; onClose: () => void }) {
  const refused = refusalOf(useSession(), ['admin']);
  const [mode, setMode] = useState<'facts' | 'change' | 'remove'>('facts');
  const back = () => setMode('facts');
  if (mode === 'change') return <SetProviderForm shown={item} onClose={back} />;
  if (mode === 'remove') return <RemoveForm item={item} onCancel={back} onRemoved={onClose} />;
  const { sign_in, role_mappings } = item;
  return (
    <Dialog
      title="Identity provider"
      onClose={onClose}
      actions={
        <>
          <Button onClick={() => setMode('change')} disabled={refused !== undefined} title={refused}>
            Change
          </Button>
          <Button look="danger" onClick={() => setMode('remove')} disabled={refused !== undefined} title={refused}>
            Remove
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Id', <InertText key="i" text={item.provider_id} mono />],
          ['Issuer', <InertText key="s" text={item.issuer} mono />],
          ['Audiences', <InertText key="a" text={item.audiences.join(', ')} mono />],
          ['Its tokens are of', item.kind],
          ['Roles', <InertText key="r" text={role_mappings.map(({ value, role }) => `${value} = ${role}`).join(', ') || 'no mapping'} />],
          ['Sign-in', <InertText key="n" text={sign_in ? `${sign_in.name} (client ${sign_in.client_id})` : 'no'} />],
        ]}
      />
      {refused && <p class="soft">{refused}</p>}
    </Dialog>
  );
}

function RemoveForm({ item, onCancel, onRemoved }: { item: Provider; onCancel: () => void; onRemoved: () => void }) {
  const [{ provider_id, etag }] = useState(item);
  const removed = useChange((api, _input: undefined) =>
    api.DELETE('/v1/identity-providers/{provider_id}', { params: { path: { provider_id }, header: { 'If-Match': etag } } }),
  );
  return (
    <RemovalDialog
      title="Remove this provider?"
      action="Remove"
      removing={removed}
      done="The provider is removed"
      onCancel={onCancel}
      onRemoved={onRemoved}
    >
      <p>
        Tokens of <InertText text={item.issuer} mono /> are refused from now on, and people who signed in with it lose their sessions.
      </p>
    </RemovalDialog>
  );
}

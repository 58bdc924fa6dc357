import type { ComponentType } from 'preact';
import { Screen } from '../elements/screen.js';
import { Tabs } from '../elements/tabs.js';
import { useNavigate, useQueryState } from '../navigation/navigation.js';
import { ChannelsTab } from './channels-tab.js';
import { DelegationsTab } from './delegations-tab.js';
import { KeysTab } from './keys-tab.js';
import { PeopleTab } from './people-tab.js';
import { ProvidersTab } from './providers-tab.js';
import { SecretsTab } from './secrets-tab.js';
import { SessionsTab } from './sessions-tab.js';

const TABS: readonly { id: string; label: string; Shown: ComponentType }[] = [
  { id: 'keys', label: 'API keys', Shown: KeysTab },
  { id: 'people', label: 'People', Shown: PeopleTab },
  { id: 'secrets', label: 'Secrets', Shown: SecretsTab },
  { id: 'channels', label: 'Channels', Shown: ChannelsTab },
  { id: 'providers', label: 'Identity providers', Shown: ProvidersTab },
  { id: 'delegations', label: 'Vote delegations', Shown: DelegationsTab },
  { id: 'sessions', label: 'Sessions', Shown: SessionsTab },
];

/** `/settings`: keys, people, sessions, secrets, channels, providers and delegations of a tenant. */
export default function SettingsScreen() {
  const [tab] = useQueryState('tab', 'keys');
  const go = useNavigate();
  const { id, Shown } = TABS.find((each) => each.id === tab) ?? (TABS[0] as (typeof TABS)[number]);
  return (
    <Screen title="Settings" about="Who and what may use this tenant">
      <Tabs label="Settings" tabs={TABS} selected={id} onSelect={(next) => go(`/settings?tab=${next}`, { replace: true })}>
        <Shown />
      </Tabs>
    </Screen>
  );
}

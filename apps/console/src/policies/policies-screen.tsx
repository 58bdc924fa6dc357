import type { ComponentType } from 'preact';
import { Screen } from '../elements/screen.js';
import { Tabs } from '../elements/tabs.js';
import { useNavigate, useQueryState } from '../navigation/navigation.js';
import { ActiveTab } from './active-tab.js';
import { DraftTab } from './draft-tab.js';
import { LimitsTab } from './limits-tab.js';
import { VersionsTab } from './versions-tab.js';
import './policies.css';

const TABS: readonly { id: string; label: string; Shown: ComponentType }[] = [
  { id: 'active', label: 'In force', Shown: ActiveTab },
  { id: 'versions', label: 'Versions', Shown: VersionsTab },
  { id: 'draft', label: 'Draft', Shown: DraftTab },
  { id: 'limits', label: 'Limits', Shown: LimitsTab },
];

/** `/policies`: the rules in force, their versions, a draft with its checks, and limits. */
export default function PoliciesScreen() {
  const [tab] = useQueryState('tab', 'active');
  const go = useNavigate();
  const { id, Shown } = TABS.find((each) => each.id === tab) ?? (TABS[0] as (typeof TABS)[number]);
  return (
    <Screen title="Policies" about="What agents may do, what a person approves, and what is denied">
      <Tabs label="Policies" tabs={TABS} selected={id} onSelect={(next) => go(`/policies?tab=${next}`, { replace: true })}>
        <Shown />
      </Tabs>
    </Screen>
  );
}

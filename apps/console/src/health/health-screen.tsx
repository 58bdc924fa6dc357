import { Screen } from '../elements/screen.js';
import { CircuitsPanel } from './circuits-panel.js';
import { DamagesPanel } from './damages-panel.js';
import { DeadLettersPanel } from './dead-letters-panel.js';
import { CallsInDoubt, OpenTickets } from './doubt-panels.js';
import { useCallsInDoubt, useCircuits, useDamages, useDeadLetters, useOpenTickets, useProjections, useSecurityEvents } from './lists.js';
import { ProjectionsPanel } from './projections-panel.js';
import { ReadinessPanel } from './readiness-panel.js';
import { SecurityPanel } from './security-panel.js';
import { SummaryTiles, type Tile } from './summary-tiles.js';
import './health.css';

/** `/health`: whether the platform works, and what needs an operator. */
export default function HealthScreen() {
  const in_doubt = useCallsInDoubt();
  const tickets = useOpenTickets();
  const circuits = useCircuits();
  const letters = useDeadLetters();
  const damages = useDamages();
  const projections = useProjections();
  const security = useSecurityEvents();
  const open = circuits.items?.filter(({ state }) => state !== 'closed');
  const tiles: readonly Tile[] = [
    { href: '#in-doubt', title: 'Calls in doubt', count: in_doubt.items?.length, has_more: in_doubt.has_more, tone: 'bad' },
    { href: '#tickets', title: 'Tickets', count: tickets.items?.length, has_more: tickets.has_more, tone: 'warn' },
    { href: '#circuits', title: 'Open circuits', count: open?.length, has_more: circuits.has_more, tone: 'warn' },
    {
      href: '#dead-letters',
      title: 'Dead letters',
      count: letters.items?.filter(({ requeue }) => !requeue).length,
      has_more: letters.has_more,
      tone: 'bad',
    },
    { href: '#damages', title: 'Damages', count: damages.items?.length, has_more: damages.has_more, tone: 'bad' },
  ];
  return (
    <Screen title="Health" about="Whether the platform works, and what needs an operator">
      <ReadinessPanel />
      <SummaryTiles tiles={tiles} />
      <CallsInDoubt list={in_doubt} />
      <OpenTickets list={tickets} />
      <CircuitsPanel list={circuits} />
      <DeadLettersPanel list={letters} />
      <DamagesPanel list={damages} />
      <ProjectionsPanel list={projections} />
      <SecurityPanel list={security} />
    </Screen>
  );
}

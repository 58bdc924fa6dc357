import { Icon, type IconName } from '../elements/icon.js';
import { Panel } from '../elements/screen.js';
import { Skeleton } from '../elements/states.js';
import { Link } from '../navigation/link.js';
import { useWaiting, type Waiting } from './use-waiting.js';

const KINDS: Readonly<Record<Waiting['kind'], readonly [icon: IconName, one: string, many: string]>> = {
  approvals: ['approvals', 'approval waits for you', 'approvals wait for you'],
  in_doubt: ['warning', 'call in doubt', 'calls in doubt'],
  tickets: ['sagas', 'saga needs a person', 'sagas need a person'],
  dead_letters: ['warning', 'record could not be handled', 'records could not be handled'],
  circuits: ['tools', 'tool is stopped because it failed', 'tools are stopped because they failed'],
};

/** What needs this person, with counts. */
export function WaitingPanel() {
  const { waiting, is_loading, failed } = useWaiting();
  const some = waiting.filter(({ count }) => count > 0);
  return (
    <Panel title="Waits for you">
      {is_loading && some.length === 0 && <Skeleton lines={2} />}
      {!is_loading && some.length === 0 && failed === 0 && (
        <p class="row soft">
          <Icon name="check" /> Nothing waits for you.
        </p>
      )}
      {failed > 0 && (
        <p class="soft">
          {failed === 1 ? 'One of the counts' : `${failed} of the counts`} could not be read. They are read again by themselves.
        </p>
      )}
      {some.length > 0 && (
        <ul class="waiting">
          {some.map(({ kind, count, is_more, href }) => (
            <li key={kind}>
              <Link href={href} class={`waiting-link waiting-${kind}`}>
                <Icon name={KINDS[kind][0]} />
                <strong class="waiting-count">
                  {count}
                  {is_more && '+'}
                </strong>
                <span>{count === 1 ? KINDS[kind][1] : KINDS[kind][2]}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

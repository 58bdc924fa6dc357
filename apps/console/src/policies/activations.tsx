import { useState } from 'preact/hooks';
import { InertText } from '../elements/inert.js';
import { Panel } from '../elements/screen.js';
import { Link } from '../navigation/link.js';
import { type ActivePolicy, versionHref } from './policy-queries.js';
import { Since } from './since.js';

const SHOWN = 10;

/** Who activated which version when, newest first. */
export function Activations({ history }: { history: ActivePolicy['history'] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <Panel title="Activations">
      {history.length === 0 && <p class="soft">None yet.</p>}
      <ol class="policies-history">
        {history.slice(0, shown).map(({ version, shadow, by, activated_at }) => (
          <li key={`${activated_at} ${version}`}>
            <strong>
              {version === null ? (
                'Built-in rules only'
              ) : (
                <Link href={versionHref(version)}>
                  Version <InertText text={version} />
                </Link>
              )}
            </strong>
            {shadow !== null && (
              <span class="soft">
                {' '}
                with <InertText text={shadow} /> in shadow
              </span>
            )}
            <div class="soft">
              <Since at={activated_at} by={by} />
            </div>
          </li>
        ))}
      </ol>
      {history.length > shown && (
        <button type="button" class="text-button" onClick={() => setShown(shown + 5 * SHOWN)}>
          Show earlier ones ({history.length - shown} left)
        </button>
      )}
    </Panel>
  );
}

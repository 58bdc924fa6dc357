import { useMemo, useState } from 'preact/hooks';
import { Dialog } from '../elements/dialog.js';
import { useSession } from '../gateway/context.js';
import { useKeyboard, useShortcuts } from '../navigation/keyboard.js';
import type { Shortcut } from '../navigation/keys.js';
import { useNavigate } from '../navigation/navigation.js';
import { navigationEntries } from './navigation-entries.js';

/** `?` shows the keys of what is on the screen; `g` and a letter go to a screen. */
export function KeysDialog() {
  const keyboard = useKeyboard();
  const session = useSession();
  const go = useNavigate();
  const [shown, setShown] = useState<readonly Shortcut[]>();
  const own = useMemo<Shortcut[]>(
    () => [
      { keys: '?', label: 'Show the keys', group: 'Everywhere', run: () => setShown(keyboard?.shortcuts) },
      ...navigationEntries(session).map(({ navigation, title, path }) => ({
        ...{ keys: navigation.keys, label: `Go to ${title}`, group: 'Go to' },
        run: () => go(path),
      })),
    ],
    [keyboard, session, go],
  );
  useShortcuts(own);
  if (!shown) return null;
  const groups = [...new Set(shown.map(({ group }) => group))].map((group) => [group, shown.filter((one) => one.group === group)] as const);
  return (
    <Dialog title="Keyboard" onClose={() => setShown(undefined)}>
      {groups.map(([group, shortcuts]) => (
        <section key={group} class="keys-group">
          <h3>{group}</h3>
          <dl>
            {shortcuts.map(({ keys, label }) => (
              <div key={keys} class="keys-line">
                <dt>{label}</dt>
                <dd>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

/** A key or a sequence of keys (`g a`) and what it does. */
export interface Shortcut {
  /** Names as in KeyboardEvent.key, separated by spaces: `j`, `g a`, `Enter`, `?`. */
  keys: string;
  /** What the `?` dialog says. */
  label: string;
  /** Heading in the `?` dialog. */
  group: string;
  run: (event: KeyboardEvent) => void;
}

/** The time in which the second key of a sequence must follow. */
export const SEQUENCE_MS = 1_200;

/** What a pressed key leads to: a shortcut that runs, or the beginning of a sequence. */
export interface KeyStep {
  run?: Shortcut;
  pressed: readonly string[];
}

/** Finds the shortcut that the keys pressed so far and this one complete. Of equal keys the last registered one counts. */
export function keyStep(shortcuts: readonly Shortcut[], before: readonly string[], key: string): KeyStep {
  for (const pressed of [[...before, key], [key]]) {
    const text = pressed.join(' ');
    const run = shortcuts.findLast(({ keys }) => keys === text);
    if (run) return { run, pressed: [] };
    if (shortcuts.some(({ keys }) => keys.startsWith(`${text} `))) return { pressed };
  }
  return { pressed: [] };
}

/** Whether a key belongs to the field that has the focus, not to a shortcut. Escape is for all. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
}

/** Whether a key belongs to the control that has the focus: Enter and the space bar press buttons and follow links. */
export function isPressing({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  return target instanceof HTMLElement && target.closest('a[href], button, summary, [role=button], [role=tab]') !== null;
}

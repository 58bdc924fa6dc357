import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import { isPressing, isTyping, keyStep, SEQUENCE_MS, type Shortcut } from './keys.js';

/** The shortcuts of what is on the screen. */
export class Keyboard {
  private readonly sets: { current: readonly Shortcut[] }[] = [];
  private pressed: readonly string[] = [];
  private pressed_at = 0;

  /** All shortcuts, those of the frame first. */
  get shortcuts(): readonly Shortcut[] {
    return this.sets.flatMap(({ current }) => current);
  }

  add(set: { current: readonly Shortcut[] }): () => void {
    this.sets.push(set);
    return () => {
      const at = this.sets.indexOf(set);
      if (at >= 0) this.sets.splice(at, 1);
    };
  }

  readonly onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey) return;
    // an event out of a shadow root names its host here: the field that has the focus stands first on its path
    if (isTyping(event.composedPath()[0] ?? event.target) || isPressing(event) || document.querySelector('dialog[open]')) return;
    const before = event.timeStamp - this.pressed_at < SEQUENCE_MS ? this.pressed : [];
    const { run, pressed } = keyStep(this.shortcuts, before, event.key);
    this.pressed = pressed;
    this.pressed_at = event.timeStamp;
    if (!run) return;
    event.preventDefault();
    run.run(event);
  };
}

const KeyboardContext = createContext<Keyboard | undefined>(undefined);

export function KeyboardProvider({ children }: { children: ComponentChildren }) {
  const keyboard = useMemo(() => new Keyboard(), []);
  useEffect(() => {
    document.addEventListener('keydown', keyboard.onKey);
    return () => document.removeEventListener('keydown', keyboard.onKey);
  }, [keyboard]);
  return <KeyboardContext.Provider value={keyboard}>{children}</KeyboardContext.Provider>;
}

export const useKeyboard = (): Keyboard | undefined => useContext(KeyboardContext);

/** Registers shortcuts while a component is shown. They may change with each rendering. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const keyboard = useContext(KeyboardContext);
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => keyboard?.add(current), [keyboard]);
}

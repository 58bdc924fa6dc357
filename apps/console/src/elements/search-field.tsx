import { useEffect, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../navigation/keyboard.js';
import { Icon } from './icon.js';
import './search-field.css';

/** While a person types, the list waits this long before it is read. */
const PAUSE_MS = 250;

/** The search of a list. `/` gives it the focus; Escape leaves it. Use it with `useQueryState`. */
export function SearchField({ value, onValue, label }: { value: string; onValue: (value: string) => void; label: string }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onValue(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onValue]);
  useShortcuts([{ keys: '/', label: 'Search', group: 'List', run: () => input.current?.focus() }]);
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        ref={input}
        class="input"
        type="search"
        value={text}
        placeholder={label}
        aria-label={label}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </div>
  );
}

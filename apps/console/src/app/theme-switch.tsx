import { useState } from 'preact/hooks';
import { Icon, type IconName } from '../elements/icon.js';
import { chooseTheme, chosenTheme, type Theme } from './theme.js';

const THEMES: readonly [Theme, IconName, string][] = [
  ['light', 'sun', 'Light'],
  ['dark', 'moon', 'Dark'],
  ['system', 'contrast', 'As the system'],
];

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <fieldset class="theme-switch">
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map(([value, icon, label]) => (
        <label key={value} class="theme-choice" title={label}>
          <input
            type="radio"
            class="visually-hidden"
            name="theme"
            checked={theme === value}
            onChange={() => {
              chooseTheme(value);
              setTheme(value);
            }}
          />
          <Icon name={icon} />
          <span class="visually-hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

export type Theme = 'light' | 'dark' | 'system';

const KEY = 'countersign:theme';
const DARK = '(prefers-color-scheme: dark)';

/** The choice of the person at this browser. */
export function chosenTheme(): Theme {
  const text = localStorage.getItem(KEY);
  return text === 'light' || text === 'dark' ? text : 'system';
}

/** Shows the chosen theme, and keeps to the system's if that is the choice. */
export function applyTheme(theme: Theme): void {
  const is_dark = theme === 'dark' || (theme === 'system' && matchMedia(DARK).matches);
  document.documentElement.dataset.theme = is_dark ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme(theme);
}

/** Follows the system, and the choice in another tab. */
export function watchTheme(): void {
  matchMedia(DARK).addEventListener('change', () => applyTheme(chosenTheme()));
  window.addEventListener('storage', ({ key }) => key === KEY && applyTheme(chosenTheme()));
}

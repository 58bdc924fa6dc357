import { useEffect, useState } from 'preact/hooks';

/** As in the style sheets: below it the console is one column. */
const WIDE = '(min-width: 900px)';

/** Whether there is room for two columns. */
export function useIsWide(): boolean {
  const [is_wide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const look = () => setWide(media.matches);
    look();
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, []);
  return is_wide;
}

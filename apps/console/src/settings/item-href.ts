import { useQueryState } from '../navigation/navigation.js';

/** The address of an item of a tab: a link shows the same dialog. It contains ids and names, never values. */
export const itemHref = (tab: string, item: string): string => `/settings?tab=${tab}&item=${encodeURIComponent(item)}`;

/** The item whose dialog is shown, and how to close it. */
export function useItem(): [item: string, close: () => void] {
  const [item, setItem] = useQueryState('item');
  return [item, () => setItem('')];
}

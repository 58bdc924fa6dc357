import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useNavigate } from './navigation.js';

interface LinkProps {
  href: string;
  class?: string | undefined;
  title?: string | undefined;
  'aria-label'?: string | undefined;
  'aria-current'?: 'page' | 'true' | undefined;
  tabIndex?: number | undefined;
  'data-row'?: number | undefined;
  'data-row-of'?: string | undefined;
  children: ComponentChildren;
  /** After the navigation, for example to close a menu. */
  onFollow?: (() => void) | undefined;
}

/** A link to another screen, without a reload. A click with a modifier key opens a tab, as everywhere. */
export function Link({ href, onFollow, ...others }: LinkProps) {
  const go = useNavigate();
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
    onFollow?.();
  };
  return <a href={href} onClick={follow} {...others} />;
}

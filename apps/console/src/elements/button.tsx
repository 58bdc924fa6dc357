import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import './button.css';
import { Icon, type IconName } from './icon.js';

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> & {
  /** `primary`: the one thing to do here; `danger`: what cannot be taken back; `quiet`: without a frame. */
  look?: 'primary' | 'default' | 'danger' | 'quiet';
  icon?: IconName;
  /** Shows that it runs; clicks are ignored meanwhile. */
  is_busy?: boolean;
  children?: ComponentChildren;
};

export function Button({ look = 'default', icon, is_busy = false, children, onClick, class: name, ...others }: ButtonProps) {
  return (
    <button
      type="button"
      {...others}
      class={`button button-${look} ${children === undefined ? 'button-icon' : ''} ${name ?? ''}`}
      aria-disabled={is_busy || undefined}
      aria-busy={is_busy || undefined}
      onClick={is_busy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

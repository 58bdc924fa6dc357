import { Component, type ComponentChildren } from 'preact';

/** A component that is drawn again only when one of its properties is another value: for rows of long lists. */
export abstract class PureRow<P extends object> extends Component<P> {
  override shouldComponentUpdate(next: P): boolean {
    const names = Object.keys(next) as (keyof P)[];
    return (
      names.some((name) => next[name] !== this.props[name]) ||
      Object.keys(this.props).some((name) => !(name in next) && name !== 'children')
    );
  }

  abstract override render(): ComponentChildren;
}

import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';

/** The events of one `subscriptions/listen` stream: changes of the list of tools of its caller. */
export class ToolListBus implements ServerEventBus {
  /** `watch` begins to notify, and returns a function that ends it. */
  constructor(
    private readonly watch: (notify: () => void) => () => void,
    /** Further events. */
    private readonly also?: Pick<ServerEventBus, 'subscribe'>,
  ) {}

  /** Nothing is published by others: the stream has no other reader. */
  publish(_event: ServerEvent): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    const end = this.watch(() => listener({ kind: 'tools_list_changed' }));
    const endAlso = this.also?.subscribe(listener);
    return () => {
      end();
      endAlso?.();
    };
  }
}

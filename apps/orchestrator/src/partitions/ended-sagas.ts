import type { Views } from '@countersign/calls';
import { InfrastructureFault, laneTopic } from '@countersign/contracts';
import { readSaga } from '@countersign/store';

/** The part of a partition that the views must have folded before they can say which of its sagas ended. */
export interface FoldedFrom {
  readonly lane: string;
  readonly number: number;
  /** Sagas that ended before this offset may be known to the views alone. */
  readonly forgotten_offset: number;
}

/** Sagas that ended before their partition was opened: the views know them. */
export class EndedSagas {
  constructor(private readonly views: Views) {}

  /** @throws InfrastructureFault if the views are behind what the partition has forgotten */
  async has({ lane, number, forgotten_offset }: FoldedFrom, tenant_id: string, saga_id: string): Promise<boolean> {
    const position = { topic: laneTopic('compensation', lane), partition: number, offset: forgotten_offset - 1 };
    const seen = { positions: forgotten_offset > 0 ? [position] : [], wait_ms: 5_000 };
    if (!(await this.views.current(seen, number))) throw new InfrastructureFault('the views do not show yet which sagas have ended');
    return (await readSaga(this.views.store, tenant_id, saga_id)) !== undefined;
  }
}

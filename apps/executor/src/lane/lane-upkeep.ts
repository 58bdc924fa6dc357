import type { Takeover } from '../intake/takeover.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import type { Partitions } from '../partitions/partitions.js';
import type { ProgressWriter } from '../partitions/progress-writer.js';
import type { Pipeline } from '../pipeline/pipeline.js';

/** Upkeep of a lane: reads records of other processes, takes over their calls, folds ends into rows. */
export class LaneUpkeep {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly partitions: Partitions,
    private readonly parts: { reader: EndsReader; takeover: Takeover; progress: ProgressWriter },
  ) {}

  fold(): Promise<void> {
    return this.parts.progress.write();
  }

  async takeOver(): Promise<void> {
    for await (const jobEvent of this.parts.takeover.sweep()) this.pipeline.handleGuarded(jobEvent);
  }

  /** `every`: all partitions, otherwise only those with waiting calls. */
  async readTails(every: boolean): Promise<void> {
    for (const partition of this.partitions.toRead(every)) this.pipeline.handleAll(await this.parts.reader.catchUp(partition));
  }
}

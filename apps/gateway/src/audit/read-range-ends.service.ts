import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AuditReads } from './audit-reads.js';

const EVERY_MS = 5000;

/** Records the ends of ranges of reads while the gateway runs, and of all of them when it stops. */
@Injectable()
export class ReadRangeEndsService implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly reads: AuditReads) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.reads.recordEnds(), EVERY_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.reads.close();
  }
}

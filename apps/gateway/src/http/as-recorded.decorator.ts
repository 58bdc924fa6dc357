import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** Metadata of a route: its answer is the record. */
export const AS_RECORDED = 'countersign:as-recorded';

/** The answer is the record, or a proof of it: sealed fields stay sealed. */
export const AsRecorded = (): CustomDecorator => SetMetadata(AS_RECORDED, true);

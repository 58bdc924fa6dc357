import { SetMetadata } from '@nestjs/common';

/** Metadata of a route whose answers keep what is sealed in them. */
export const AS_RECORDED = 'countersign:as_recorded';

/** A route that answers with the record itself, or a proof of it: what is sealed in its answers stays sealed. */
export const AsRecorded = (): MethodDecorator & ClassDecorator => SetMetadata(AS_RECORDED, true);

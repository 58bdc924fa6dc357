import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

const header = (name: string, description: string): MethodDecorator => ApiHeader({ name, description, required: false });

/** A change that waits until every running instance has it. */
export const Change = (): MethodDecorator =>
  header('Prefer', '`wait=N`: seconds, up to 60, until a change that not every running instance has yet is answered; 1 without it');

/** A change of something that was read: `If-Match` keeps it from undoing somebody else's. */
export const Edit = (): MethodDecorator =>
  applyDecorators(
    header('If-Match', 'the ETag that was read: 412 where the thing has changed since. Without it the change is made on what is there'),
    header('If-None-Match', '`*`: only where there is no such thing yet (412)'),
    Change(),
  );

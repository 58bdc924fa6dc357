import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

const header = (name: string, description: string): MethodDecorator => ApiHeader({ name, description, required: false });

/** A change that waits until every running instance has it. */
export const Change = (): MethodDecorator =>
  header('Prefer', '`wait=N`: seconds to wait until every running instance has the change, up to 60; default 1');

const ifMatch = (): MethodDecorator =>
  header('If-Match', 'the ETag that you read: 412 if the resource has changed since. Without it the change applies to the current state');

/** A change of what was read by a request that creates nothing: `If-Match` prevents lost updates. */
export const ChangeOfRead = (): MethodDecorator => applyDecorators(ifMatch(), Change());

/** A change of a resource that was read: `If-Match` prevents lost updates. */
export const Edit = (): MethodDecorator =>
  applyDecorators(ifMatch(), header('If-None-Match', '`*`: create only; 412 if the resource exists'), Change());
